import { fieldAt, fieldNames, type IndexedSkill, type Postings } from "./search-postings.ts";
import { type Query, termWeight } from "./search-ranking.ts";

/** A word of a query, or characters in a row, and the fields that hold it. */
interface MatchedWord {
  text: string;
  fields: number;
  weight: number;
}

/** How many words an explanation names before it counts the rest. */
const wordsNamed = 6;

/**
 * Says which words of a query a skill holds and where, the weightiest first: `csv (name), report (description, body)`.
 * `words` are the words of the query in reading order, as the sequence of the query has their terms.
 */
export function explainMatch(postings: Postings, query: Query, words: readonly string[], skill: IndexedSkill): string {
  const fields = fieldsOfTerms(skill, query);
  const matched = new Map<string, MatchedWord>();
  let previous: MatchedWord | undefined;
  query.sequence.forEach((term, index) => {
    const queryTerm = query.terms.get(term);
    const found = fields.get(term);
    if (queryTerm === undefined || found === undefined) {
      previous = undefined;
      return;
    }
    const text = words[index] ?? "";
    const weight = termWeight(postings, queryTerm);
    const joined = previous === undefined ? undefined : joinPairs(previous.text, text);
    if (previous !== undefined && joined !== undefined && (previous.fields & found) !== 0) {
      previous.text = joined;
      previous.fields &= found;
      previous.weight += weight;
      return;
    }
    previous = { text, fields: found, weight };
    if (!matched.has(text)) matched.set(text, previous);
  });
  const byWeight = [...matched.values()].sort((a, b) => b.weight - a.weight);
  const named = byWeight.slice(0, wordsNamed).map(({ text, fields: bits }) => `${text} (${namesOf(bits)})`);
  if (byWeight.length > wordsNamed) named.push(`${byWeight.length - wordsNamed} more`);
  return named.join(", ");
}

function fieldsOfTerms({ terms, ...skill }: IndexedSkill, query: Query): Map<number, number> {
  const fields = new Map<number, number>();
  terms.forEach((term, position) => {
    if (query.terms.has(term)) fields.set(term, (fields.get(term) ?? 0) | (1 << fieldAt({ terms, ...skill }, position)));
  });
  return fields;
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
