/**
 * What discovery costs against the least that the disk allows: `node bench/discovery.ts [--large]`.
 * Ratios of medians, measured by turns in one run; `--large` adds fifty thousand skills. The folders are made in the system's temporary
 * folder: each skill has a body of 3 KB and two more files.
 */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Library, openLibrary } from "../packages/skillwright/src/library/index.ts";
import { directorySource } from "../packages/skillwright/src/sources/directory.ts";

/** A figure and how much of it is allowed. */
interface Row {
  readonly work: string;
  readonly figure: string;
  readonly bar: string;
}

const header = Buffer.alloc(4096);
const [, , mode, what = "", ...roots] = process.argv;

if (mode === "child") await child(what, roots);
else await main(process.argv.includes("--large"));

async function main(large: boolean): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "skillwright-bench-"));
  try {
    const small = makeSkills(join(base, "small"), 1_000);
    const rows = [...(await warm(small)), ...fresh(small), ...heap(small)];
    if (large) rows.push(...fiftyThousand(small, makeSkills(join(base, "large"), 50_000)));
    print("| work | figure | bar |\n| --- | --- | --- |");
    for (const { work, figure, bar } of rows) print(`| ${work} | ${figure} | ${bar} |`);
  } finally {
    rmSync(base, { recursive: true });
  }
}

async function warm(skills: string): Promise<Row[]> {
  const library = await openFolder(skills);
  const names = library.catalog.skills.map(({ name }) => name);
  let turn = 0;
  const name = () => names[(turn++ * 37) % names.length] ?? "";
  const text = library.catalog.render();
  const times = await byTurns(61, {
    floor: () => readHeaders(skills),
    first: async () => (await openLibrary({ sources: [directorySource(skills)] })).catalog.render().text.length,
    whole: async () => (await openFolder(skills)).catalog.render().text.length,
    stat: () => statAll(skills),
    refresh: () => library.refresh(),
    readFile: () => readFile(`${skills}/${name()}/SKILL.md`, "utf8"),
    load: () => library.load(name()),
    instructions: () => library.catalog.render(),
  });
  return [
    {
      work: "first catalogue text, 1,000 skills, against readdir + open + read 4 KB + close",
      figure: ratio(times.first, times.floor),
      bar: "1.8 x",
    },
    {
      work: "the same with every description in the text, 300 KB",
      figure: ratio(times.whole, times.floor),
      bar: "",
    },
    { work: "refresh with nothing changed, against readdir + stat", figure: ratio(times.refresh, times.stat), bar: "1.5 x" },
    { work: "load of one skill, against one readFile", figure: ratio(times.load, times.readFile), bar: "2 x" },
    {
      work: "catalogue text again, unchanged",
      figure: `${(times.instructions * 1_000).toFixed(1)} µs, ${library.catalog.render() === text ? "the same object" : "another object"}`,
      bar: "no work",
    },
  ];
}

/** First calls, each in a process of its own, modules loaded. */
function fresh(skills: string): Row[] {
  const times = { least: [] as number[], first: [] as number[] };
  for (let round = 0; round < 9; round++) {
    times.least.push(inChild<number>("least", skills));
    times.first.push(inChild<number>("first", skills));
  }
  return [
    {
      work: "first call in a fresh process, against list, read, cut the header, text",
      figure: ratio(median(times.first), median(times.least)),
      bar: "1.5 x",
    },
  ];
}

function heap(skills: string): Row[] {
  return [{ work: "heap of a catalogue, each skill", figure: `${inChild<number>("heap", skills).toFixed(0)} bytes`, bar: "2,048 bytes" }];
}

function fiftyThousand(small: string, large: string): Row[] {
  const { perSkill, blockMs, peakMb } = inChild<{ perSkill: number; blockMs: number; peakMb: number }>("large", large, small);
  return [
    { work: "50,000 skills: time of each, against 1,000", figure: `${perSkill.toFixed(2)} x`, bar: "1.3 x" },
    { work: "50,000 skills: longest block of the event loop", figure: `${blockMs.toFixed(0)} ms`, bar: "25 ms" },
    { work: "50,000 skills: peak memory of the process", figure: `${peakMb.toFixed(0)} MB`, bar: "200 MB" },
  ];
}

async function child(what: string, roots: readonly string[]): Promise<void> {
  const [skills = "", other = ""] = roots;
  if (what === "least") return print(JSON.stringify(timed(() => leastCatalog(skills))));
  if (what === "first") {
    const start = performance.now();
    const { length } = (await openFolder(skills)).catalog.render().text;
    return print(JSON.stringify(length > 0 ? performance.now() - start : Number.NaN));
  }
  if (what === "heap") {
    const kept = [await openFolder(skills)];
    gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let round = 0; round < 5; round++) kept.push(await openFolder(skills));
    gc?.();
    return print(JSON.stringify((process.memoryUsage().heapUsed - before) / 5 / (kept.at(-1)?.catalog.skills.length ?? 0)));
  }
  if (what === "large") {
    const each = async (root: string, count: number) => {
      const start = performance.now();
      const library = await openFolder(root);
      const time = (performance.now() - start) / count;
      if (library.catalog.skills.length !== count) throw new Error(`${library.catalog.skills.length} skills`);
      return time;
    };
    for (let round = 0; round < 5; round++) await each(other, 1_000);
    const smallTimes: number[] = [];
    const largeTimes: number[] = [];
    const blocks = watchBlocks();
    for (let round = 0; round < 3; round++) {
      for (let turn = 0; turn < 5; turn++) smallTimes.push(await each(other, 1_000));
      largeTimes.push(await each(skills, 50_000));
    }
    const blockMs = blocks();
    const peakMb = inChild<number>("peak", skills);
    return print(JSON.stringify({ perSkill: median(largeTimes) / median(smallTimes), blockMs, peakMb }));
  }
  if (what === "peak") {
    const library = await openLibrary({ sources: [directorySource(skills)] });
    library.catalog.render();
    return print(JSON.stringify((process.resourceUsage().maxRSS * 1024) / 1_000_000));
  }
}

/** Watches how long the event loop does not come round; answers the longest time. */
function watchBlocks(): () => number {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function openFolder(folder: string): Promise<Library> {
  return openLibrary({ sources: [directorySource(folder)], maxCatalogTokens: 1_000_000 });
}

/** The floor: every header into one buffer. */
function readHeaders(folder: string): void {
  for (const name of readdirSync(folder)) {
    const descriptor = openSync(`${folder}/${name}/SKILL.md`, "r");
    readSync(descriptor, header, 0, 4096, 0);
    closeSync(descriptor);
  }
}

function statAll(folder: string): void {
  for (const name of readdirSync(folder)) statSync(`${folder}/${name}/SKILL.md`);
}

/** The least real work: list, read, cut the header, name and description, escaped text. */
function leastCatalog(folder: string): number {
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  let text = "<available_skills>\n";
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const descriptor = openSync(`${folder}/${entry.name}/SKILL.md`, "r");
    const length = readSync(descriptor, header, 0, 4096, 0);
    closeSync(descriptor);
    const start = header.toString("utf8", 0, length);
    const frontmatter = start.slice(4, start.indexOf("\n---", 4));
    const [, name = ""] = /^name: *(.*)$/m.exec(frontmatter) ?? [];
    const [, description = ""] = /^description: *(.*)$/m.exec(frontmatter) ?? [];
    text += `<skill><name>${escaped(name)}</name><description>${escaped(description)}</description></skill>\n`;
  }
  return `${text}</available_skills>`.length;
}

function makeSkills(folder: string, count: number): string {
  const words = "table report reads writes checks harbour tide draws form merges signs invoice ledger kiln glaze logs maps".split(" ");
  for (let index = 0; index < count; index++) {
    const name = `${words[index % words.length]}-${words[(index * 7) % words.length]}-${index}`;
    const description = Array.from({ length: 30 + (index % 15) }, (_, word) => words[(index + word * (word + 3)) % words.length]).join(" ");
    const skill = join(folder, name);
    mkdirSync(join(skill, "references"), { recursive: true });
    mkdirSync(join(skill, "scripts"));
    const fields = `name: ${name}\ndescription: ${description}. Use when asked.\nlicense: MIT\nmetadata:\n  author: someone\n  version: "1.${index}"\n`;
    writeFileSync(join(skill, "SKILL.md"), `---\n${fields}---\n\n# ${name}\n\n${"Read the table, then write what it says.\n".repeat(73)}`);
    writeFileSync(join(skill, "references/guide.md"), `# Guide\n\n${"More to know.\n".repeat(30)}`);
    writeFileSync(join(skill, "scripts/run.sh"), "#!/bin/sh\necho done\n");
  }
  return folder;
}

async function byTurns<Work extends string>(rounds: number, works: Record<Work, () => unknown>): Promise<Record<Work, number>> {
  const entries = Object.entries<() => unknown>(works);
  const times = new Map(entries.map(([name]) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of entries) {
      const start = performance.now();
      await work();
      times.get(name)?.push(performance.now() - start);
    }
  }
  // The first third warms the compiler up.
  return Object.fromEntries(entries.map(([name]) => [name, median((times.get(name) ?? []).slice(rounds / 3))])) as Record<Work, number>;
}

function inChild<Answer>(what: string, ...roots: readonly string[]): Answer {
  const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url), "child", what, ...roots], {
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Answer;
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function ratio(time: number, floor: number): string {
  return `${(time / floor).toFixed(2)} x (${time.toFixed(2)} ms / ${floor.toFixed(2)} ms)`;
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
