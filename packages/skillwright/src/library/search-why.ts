import { fieldAt, fieldNames, type Postings, saturate } from "./search-postings.ts";
import { type Query, type RankedSkill, termWeight } from "./search-ranking.ts";

/** A word of a query, or characters in a row, that a skill holds. */
interface MatchedWord {
  text: string;
  /** One bit for each field. */
  fields: number;
  weight: number;
}

/** Where a skill holds a term. */
interface Occurrences {
  /** One bit for each field. */
  fields: number;
  /** How often, weighed by field and length. */
  count: number;
}

/** How many words an explanation names before it counts the rest. */
const wordsNamed = 6;

/**
 * Says which words of a query a skill holds and where, the weightiest first: `csv (name), report (description, body)`.
 * `words` are the words of the query in reading order, as the sequence of the query has their terms.
 */
export function explainMatch(postings: Postings, query: Query, words: readonly string[], ranked: RankedSkill): string {
  const occurrences = occurrencesOf(postings, query, ranked);
  const matched = new Map<string, MatchedWord>();
  let previous: MatchedWord | undefined;
  query.sequence.forEach((term, index) => {
    const queryTerm = query.terms.get(term);
    const found = occurrences.get(term);
    if (queryTerm === undefined || found === undefined) {
      previous = undefined;
      return;
    }
    const text = words[index] ?? "";
    const weight = termWeight(postings, queryTerm) * saturate(found.count);
    const joined = previous === undefined ? undefined : joinPairs(previous.text, text);
    if (previous !== undefined && joined !== undefined && (previous.fields & found.fields) !== 0) {
      previous.text = joined;
      previous.fields &= found.fields;
      previous.weight += weight;
      return;
    }
    previous = { text, fields: found.fields, weight };
    if (!matched.has(text)) matched.set(text, previous);
  });
  const byWeight = [...matched.values()].sort((a, b) => b.weight - a.weight);
  const named = byWeight.slice(0, wordsNamed).map(({ text, fields }) => `${text} (${namesOf(fields)})`);
  if (byWeight.length > wordsNamed) named.push(`${byWeight.length - wordsNamed} more`);
  return named.join(", ");
}

function occurrencesOf(postings: Postings, query: Query, { skill, document }: RankedSkill): Map<number, Occurrences> {
  const occurrences = new Map<number, Occurrences>();
  skill.terms.forEach((term, position) => {
    if (!query.terms.has(term)) return;
    const field = fieldAt(skill, position);
    const known = occurrences.get(term) ?? { fields: 0, count: 0 };
    known.fields |= 1 << field;
    known.count += postings.scales[document * 3 + field] ?? 0;
    occurrences.set(term, known);
  });
  return occurrences;
}

/** Neighbouring pairs of characters as the run they came from, `浏览` and `览器` as `浏览器`. */
function joinPairs(run: string, pair: string): string | undefined {
  const [first, second, ...rest] = pair;
  if (first === undefined || second === undefined || rest.length > 0 || !/\p{Lo}/u.test(first)) return undefined;
  return run.endsWith(first) ? run + second : undefined;
}

function namesOf(bits: number): string {
  return fieldNames.filter((_, field) => (bits & (1 << field)) !== 0).join(", ");
}
