import { guessTerms } from "./search-guess.ts";
import { buildPostings, type IndexedSkill, type Postings } from "./search-postings.ts";
import { type Query, type QueryTerm, rankSkills } from "./search-ranking.ts";
import { explainMatch } from "./search-why.ts";
import { createTermReader, splitCamelCase, type TermReader } from "./search-words.ts";

/** A skill as the index takes it. */
export interface SearchDocument {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The instructions; read only when the document is new or its revision changed, and no further than the words that count. */
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
   * Makes the index hold exactly these documents; of equal ids the first counts. A document of an unchanged revision is kept as it is.
   * A caller that must not block calls it with a growing part of the documents and pauses between the calls.
   */
  update(documents: readonly SearchDocument[]): void;
  /** The best documents first, ties by id; `[]` when no word matches. Equal documents and an equal query give an equal answer. */
  search(query: string, limit: number): SearchMatch[];
}

/** Options of a search index. */
export interface SearchIndexOptions {
  /** How many words of a body count. @default 300 */
  readonly maxBodyWords?: number;
}

/** How many words of a name or a description count. */
const maxFieldWords = 1_000;
/** How many words of a query count. */
const maxQueryWords = 2_000;
/** A longer query says enough without the words that no skill holds. */
const maxGuessedFrom = 12;
/** What a guessed word counts beside one that was found as written. */
const guessShare = 0.5;
/** Terms that no document holds any more are dropped when they outnumber those in use by this many. */
const maxUnusedTerms = 10_000;

/** Creates an empty search index. */
export function createSearchIndex(options: SearchIndexOptions = {}): SearchIndex {
  const { maxBodyWords = 300 } = options;
  let numbers = new Map<string, number>();
  let skills = new Map<string, IndexedSkill>();
  let postings: Postings | undefined;
  /** Kept over the updates between two searches, for the words it remembers. */
  let reader: TermReader<number> | undefined;

  function numberOf(term: string): number {
    const known = numbers.get(term);
    if (known !== undefined) return known;
    const number = numbers.size;
    // A slice of a body would keep the whole body in memory; the slice of a copy does not.
    numbers.set(` ${term}`.slice(1), number);
    return number;
  }

  function readDocument(document: SearchDocument): IndexedSkill {
    const { id, revision, name } = document;
    reader ??= createTermReader(numberOf);
    const read = reader;
    const terms: number[] = [];
    const add = (term: number): void => {
      terms.push(term);
    };
    read(name, maxFieldWords, add);
    if (!/\s/.test(name)) read(splitCamelCase(name) ?? "", maxFieldWords, add);
    const nameEnd = terms.length;
    read(document.description, maxFieldWords, add);
    const descriptionEnd = terms.length;
    read(document.body ?? "", maxBodyWords, add);
    return { id, revision, terms: new Int32Array(terms), nameEnd, descriptionEnd };
  }

  /** Numbers the terms anew, without those that no document holds. */
  function dropUnusedTerms({ starts }: Postings): void {
    const kept = new Map<string, number>();
    const renumbered = new Int32Array(numbers.size);
    for (const [term, number] of numbers) {
      if (starts[number] === starts[number + 1]) continue;
      renumbered[number] = kept.size;
      kept.set(term, kept.size);
    }
    numbers = kept;
    skills = new Map([...skills].map(([id, skill]) => [id, { ...skill, terms: skill.terms.map((term) => renumbered[term] ?? 0) }]));
  }

  function currentPostings(): Postings {
    if (postings !== undefined) return postings;
    reader = undefined;
    postings = buildPostings([...skills.values()], numbers.size);
    if (numbers.size > 2 * countUsedTerms(postings) + maxUnusedTerms) {
      dropUnusedTerms(postings);
      postings = buildPostings([...skills.values()], numbers.size);
    }
    return postings;
  }

  function update(documents: readonly SearchDocument[]): void {
    const next = new Map<string, IndexedSkill>();
    let changed = false;
    for (const document of documents) {
      if (next.has(document.id)) continue;
      const known = skills.get(document.id);
      const kept = known?.revision === document.revision ? known : undefined;
      if (kept === undefined) changed = true;
      next.set(document.id, kept ?? readDocument(document));
    }
    if (!changed && next.size === skills.size) return;
    skills = next;
    postings = undefined;
  }

  function search(query: string, limit: number): SearchMatch[] {
    if (limit < 1) return [];
    const current = currentPostings();
    const { words, ...parsed } = parseQuery(query, numbers, current);
    return rankSkills(current, parsed, limit).map((ranked) => ({
      id: ranked.skill.id,
      score: ranked.score,
      why: explainMatch(current, parsed, words, ranked),
    }));
  }

  return { update, search };
}

function countUsedTerms({ starts }: Postings): number {
  let used = 0;
  for (let term = 1; term < starts.length; term++) if (starts[term] !== starts[term - 1]) used++;
  return used;
}

function parseQuery(
  query: string,
  numbers: ReadonlyMap<string, number>,
  postings: Postings,
): Query & { readonly words: readonly string[] } {
  const written: { term: string; word: string; share: number }[] = [];
  const read = createTermReader((term, word, share) => ({ term, word, share }));
  read(query, maxQueryWords, (said) => written.push(said));
  const documentsOf = (term: number): number => (postings.starts[term + 1] ?? 0) - (postings.starts[term] ?? 0);
  const mayGuess = written.length <= maxGuessedFrom;
  const terms = new Map<number, QueryTerm>();
  const sequence: number[] = [];
  const words: string[] = [];
  const say = (term: number, word: string, share: number): void => {
    const known = terms.get(term);
    if (known === undefined) terms.set(term, { term, count: 1, share });
    else known.count++;
    sequence.push(term);
    words.push(word);
  };
  for (const { term, word, share } of written) {
    const number = numbers.get(term);
    if (number !== undefined && documentsOf(number) > 0) {
      say(number, word, share);
      continue;
    }
    const guessed = mayGuess && share === 1 ? guessTerms(term, { numbers, documentsOf }) : [];
    for (const guess of guessed) say(guess, word, guessShare);
    if (guessed.length === 0) {
      sequence.push(-1);
      words.push(word);
    }
  }
  return { terms, sequence, words };
}
