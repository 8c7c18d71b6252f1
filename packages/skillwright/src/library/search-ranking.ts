import { fieldAt, type IndexedSkill, type Postings, saturate } from "./search-postings.ts";

/** One different term of a query. */
export interface QueryTerm {
  /** The number of the term. */
  readonly term: number;
  /** How often the query says it. */
  count: number;
  /** How sure it is that the term was meant, and how much of a word it is: 0 to 1. */
  readonly share: number;
}

/** A query as numbers. */
export interface Query {
  readonly terms: ReadonlyMap<number, QueryTerm>;
  /** The terms in reading order; -1 for a word that no skill holds. */
  readonly sequence: readonly number[];
}

/** A skill and its score. */
export interface RankedSkill {
  readonly skill: IndexedSkill;
  readonly score: number;
}

/** The count at which a repeated word of the query has half of its highest weight. */
const querySaturation = 2;
/** What two words count that stand side by side in the query and in the skill, beside what one of them counts. */
const neighbourWeight = 0.4;
/** What a name counts that the query says in full, beside what its words count one by one. */
const nameCoverageWeight = 0.5;
/** Neighbours are looked for in the best skills only. */
const refinedSkills = 100;

/** The best skills for a query, ties by id. */
export function rankSkills(postings: Postings, query: Query, limit: number): RankedSkill[] {
  const scores = scoreByTerms(postings, query);
  addNameCoverage(postings, query, scores);
  // Bonuses are never negative, so the refined skills stay ahead of all others and a smaller limit answers the head of a larger one.
  const found = bestOf(postings, scores, Math.max(limit, refinedSkills));
  const refined = found.slice(0, refinedSkills);
  const pairs = pairWeights(postings, query);
  if (pairs.size > 0) {
    for (const document of refined) scores[document] = (scores[document] ?? 0) + neighbourBonus(postings, document, pairs);
    refined.sort(byScore(postings, scores));
  }
  const ranked: RankedSkill[] = [];
  for (const document of [...refined, ...found.slice(refinedSkills)].slice(0, limit)) {
    const skill = postings.skills[document];
    if (skill !== undefined) ranked.push({ skill, score: scores[document] ?? 0 });
  }
  return ranked;
}

/** What a term of the query is worth. */
export function termWeight(postings: Postings, { term, count, share }: QueryTerm): number {
  return (postings.rarities[term] ?? 0) * share * saturateQuery(count);
}

function saturateQuery(count: number): number {
  return (count * (querySaturation + 1)) / (count + querySaturation);
}

function scoreByTerms(postings: Postings, query: Query): Float64Array {
  const { starts, documents, gains } = postings;
  const scores = new Float64Array(postings.skills.length);
  for (const queryTerm of query.terms.values()) {
    const weight = termWeight(postings, queryTerm);
    const end = starts[queryTerm.term + 1] ?? 0;
    for (let slot = starts[queryTerm.term] ?? 0; slot < end; slot++) {
      const document = documents[slot] ?? 0;
      scores[document] = (scores[document] ?? 0) + weight * (gains[slot] ?? 0);
    }
  }
  return scores;
}

/** The more of a skill's name the query says, the more likely it means that skill. */
function addNameCoverage(postings: Postings, query: Query, scores: Float64Array): void {
  postings.skills.forEach((skill, document) => {
    if ((scores[document] ?? 0) === 0) return;
    let said = 0;
    for (let position = 0; position < skill.nameEnd; position++) {
      const term = skill.terms[position] ?? 0;
      said += (query.terms.get(term)?.share ?? 0) * (postings.rarities[term] ?? 0);
    }
    if (said > 0) scores[document] = (scores[document] ?? 0) + (nameCoverageWeight * said * said) / (postings.nameRarities[document] ?? 1);
  });
}

function bestOf(postings: Postings, scores: Float64Array, count: number): number[] {
  const threshold = scores.toSorted()[scores.length - count] ?? 0;
  const found: number[] = [];
  scores.forEach((score, document) => {
    if (score > 0 && score >= threshold) found.push(document);
  });
  return found.sort(byScore(postings, scores));
}

function byScore({ skills }: Postings, scores: Float64Array): (a: number, b: number) => number {
  return (a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || ((skills[a]?.id ?? "") < (skills[b]?.id ?? "") ? -1 : 1);
}

/** The pairs of neighbours in a query: first term, then second term, to what the pair is worth. */
function pairWeights(postings: Postings, { sequence, terms }: Query): Map<number, Map<number, number>> {
  const counts = new Map<number, Map<number, number>>();
  for (let index = 1; index < sequence.length; index++) {
    const first = sequence[index - 1] ?? -1;
    const second = sequence[index] ?? -1;
    if (first < 0 || second < 0 || first === second) continue;
    const seconds = counts.get(first) ?? new Map<number, number>();
    counts.set(first, seconds.set(second, (seconds.get(second) ?? 0) + 1));
  }
  const worth = (term: number): number => (postings.rarities[term] ?? 0) * (terms.get(term)?.share ?? 0);
  for (const [first, seconds] of counts) {
    for (const [second, count] of seconds) {
      seconds.set(second, (neighbourWeight * saturateQuery(count) * (worth(first) + worth(second))) / 2);
    }
  }
  return counts;
}

function neighbourBonus(postings: Postings, document: number, pairs: ReadonlyMap<number, ReadonlyMap<number, number>>): number {
  const skill = postings.skills[document];
  if (skill === undefined) return 0;
  /** Weight of a pair to its weighed count in the skill; pairs share a number only when they are worth the same. */
  const counts = new Map<string, { readonly weight: number; count: number }>();
  for (let position = 1; position < skill.terms.length; position++) {
    const first = skill.terms[position - 1] ?? 0;
    const second = skill.terms[position] ?? 0;
    const weight = pairs.get(first)?.get(second);
    const field = fieldAt(skill, position);
    if (weight === undefined || field !== fieldAt(skill, position - 1)) continue;
    const key = `${first} ${second}`;
    const known = counts.get(key) ?? { weight, count: 0 };
    known.count += postings.scales[document * 3 + field] ?? 0;
    counts.set(key, known);
  }
  let bonus = 0;
  for (const { weight, count } of counts.values()) bonus += weight * saturate(count);
  return bonus;
}
