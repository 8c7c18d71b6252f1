/**
 * What one header costs, by the way it is read: `node bench/format.ts [folder of skills]`.
 * The floor is what every reader must do: decode the bytes and cut name and description out by their line starts.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseHeader, parseSkill } from "../packages/skillwright/src/format/index.ts";
import { readPlainHeader } from "../packages/skillwright/src/format/plain-header.ts";
import { readYamlHeader } from "../packages/skillwright/src/format/yaml-header.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const body = "Read the table, then say what stands out.\n".repeat(80);

const kinds: readonly (readonly [name: string, header: (index: number) => string])[] = [
  [
    "plain",
    (index) =>
      `name: tide-${index}\ndescription: Reads the tide table of port ${index}. Use when the user asks when a ship may enter.\nlicense: MIT\n`,
  ],
  [
    "metadata",
    (index) =>
      `name: tide-${index}\ndescription: "Reads the tide table of port ${index}: heights and times."\nallowed-tools: Read, Bash(tide:*)\nmetadata:\n  author: harbour\n  version: "1.${index}"\n  tags: [tides, ports]\n`,
  ],
  [
    "block",
    (index) =>
      `name: tide-${index}\ndescription: |\n  Reads the tide table of port ${index}.\n  Use when the user asks\n  when a ship may enter.\n`,
  ],
  ["chinese", (index) => `name: 潮汐-${index}\ndescription: 读取港口 ${index} 的潮汐表。当用户询问船只何时可以进港时使用。\n`],
  ["for the library", (index) => `name: tide-${index}\ndescription: Reads tide tables\nlicense: MIT # as ever, ${index}\n`],
  ["to be repaired", (index) => `name: tide-${index}\ndescription: Reads tide tables: heights of port ${index}\n`],
];

print("| header | floor µs | parseHeader µs | x floor | plain reader µs | YAML library µs | parseSkill µs |");
print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const [name, header] of kinds) {
  const headers = Array.from({ length: 500 }, (_, index) => header(index));
  const files = headers.map((text, index) => ({
    folder: `${name === "chinese" ? "潮汐" : "tide"}-${index}`,
    bytes: encoder.encode(`---\n${text}---\n${body}`),
  }));
  measure(name, files, headers);
}

const [folder] = process.argv.slice(2);
if (folder !== undefined) {
  const files = globSync("**/SKILL.md", { cwd: folder }).map((path) => ({
    folder: basename(dirname(path)),
    bytes: readFileSync(join(folder, path)),
  }));
  const found = files.filter(({ bytes }) => parseHeader(bytes, { folder, whole: true }).manifest !== undefined);
  const headers = found.map(({ bytes }) => /---[^\n]*\n([\s\S]*?\n)---/.exec(decoder.decode(bytes))?.[1]?.replaceAll("\r\n", "\n") ?? "");
  measure(`${found.length} real ones`, found, headers);
  const plain = headers.filter((text) => readPlainHeader(text, 2) !== undefined).length;
  print(`\nThe plain reader reads ${((100 * plain) / headers.length).toFixed(1)} % of the real ones; the YAML library reads the rest.`);
}

interface File {
  readonly folder: string;
  readonly bytes: Uint8Array;
}

function measure(name: string, files: readonly File[], headers: readonly string[]): void {
  const starts = files.map(({ folder, bytes }) => ({ folder, bytes: bytes.subarray(0, 4096) }));
  const floor = each(starts, ({ bytes }) => cut(bytes));
  const whole = each(starts, ({ folder, bytes }) => parseHeader(bytes, { folder, whole: true }));
  const plain = each(headers, (text) => readPlainHeader(text, 2));
  const library = each(headers.slice(0, 100), (text) => readYamlHeader(text, 2));
  const skill = each(files.slice(0, 100), ({ folder, bytes }) => parseSkill(bytes, { folder }));
  print(
    `| ${[name, floor, whole, whole / floor, plain, library, skill].map((cell) => (typeof cell === "number" ? cell.toFixed(2) : cell)).join(" | ")} |`,
  );
}

function cut(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  const header = text.slice(4, text.indexOf("\n---", 4));
  const line = (key: string) => {
    const start = header.indexOf(key) + key.length;
    const end = header.indexOf("\n", start);
    return header.slice(start, end === -1 ? undefined : end);
  };
  return line("name: ") + line("description: ");
}

/** The best round's mean time of one item, in microseconds: the rest measures what else the machine does. */
function each<Item>(items: readonly Item[], work: (item: Item) => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 60; round++) {
    const start = performance.now();
    for (const item of items) work(item);
    best = Math.min(best, ((performance.now() - start) * 1000) / items.length);
  }
  return best;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
