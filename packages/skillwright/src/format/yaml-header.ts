import { isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument, type YAMLMap } from "yaml";
import type { FormatCode } from "./format-codes.ts";
import type { HeaderEntry, HeaderMap, HeaderValue } from "./header-value.ts";
import { guardYaml, type Refusal } from "./yaml-guard.ts";

/** Why a header was refused, and where (1-based, of the file). */
export interface HeaderProblem {
  readonly code: FormatCode;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A header as the YAML library reads it with the failsafe schema, or the first problem. */
export type YamlHeader = { readonly entries: readonly HeaderEntry[] } | { readonly problem: HeaderProblem };

interface Reading {
  readonly text: string;
  readonly firstLine: number;
  readonly lines: LineCounter;
  problem: HeaderProblem | undefined;
}

/** Reads a header with the `yaml` library; anchors, aliases, tags, duplicate and dangerous keys, and deep nesting are refused. */
export function readYamlHeader(text: string, firstLine: number): YamlHeader {
  const reading: Reading = { text, firstLine, lines: new LineCounter(), problem: undefined };
  const entries = readDocument(reading);
  return reading.problem === undefined ? { entries } : { problem: reading.problem };
}

function readDocument(reading: Reading): readonly HeaderEntry[] {
  const { text, lines } = reading;
  const guarded = guardYaml(text);
  if (guarded !== undefined) {
    for (let start = 0; start !== -1; start = text.indexOf("\n", start) + 1 || -1) lines.addNewLine(start);
    const [code, message] = refusals[guarded.refusal];
    return refuse(reading, code, message, guarded.offset);
  }
  const document = parseDocument(text, {
    schema: "failsafe",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter: lines,
  });
  const [error] = document.errors;
  if (error !== undefined) return refuse(reading, "yaml-invalid", `${error.message.replace(/\.$/, "")}.`, error.pos[0]);
  if (!isMap(document.contents)) return refuse(reading, "frontmatter-not-mapping", "The frontmatter is not made of `key: value` lines.", 0);
  return readMap(reading, document.contents as YAMLMap.Parsed).entries;
}

const refusals: { readonly [refusal in Refusal]: readonly [FormatCode, string] } = {
  anchor: ["yaml-anchor", "Anchors (`&name`) are not allowed in frontmatter."],
  alias: ["yaml-alias", "Aliases (`*name`) are not allowed in frontmatter."],
  tag: ["yaml-tag", "Tags (`!name`) are not allowed in frontmatter."],
  depth: ["frontmatter-too-complex", "The frontmatter nests too deeply."],
  size: ["frontmatter-too-complex", "The frontmatter holds too many values."],
};

function readValue(reading: Reading, node: ParsedNode | null): HeaderValue {
  if (isMap(node)) return readMap(reading, node as YAMLMap.Parsed);
  if (isSeq(node)) return { kind: "list", items: node.items.map((item) => readValue(reading, item)), ...sourceOf(reading, node) };
  if (isScalar(node)) return { kind: "scalar", text: String(node.value), plain: node.type === undefined || node.type === "PLAIN" };
  return { kind: "scalar", text: "", plain: true };
}

function readMap(reading: Reading, node: YAMLMap.Parsed): HeaderMap {
  const seen = new Set<string>();
  const entries: HeaderEntry[] = [];
  for (const { key: keyNode, value } of node.items) {
    const offset = keyNode.range[0];
    if (!isScalar(keyNode)) {
      refuse(reading, "key-invalid", "A key is a list or a mapping.", offset);
      continue;
    }
    const key = String(keyNode.value);
    if (key === "__proto__") refuse(reading, "key-forbidden", "The key `__proto__` is not allowed.", offset);
    if (seen.has(key)) refuse(reading, "key-duplicate", `The key \`${key}\` stands twice.`, offset);
    seen.add(key);
    const cut = isCut(reading.text, value);
    entries.push({ key, value: readValue(reading, value), ...placeOfValue(reading, offset, value), ...(cut ? { cut } : {}) });
  }
  return { kind: "map", entries, ...sourceOf(reading, node) };
}

/** Whether a comment follows an unquoted value on its line. */
function isCut(text: string, value: ParsedNode | null): boolean {
  if (!isScalar(value) || value.type !== "PLAIN") return false;
  comment.lastIndex = value.range[1];
  return comment.test(text);
}

const comment = /[ \t]*#/y;

/** A flow collection as it was written. */
function sourceOf(reading: Reading, node: { flow?: boolean; range: [number, number, number] }): { source?: string } {
  return node.flow === true ? { source: reading.text.slice(node.range[0], node.range[1]) } : {};
}

/** Keeps the first problem. */
function refuse(reading: Reading, code: FormatCode, message: string, offset: number): readonly HeaderEntry[] {
  reading.problem ??= { code, message, ...placeOf(reading, offset) };
  return [];
}

/** Where a value begins if that is on its key's line, else where the key does. */
function placeOfValue(reading: Reading, keyOffset: number, value: ParsedNode | null): { line: number; column: number } {
  const key = placeOf(reading, keyOffset);
  if (value === null || (isScalar(value) && value.type === "PLAIN" && value.source === "")) return key;
  const place = placeOf(reading, value.range[0]);
  return place.line === key.line ? place : key;
}

function placeOf(reading: Reading, offset: number): { line: number; column: number } {
  const { line, col } = reading.lines.linePos(offset);
  return { line: Math.max(line, 1) - 1 + reading.firstLine, column: Math.max(col, 1) };
}
