import { eachTerm } from "./search-words.ts";

/** A skill as the index sees it. */
export interface SearchDocument {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The instructions; read only when the document is new or its revision changed, and only the first words of it. */
  readonly body?: string;
  /** Changes whenever a field changes. */
  readonly revision: string;
}

/** One document found. */
export interface SearchMatch {
  readonly id: string;
  readonly score: number;
  /** The words that matched and where, for people: `csv (name), report (description)`. */
  readonly why: string;
}

/** An in-memory full-text index over names, descriptions and bodies. */
export interface SearchIndex {
  /**
   * Makes the index hold exactly these documents; of equal ids the first counts. Documents of an unchanged revision are kept as they are.
   * A caller that must not block may call it with a growing part of the documents and pause between the calls.
   */
  update(documents: readonly SearchDocument[]): void;
  /** The best documents first, ties by id; `[]` when no word matches. The same documents and query always give the same answer. */
  search(query: string, limit: number): SearchMatch[];
}

/** Options of a search index. */
export interface SearchIndexOptions {
  /** How many words of a body count. @default 300 */
  readonly maxBodyWords?: number;
}

const fieldNames = ["name", "description", "body"] as const;
const fieldCount = fieldNames.length;
/** How much a word counts in each field. */
const fieldWeights = [3, 2, 1] as const;
/** How far a long field lowers the weight of its words. */
const fieldLengthWeights = [0.5, 0.75, 0.75] as const;
const saturation = 1.2;
const querySaturation = 2;
const maxFieldWords = 1_000;
const maxQueryWords = 2_000;
const wordsExplained = 6;
/** The counts of the three fields in one integer: 5 bits for the name, 12 for the description, 14 for the body. */
const countShifts = [26, 14, 0] as const;
const countLimits = [31, 4_095, 16_383] as const;

interface Entry {
  readonly id: string;
  readonly revision: string;
  /** Term number and packed counts by turns, in term order. */
  readonly terms: Int32Array;
  readonly lengths: readonly number[];
}

/** Terms to documents, rebuilt from the entries when a search finds them changed. */
interface Postings {
  readonly entries: readonly Entry[];
  /** Where the postings of each term start; one more than there are terms. */
  readonly starts: Int32Array;
  readonly documents: Int32Array;
  /** What the term adds to the document's score, without the rarity of the term. */
  readonly gains: Float32Array;
}

interface QueryTerm {
  readonly term: number;
  readonly word: string;
  count: number;
}

/** Creates an empty search index. */
export function createSearchIndex(options: SearchIndexOptions = {}): SearchIndex {
  const maxWords = [maxFieldWords, maxFieldWords, options.maxBodyWords ?? 300];
  const termNumbers = new Map<string, number>();
  let entries = new Map<string, Entry>();
  let postings: Postings | undefined;

  function numberOf(term: string): number {
    const known = termNumbers.get(term);
    if (known !== undefined) return known;
    // A slice of a body would keep the whole body alive; the copy does not.
    termNumbers.set(` ${term}`.slice(1), termNumbers.size);
    return termNumbers.size - 1;
  }

  function read(document: SearchDocument): Entry {
    const counts = new Map<number, number>();
    const lengths = [document.name, document.description, document.body ?? ""].map((text, field) => {
      let length = 0;
      const shift = countShifts[field] ?? 0;
      const limit = countLimits[field] ?? 0;
      eachTerm(text, maxWords[field] ?? 0, (term) => {
        length++;
        const number = numberOf(term);
        const packed = counts.get(number) ?? 0;
        if (((packed >>> shift) & limit) < limit) counts.set(number, packed + (1 << shift));
      });
      return length;
    });
    const terms = new Int32Array(counts.size * 2);
    let at = 0;
    for (const [number, packed] of counts) {
      terms[at++] = number;
      terms[at++] = packed;
    }
    return { id: document.id, revision: document.revision, terms, lengths };
  }

  function update(documents: readonly SearchDocument[]): void {
    const next = new Map<string, Entry>();
    let changed = false;
    for (const document of documents) {
      if (next.has(document.id)) continue;
      const known = entries.get(document.id);
      const kept = known !== undefined && known.revision === document.revision;
      if (!kept) changed = true;
      next.set(document.id, kept ? known : read(document));
    }
    if (!changed && next.size === entries.size) return;
    entries = next;
    postings = undefined;
  }

  function search(query: string, limit: number): SearchMatch[] {
    postings ??= buildPostings([...entries.values()], termNumbers.size);
    const terms = new Map<number, QueryTerm>();
    eachTerm(query, maxQueryWords, (term, word) => {
      const number = termNumbers.get(term);
      if (number === undefined) return;
      const known = terms.get(number);
      if (known === undefined) terms.set(number, { term: number, word, count: 1 });
      else known.count++;
    });
    return rank(postings, [...terms.values()], limit);
  }

  return { update, search };
}

function buildPostings(entries: readonly Entry[], termCount: number): Postings {
  const starts = new Int32Array(termCount + 1);
  const totals = [0, 0, 0];
  for (const { terms, lengths } of entries) {
    for (let at = 0; at < terms.length; at += 2) {
      const after = (terms[at] ?? 0) + 1;
      starts[after] = (starts[after] ?? 0) + 1;
    }
    for (let field = 0; field < fieldCount; field++) totals[field] = (totals[field] ?? 0) + (lengths[field] ?? 0);
  }
  for (let term = 0; term < termCount; term++) starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  const size = starts[termCount] ?? 0;
  const documents = new Int32Array(size);
  const gains = new Float32Array(size);
  const next = starts.slice();
  entries.forEach((entry, document) => {
    const scales = fieldWeights.map((weight, field) => {
      const average = (totals[field] ?? 0) / entries.length || 1;
      const share = fieldLengthWeights[field] ?? 0;
      return weight / (1 - share + (share * (entry.lengths[field] ?? 0)) / average);
    });
    const [name = 0, description = 0, body = 0] = scales;
    for (let at = 0; at < entry.terms.length; at += 2) {
      const term = entry.terms[at] ?? 0;
      const packed = entry.terms[at + 1] ?? 0;
      const count = countIn(packed, 0) * name + countIn(packed, 1) * description + countIn(packed, 2) * body;
      const slot = next[term] ?? 0;
      next[term] = slot + 1;
      documents[slot] = document;
      gains[slot] = (count * (saturation + 1)) / (count + saturation);
    }
  });
  return { entries, starts, documents, gains };
}

function countIn(packed: number, field: 0 | 1 | 2): number {
  return (packed >>> countShifts[field]) & countLimits[field];
}

function rank(postings: Postings, terms: readonly QueryTerm[], limit: number): SearchMatch[] {
  const { entries, starts, documents, gains } = postings;
  const scores = new Float64Array(entries.length);
  const weights = new Map<number, number>();
  for (const { term, count } of terms) {
    const start = starts[term] ?? 0;
    const end = starts[term + 1] ?? 0;
    const rarity = Math.log(1 + (entries.length - (end - start) + 0.5) / (end - start + 0.5));
    const weight = (rarity * count * (querySaturation + 1)) / (count + querySaturation);
    weights.set(term, weight);
    for (let slot = start; slot < end; slot++) {
      const document = documents[slot] ?? 0;
      scores[document] = (scores[document] ?? 0) + weight * (gains[slot] ?? 0);
    }
  }
  return best(scores, limit, entries).map(({ entry, score }) => ({ id: entry.id, score, why: explain(entry, terms, weights) }));
}

function best(scores: Float64Array, limit: number, entries: readonly Entry[]): { entry: Entry; score: number }[] {
  const threshold = scores.slice().sort()[Math.max(0, scores.length - limit)] ?? 0;
  const found: { entry: Entry; score: number }[] = [];
  entries.forEach((entry, document) => {
    const score = scores[document] ?? 0;
    if (score > 0 && score >= threshold) found.push({ entry, score });
  });
  found.sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? -1 : 1));
  return found.slice(0, Math.max(0, limit));
}

function explain(entry: Entry, terms: readonly QueryTerm[], weights: ReadonlyMap<number, number>): string {
  const counts = new Map<number, number>();
  for (let at = 0; at < entry.terms.length; at += 2) counts.set(entry.terms[at] ?? 0, entry.terms[at + 1] ?? 0);
  const matched = terms.filter(({ term }) => counts.has(term));
  matched.sort((a, b) => (weights.get(b.term) ?? 0) - (weights.get(a.term) ?? 0));
  const shown = matched.slice(0, wordsExplained).map(({ term, word }) => {
    const packed = counts.get(term) ?? 0;
    return `${word} (${fieldNames.filter((_, field) => countIn(packed, field as 0 | 1 | 2) > 0).join(", ")})`;
  });
  if (matched.length > shown.length) shown.push(`${matched.length - shown.length} more`);
  return shown.join(", ");
}
