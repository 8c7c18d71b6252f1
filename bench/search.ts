/**
 * What searching 14,000 skills costs: `node --expose-gc bench/search.ts [--skills N]`.
 * The skills are made of invented words with the frequencies of a natural language, one in ten of them Chinese; with
 * SKILLWRIGHT_RETRIEVAL set they are the skills of that folder, repeated with some words exchanged. Beside the time on the clock stands
 * the time of the processor, which a busy machine changes less.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSearchIndex } from "../packages/skillwright/src/library/index.ts";

interface Skill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly revision: string;
}

interface Time {
  readonly clockMs: number;
  readonly processorMs: number;
}

interface Material {
  readonly origin: string;
  readonly skills: readonly Skill[];
  readonly shortQueries: readonly string[];
  readonly longQueries: readonly string[];
}

const { values } = parseArgs({ options: { skills: { type: "string", default: "14000" } } });
const count = Number(values.skills);
const folder = process.env.SKILLWRIGHT_RETRIEVAL;
const random = createRandom(11);
const { origin, skills, shortQueries, longQueries } = folder !== undefined && existsSync(folder) ? realMaterial(folder) : madeMaterial();

const before = usedBytes();
const index = createSearchIndex();
const build = measure(() => {
  index.update(skills);
  index.search("warm", 1);
});
const heap = usedBytes() - before;
const unchanged = median(Array.from({ length: 9 }, () => measure(() => index.update(skills))));
const edited = skills.map((skill, position) =>
  position === 7 ? { ...skill, description: `${skill.description} edited`, revision: "2" } : skill,
);
const change = measure(() => {
  index.update(edited);
  index.search("warm", 1);
});
const ask = (query: string): Time => measure(() => index.search(query, 10));
for (const query of [...shortQueries, ...longQueries]) ask(query);
const short = shortQueries.map(ask);
const long = longQueries.map(ask);

print(`${skills.length} skills, ${origin}\n`);
print("| work | figure | of the processor | bar |\n| --- | --- | --- | --- |");
print(`| index over names, descriptions and 300 words of bodies | ${show(build)} | 3,000 ms |`);
print(`| memory of the index${globalThis.gc === undefined ? " (run with --expose-gc)" : ""} | ${(heap / 1e6).toFixed(0)} MB | | 150 MB |`);
print(`| update with nothing changed | ${show(unchanged)} | |`);
print(`| one skill changed, and the next search | ${show(change)} | |`);
print(`| query, median of ${short.length} short and ${long.length} page-long | ${show(median([...short, ...long]))} | 10 ms |`);
print(`| short query, median | ${show(median(short))} | |`);
print(`| page-long query, median | ${show(median(long))} | |`);

function realMaterial(from: string): Material {
  const read = (prefix: string): Record<string, string>[] =>
    readdirSync(from)
      .filter((file) => file.startsWith(prefix) && file.endsWith(".jsonl"))
      .flatMap((file) => readFileSync(join(from, file), "utf8").split("\n"))
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const originals = read("skills.");
  const repeated = Array.from({ length: count }, (_, position): Skill => {
    const { name = "", description = "", body = "" } = originals[position % originals.length] ?? {};
    const round = Math.floor(position / originals.length);
    const varied = body.split(" ").map((word, at) => (round > 0 && (at * 7 + round) % 29 === 0 ? `${word}${round}` : word));
    return { id: `${position}`, name, description, body: varied.join(" "), revision: "1" };
  });
  const queries = read("queries.").map(({ query = "" }) => query);
  const isLong = (query: string): boolean => query.length > 600;
  return {
    origin: "real text repeated",
    skills: repeated,
    shortQueries: queries.filter((query) => !isLong(query)),
    longQueries: queries.filter(isLong),
  };
}

function madeMaterial(): Material {
  const syllables = [
    "ba",
    "co",
    "di",
    "fu",
    "ge",
    "hal",
    "jor",
    "kim",
    "lun",
    "mes",
    "nor",
    "pax",
    "qui",
    "ret",
    "sol",
    "tan",
    "vex",
    "wim",
    "zor",
  ];
  const spell = (rank: number): string => {
    let word = "";
    for (let rest = rank + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length))
      word += syllables[rest % syllables.length];
    return word;
  };
  const functionWords = ["the", "of", "and", "to", "a", "in", "is", "for", "with", "that", "this", "when", "it", "or"];
  // Few words are said often, most hardly ever: every doubling of the rank is drawn equally often.
  const draw = (first: number, size: number): number => Math.floor(first * (size / first) ** random());
  const english = (): string =>
    random() < 0.35 ? (functionWords[Math.floor(random() * functionWords.length)] ?? "") : spell(draw(100, 60_000));
  const chinese = (): string => {
    const rank = draw(50, 6_000);
    return String.fromCodePoint(0x4e00 + (rank % 79) * 11, 0x4e00 + Math.floor(rank / 79) * 13);
  };
  const text = (words: number, word: () => string): string => Array.from({ length: words }, word).join(word === chinese ? "" : " ");
  const made = Array.from({ length: count }, (_, position): Skill => {
    const word = position % 10 === 9 ? chinese : english;
    return {
      id: `${position}`,
      name: `${spell(draw(100, 60_000))}-${spell(draw(100, 60_000))}`,
      description: text(45, word),
      body: text(300, word),
      revision: "1",
    };
  });
  return {
    origin: "invented words",
    skills: made,
    shortQueries: Array.from({ length: 100 }, (_, at) => text(12, at % 5 === 4 ? chinese : english)),
    longQueries: Array.from({ length: 100 }, (_, at) => text(250, at % 5 === 4 ? chinese : english)),
  };
}

/** A repeatable stream of numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function measure(work: () => unknown): Time {
  const start = performance.now();
  const used = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(used);
  return { clockMs: performance.now() - start, processorMs: (user + system) / 1_000 };
}

function median(times: readonly Time[]): Time {
  const middle = (pick: (time: Time) => number): number => times.map(pick).sort((a, b) => a - b)[times.length >> 1] ?? 0;
  return { clockMs: middle(({ clockMs }) => clockMs), processorMs: middle(({ processorMs }) => processorMs) };
}

function show({ clockMs, processorMs }: Time): string {
  const digits = clockMs < 100 ? 1 : 0;
  return `${clockMs.toFixed(digits)} ms | ${processorMs.toFixed(digits)} ms`;
}

function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
