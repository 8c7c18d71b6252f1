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
  /** The number of the skill in the postings. */
  readonly document: number;
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
const refinedSkills = 50;
/** Into how many ranges scores are sorted to find the highest. */
const bins = 1_024;

/** The best skills for a query, ties by id. */
export function rankSkills(postings: Postings, query: Query, limit: number): RankedSkill[] {
  const scores = scoreSkills(postings, query);
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
    if (skill !== undefined) ranked.push({ document, skill, score: scores[document] ?? 0 });
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

/** Adds up what each term is worth in each skill, and what it is worth that the query says much of a skill's name. */
function scoreSkills(postings: Postings, query: Query): Float64Array {
  const { starts, documents, gains, inName, rarities, nameRarities } = postings;
  const scores = new Float64Array(postings.skills.length);
  const namesSaid = new Float64Array(postings.skills.length);
  for (const queryTerm of query.terms.values()) {
    const { term, share } = queryTerm;
    const weight = termWeight(postings, queryTerm);
    const said = share * (rarities[term] ?? 0);
    const end = starts[term + 1] ?? 0;
    for (let slot = starts[term] ?? 0; slot < end; slot++) {
      const document = documents[slot] ?? 0;
      scores[document] = (scores[document] ?? 0) + weight * (gains[slot] ?? 0);
      if (inName[slot] === 1) namesSaid[document] = (namesSaid[document] ?? 0) + said;
    }
  }
  for (let document = 0; document < scores.length; document++) {
    const said = namesSaid[document] ?? 0;
    if (said > 0) scores[document] = (scores[document] ?? 0) + (nameCoverageWeight * said * said) / (nameRarities[document] ?? 1);
  }
  return scores;
}

/** The documents with the highest scores, at least `count` of them where there are as many, best first. */
function bestOf(postings: Postings, scores: Float64Array, count: number): number[] {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  if (highest === 0) return [];
  // Sorting is slow, counting is not: only what falls into the highest bins is sorted.
  const sizes = new Uint32Array(bins + 1);
  const binOf = (score: number): number => Math.ceil((score / highest) * bins);
  for (const score of scores) sizes[binOf(score)] = (sizes[binOf(score)] ?? 0) + 1;
  let lowest = bins;
  for (let size = sizes[bins] ?? 0; size < count && lowest > 1; size += sizes[lowest] ?? 0) lowest--;
  const found: number[] = [];
  for (let document = 0; document < scores.length; document++) if (binOf(scores[document] ?? 0) >= lowest) found.push(document);
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
