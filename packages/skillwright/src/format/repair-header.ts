import type { FormatCode } from "./format-codes.ts";
import { isSpecKey, isTextKey } from "./key-spelling.ts";
import { readPlainHeader } from "./plain-header.ts";
import { plainTextOf, reasonOf } from "./repair-text.ts";
import { readYamlHeader } from "./yaml-header.ts";

/** One repair, and where (1-based, of the file). */
export interface Repair {
  readonly code: Extract<FormatCode, "value-repaired" | "indentation-repaired" | "line-ignored">;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly hint?: string;
}

/** A header rewritten so that YAML reads it as its author meant it; every line keeps its number. */
export interface RepairedHeader {
  readonly text: string;
  readonly repairs: readonly Repair[];
}

/**
 * Rewrites the entries that YAML refuses or would misread: plain text is put in quotes, tabs become spaces, a key at the wrong depth
 * moves to the margin. Each entry is looked at alone, so that one fault does not hide the next; what cannot be repaired stays as it is.
 */
export function repairHeader(text: string, firstLine: number): RepairedHeader {
  const lines = text.split("\n");
  const keys = new Set(lines.map((line) => keyLine.exec(line)?.[1]).filter((key) => key !== undefined));
  const context: Context = { repairs: [], firstLine, keys, budget: { units: MAX_UNITS }, path: "", margin: 0, depth: 0 };
  return { text: repairLines(context, lines, 0).join("\n"), repairs: context.repairs };
}

interface Context {
  readonly repairs: Repair[];
  readonly firstLine: number;
  /** Keys that stand at the margin of the header. */
  readonly keys: Set<string>;
  /** Text that may still be given to the YAML library: it is slow, and a hostile header has thousands of faults. */
  readonly budget: { units: number };
  /** The keys above, each with a dot; "" at the top. */
  readonly path: string;
  /** Columns left of the lines. */
  readonly margin: number;
  readonly depth: number;
}

/** One `key: value` with the lines below it, up to the next key. */
interface Entry {
  readonly key: string;
  /** The rest of the key's line, and the 0-based column where it stands. */
  readonly head: string;
  readonly column: number;
  /** All lines as they are, the key's first. */
  readonly lines: readonly string[];
  /** Index of the key's line in the header. */
  readonly index: number;
}

type Proposal = (context: Context, entry: Entry) => readonly string[] | undefined;

const MAX_DEPTH = 3;
/** UTF-16 units, and what each entry counts at least. */
const MAX_UNITS = 256 * 1024;
const LEAST_UNITS = 1024;
const keyLine = /^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+|$|(?=["'[{]))/;
const indentedKey = /^([ \t]+)([A-Za-z_][\w.-]*):(?:[ \t]|$)/;
const blockHeader = /^[|>][-+]?[ \t]*(?:#.*)?$/;
const conflictMark = /^(?:<{7}|={7}|>{7})(?: |$)/;

function repairLines(context: Context, lines: readonly string[], index: number): string[] {
  const repaired: string[] = [];
  let position = 0;
  while (position < lines.length) {
    let end = position + 1;
    while (end < lines.length && !keyLine.test(lines[end] ?? "")) end++;
    for (const line of repairEntry(context, lines.slice(position, end), index + position)) repaired.push(line);
    position = end;
  }
  return repaired;
}

function repairEntry(context: Context, lines: readonly string[], index: number): readonly string[] {
  const first = lines[0] ?? "";
  const match = keyLine.exec(first);
  if (match === null)
    return context.path === "" ? lines.map((line, below) => (isStray(line) ? ignoreLine(context, line, index + below) : line)) : lines;
  if (reads(context, lines)) return lines;
  const column = match[0].length;
  const entry: Entry = { key: match[1] ?? "", head: first.slice(column).trimEnd(), column, lines, index };
  for (const propose of proposals) {
    const proposal = propose(context, entry);
    if (proposal !== undefined) return proposal;
  }
  return lines;
}

/** `description:"text"`: a blank was forgotten. */
const spaceAfterColon: Proposal = (context, entry) => {
  if (entry.head === "" || /\s$/.test((entry.lines[0] ?? "").slice(0, entry.column))) return undefined;
  const spaced = [`${entry.key}: ${entry.head}`, ...entry.lines.slice(1)];
  if (!reads(context, spaced)) return undefined;
  note(context, entry, "value-repaired", "has no blank between the colon and its value");
  return spaced;
};

/** Tabs before the lines below: YAML has none. */
const tabsAsSpaces: Proposal = (context, entry) => {
  const below = entry.lines.findIndex((line, at) => at > 0 && /^ *\t/.test(line));
  if (below === -1) return undefined;
  const spaced = entry.lines.map((line, at) => (at === 0 ? line : expandTabs(line)));
  if (!reads(context, spaced)) return undefined;
  note(context, entry, "indentation-repaired", "is indented by tabs", { below });
  return spaced;
};

/** `tools: - Read` with further items below. */
const listBesideKey: Proposal = (context, entry) => {
  if (context.path === "" && isTextKey(entry.key)) return undefined;
  const items = [entry.head, ...entry.lines.slice(1).map((line) => line.trim())].filter((item) => item !== "");
  if (!items.every((item) => item.startsWith("- "))) return undefined;
  note(context, entry, "value-repaired", "has a list on the key's own line");
  return onOneLine(entry, JSON.stringify(items.map((item) => item.slice(2).trim())));
};

/** An indented `description:` below a value that is already complete. */
const keyAtWrongDepth: Proposal = (context, entry) => {
  if (context.path !== "" || entry.head === "" || blockHeader.test(entry.head)) return undefined;
  const below = entry.lines.findIndex((line, at) => {
    const key = at > 0 ? indentedKey.exec(line)?.[2] : undefined;
    return key !== undefined && isSpecKey(key) && !context.keys.has(key);
  });
  if (below === -1) return undefined;
  const [, indent = "", key = ""] = indentedKey.exec(entry.lines[below] ?? "") ?? [];
  context.keys.add(key);
  const moved = entry.lines.slice(below).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  const message = `\`${key}\` is indented below \`${entry.key}\`; it was read as a key of its own.`;
  context.repairs.push({ code: "indentation-repaired", message, line: context.firstLine + entry.index + below, column: 1 });
  return [...repairEntry(context, entry.lines.slice(0, below), entry.index), ...repairLines(context, moved, entry.index + below)];
};

/** Nothing on the key's line: the fault is in the mapping below. */
const mappingBelow: Proposal = (context, entry) => {
  if ((entry.head !== "" && !entry.head.startsWith("#")) || context.depth === MAX_DEPTH) return undefined;
  const below = entry.lines.slice(1).map(expandTabs);
  const indent = leastIndent(below);
  if (indent === 0) return undefined;
  const nested: Context = { ...context, path: `${context.path}${entry.key}.`, margin: context.margin + indent, depth: context.depth + 1 };
  const inner = below.map((line) => line.slice(indent));
  const repaired = repairLines(nested, inner, entry.index + 1);
  return [entry.lines[0] ?? "", ...repaired.map((line) => (line === "" ? "" : " ".repeat(indent) + line))];
};

/** A block scalar whose first line is indented further than the rest: its depth can be said. */
const blockDepth: Proposal = (context, entry) => {
  if (!blockHeader.test(entry.head)) return undefined;
  const indent = leastIndent(entry.lines.slice(1));
  if (indent < 1 || indent > 9) return undefined;
  const lines = [`${entry.key}: ${entry.head[0]}${indent}${entry.head.slice(1)}`, ...entry.lines.slice(1)];
  if (!reads(context, lines)) return undefined;
  note(context, entry, "indentation-repaired", "has a first line that is indented further than the rest");
  return lines;
};

/** Lines at the margin without a key. They are part of a description or of a quoted value, and of nothing else. */
const strayLines: Proposal = (context, entry) => {
  const isProse = entry.key === "description" && entry.head !== "";
  if (context.path !== "" || isProse || /^["']/.test(entry.head) || blockHeader.test(entry.head) || !entry.lines.slice(1).some(isStray)) {
    return undefined;
  }
  const kept = entry.lines.map((line, at) => (at > 0 && isStray(line) ? ignoreLine(context, line, entry.index + at) : line));
  return kept.some((line, at) => at > 0 && isStray(line)) ? kept : repairEntry(context, kept, entry.index);
};

/** The value as its author typed it. */
const asText: Proposal = (context, entry) => {
  const below = entry.lines.slice(1);
  if (below.some((line) => conflictMark.test(line))) return undefined;
  const text = plainTextOf(entry.head, below, () => problemOf(context, entry.lines) === "yaml-invalid");
  if (text === undefined) return undefined;
  const quoted = JSON.stringify(text);
  const hint = quoted.length <= 100 ? `Write \`${entry.key}: ${quoted}\`: put the value in double quotes.` : undefined;
  note(context, entry, "value-repaired", `${reasonOf(entry.head)}, which means something else to YAML; it was read as text`, { hint });
  return onOneLine(entry, quoted);
};

const proposals: readonly Proposal[] = [
  spaceAfterColon,
  tabsAsSpaces,
  listBesideKey,
  keyAtWrongDepth,
  mappingBelow,
  blockDepth,
  strayLines,
  asText,
];

function reads(context: Context, lines: readonly string[]): boolean {
  return problemOf(context, lines) === undefined;
}

function problemOf(context: Context, lines: readonly string[]): FormatCode | undefined {
  const text = `${lines.join("\n")}\n`;
  if (readPlainHeader(text, 1) !== undefined || context.budget.units <= 0) return undefined;
  context.budget.units -= Math.max(text.length, LEAST_UNITS);
  const read = readYamlHeader(text, 1);
  return "problem" in read ? read.problem.code : undefined;
}

function note(
  context: Context,
  entry: Entry,
  code: Repair["code"],
  what: string,
  { below = 0, hint }: { readonly below?: number; readonly hint?: string | undefined } = {},
): void {
  const column = below === 0 ? context.margin + entry.column + 1 : 1;
  const message = `\`${context.path}${entry.key}\` ${what}.`;
  context.repairs.push({ code, message, line: context.firstLine + entry.index + below, column, ...(hint === undefined ? {} : { hint }) });
}

function ignoreLine(context: Context, line: string, index: number): string {
  if (conflictMark.test(line)) return line;
  context.repairs.push({
    code: "line-ignored",
    message: "The line has no key and was left out.",
    line: context.firstLine + index,
    column: 1,
  });
  return "";
}

function onOneLine(entry: Entry, value: string): string[] {
  return [`${entry.key}: ${value}`, ...entry.lines.slice(1).map(() => "")];
}

/** A line at the margin that is neither blank nor a comment nor an item of a list. */
function isStray(line: string): boolean {
  return /^[^\s#]/.test(line) && !/^-(?:\s|$)/.test(line);
}

function expandTabs(line: string): string {
  return line.replace(/^[ \t]+/, (blanks) => blanks.replaceAll("\t", "  "));
}

/** Of the lines that are not blank; 0 where there are none. */
function leastIndent(lines: readonly string[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) if (line.trim() !== "") least = Math.min(least, line.length - line.trimStart().length);
  return Number.isFinite(least) ? least : 0;
}
