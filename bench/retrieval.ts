/**
 * How well search ranks skills, against plain BM25 on the same text: `SKILLWRIGHT_RETRIEVAL=folder node bench/retrieval.ts`.
 * The folder holds `skills.*.jsonl` (`id`, `name`, `description`, `body` cut to 300 words) and `queries.*.jsonl` (`query`, `gold`, `scored`).
 * The pool of a set is its own gold skills and the distractors; queries in Chinese and Japanese have a pool of their own, without
 * descriptions, because each query is a description.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSearchIndex } from "../packages/skillwright/src/library/index.ts";
import { isStopWord, stem } from "../packages/skillwright/src/library/search-stem.ts";

interface Skill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

interface Query {
  readonly query: string;
  readonly gold: readonly string[];
  readonly scored?: boolean;
}

interface QuerySet {
  readonly name: string;
  readonly pool: readonly Skill[];
  readonly queries: readonly Query[];
}

/** Answers the best ten ids for a query. */
type Search = (query: string) => readonly string[];

/** Figures of each query, 0 to 1. */
interface Figures {
  readonly ndcg: number[];
  readonly hit: number[];
  readonly mrr: number[];
}

const depth = 10;
const folder = process.env.SKILLWRIGHT_RETRIEVAL;

if (folder === undefined || !existsSync(join(folder, "skills.distractors.jsonl"))) {
  print("skipped: SKILLWRIGHT_RETRIEVAL names no folder with skills.distractors.jsonl");
} else {
  const sets = readSets(folder);
  const systems: [string, (pool: readonly Skill[]) => Search][] = [
    ["plain BM25, words", (pool) => plainSearch(pool, words)],
    ["plain BM25, words and CJK characters", (pool) => plainSearch(pool, (text) => words(text, 1))],
    ["plain BM25, words and CJK pairs", (pool) => plainSearch(pool, (text) => words(text, 2))],
    ["the same with stop words and stems", (pool) => plainSearch(pool, (text) => stems(words(text, 2)))],
    ["search", productSearch],
  ];
  print(`nDCG@${depth} / Hit@1 / MRR@${depth}, in percent\n`);
  print(
    `| system | ${sets.map(({ name, queries, pool }) => `${name} (${queries.length} of ${pool.length})`).join(" | ")} | pooled | mean of sets |`,
  );
  print(`| --- |${" --- |".repeat(sets.length + 2)}`);
  for (const [name, system] of systems) {
    const figures = sets.map((set) => measure(set, system(set.pool)));
    const pooled: Figures = {
      ndcg: figures.flatMap(({ ndcg }) => ndcg),
      hit: figures.flatMap(({ hit }) => hit),
      mrr: figures.flatMap(({ mrr }) => mrr),
    };
    const mean = percent(figures.map(({ ndcg }) => average(ndcg)));
    print(`| ${name} | ${[...figures, pooled].map(show).join(" | ")} | ${mean} |`);
  }
}

function readSets(from: string): QuerySet[] {
  const read = <T>(file: string): T[] =>
    readFileSync(join(from, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as T);
  const gold = read<Skill>("skills.gold.jsonl");
  const distractors = read<Skill>("skills.distractors.jsonl");
  const queriesOf = (set: string): Query[] => read<Query>(`queries.${set}.jsonl`).filter(({ scored }) => scored !== false);
  const withGold = (set: string): QuerySet => {
    const queries = queriesOf(set);
    // The gold skills of a set share the first part of their ids.
    const prefixes = new Set(queries.flatMap((query) => query.gold.map((id) => id.slice(0, id.indexOf("/") + 1))));
    const own = gold.filter(({ id }) => prefixes.has(id.slice(0, id.indexOf("/") + 1)));
    return { name: set, pool: unique([...own, ...distractors]), queries };
  };
  const cjk = unique(read<Skill>("skills.cjk.jsonl")).map((skill) => ({ ...skill, description: "" }));
  return [withGold("author-evals"), withGold("skillsbench"), { name: "cjk", pool: cjk, queries: queriesOf("cjk") }];
}

function unique(skills: readonly Skill[]): Skill[] {
  return [...new Map(skills.toReversed().map((skill) => [skill.id, skill])).values()].toReversed();
}

function measure({ queries }: QuerySet, search: Search): Figures {
  const figures: Figures = { ndcg: [], hit: [], mrr: [] };
  for (const { query, gold } of queries) {
    const ranks = search(query).flatMap((id, index) => (gold.includes(id) ? [index + 1] : []));
    const gain = (positions: readonly number[]): number => positions.reduce((sum, position) => sum + 1 / Math.log2(position + 1), 0);
    const ideal = gain(Array.from({ length: Math.min(depth, gold.length) }, (_, index) => index + 1));
    const [first] = ranks;
    figures.ndcg.push(gain(ranks) / ideal);
    figures.hit.push(first === 1 ? 1 : 0);
    figures.mrr.push(first === undefined ? 0 : 1 / first);
  }
  return figures;
}

function productSearch(pool: readonly Skill[]): Search {
  const index = createSearchIndex();
  index.update(pool.map((skill) => ({ ...skill, revision: "1" })));
  return (query) => index.search(query, depth).map(({ id }) => id);
}

/** BM25 as in the textbook: k1 1.2, b 0.75, every field one text, every word of the query as often as it is said. */
function plainSearch(pool: readonly Skill[], tokens: (text: string) => readonly string[]): Search {
  const postings = new Map<string, Map<number, number>>();
  const lengths = pool.map(({ name, description, body }, document) => {
    const found = tokens([name, description, body].join("\n"));
    for (const token of found) {
      const counts = postings.get(token) ?? new Map<number, number>();
      postings.set(token, counts.set(document, (counts.get(document) ?? 0) + 1));
    }
    return found.length;
  });
  const meanLength = average(lengths);
  return (query) => {
    const scores = new Map<number, number>();
    for (const token of tokens(query)) {
      const counts = postings.get(token);
      if (counts === undefined) continue;
      const rarity = Math.log(1 + (pool.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [document, count] of counts) {
        const gain = (count * 2.2) / (count + 1.2 * (0.25 + (0.75 * (lengths[document] ?? 0)) / meanLength));
        scores.set(document, (scores.get(document) ?? 0) + rarity * gain);
      }
    }
    const found = [...scores].map(([document, score]) => ({ id: pool[document]?.id ?? "", score }));
    found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    return found.slice(0, depth).map(({ id }) => id);
  };
}

/** Words of any script; with a size, runs of Chinese, Japanese and Korean as characters or as overlapping pairs. */
function words(text: string, size?: 1 | 2): string[] {
  const found =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  if (size === undefined) return found;
  const runs =
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]+/gu;
  return found.flatMap((word) =>
    (word.match(runs) ?? []).flatMap((run) => {
      if (!/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(run)) return [run];
      const chars = [...run];
      return size === 1 || chars.length === 1 ? chars : chars.slice(1).map((char, index) => `${chars[index]}${char}`);
    }),
  );
}

function stems(tokens: readonly string[]): string[] {
  return tokens.filter((token) => !isStopWord(token)).map(stem);
}

function show({ ndcg, hit, mrr }: Figures): string {
  return [ndcg, hit, mrr].map(percent).join(" / ");
}

function percent(values: readonly number[]): string {
  return (average(values) * 100).toFixed(1);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
