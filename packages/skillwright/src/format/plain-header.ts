import type { HeaderEntry, HeaderList, HeaderMap, HeaderScalar, HeaderValue } from "./header-value.ts";

/**
 * Reads the headers that nearly every skill has: `key: value` lines, quoted values on one line, block scalars, lists of scalars and
 * nested mappings of those. Answers undefined at the first thing outside that subset, and the caller asks the YAML library instead;
 * where it does answer, it answers what the library would.
 * `text` has `\n` line ends and ends in one; `firstLine` is its line in the file.
 */
export function readPlainHeader(text: string, firstLine: number): HeaderEntry[] | undefined {
  if (text.includes("\t") || text.includes("\r")) return undefined;
  const cursor: Cursor = { text, position: 0, line: firstLine, indent: 0, contentEnd: 0 };
  seekContent(cursor);
  return cursor.indent === 0 ? readMapping(cursor, 0, 0) : undefined;
}

interface Cursor {
  readonly text: string;
  /** Start of the line that is read next. */
  position: number;
  line: number;
  /** Leading spaces of that line, or END. */
  indent: number;
  /** End of that line, its newline not included. */
  contentEnd: number;
}

const END = -1;
const MAX_DEPTH = 8;
const MAX_ENTRIES = 64;
const MAX_KEY = 128;
const EMPTY: HeaderScalar = Object.freeze({ kind: "scalar", text: "", plain: true });

const SPACE = 32;
const DOUBLE_QUOTE = 34;
const HASH = 35;
const SINGLE_QUOTE = 39;
const DASH = 45;
const COLON = 58;

const KEY_START = 1;
const KEY_PART = 2;
const INDICATOR = 4;
/** Needs a character behind it to begin a plain scalar. */
const CONDITIONAL = 8;
const classes: Uint8Array = classify();

function classify(): Uint8Array {
  const table = new Uint8Array(128);
  const mark = (characters: string, bits: number): void => {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      table[code] = (table[code] ?? 0) | bits;
    }
  };
  const letters = "abcdefghijklmnopqrstuvwxyz";
  mark(`${letters}${letters.toUpperCase()}_`, KEY_START | KEY_PART);
  mark("0123456789-.", KEY_PART);
  mark("[]{},#&*!|>'\"%@`", INDICATOR);
  mark("-?:", CONDITIONAL);
  return table;
}

/** Moves over blank and comment lines to the next line with content. */
function seekContent(cursor: Cursor): void {
  const { text } = cursor;
  let { position, line } = cursor;
  while (position < text.length) {
    let end = text.indexOf("\n", position);
    if (end === -1) end = text.length;
    let first = position;
    while (first < end && text.charCodeAt(first) === SPACE) first++;
    if (first < end && text.charCodeAt(first) !== HASH) {
      cursor.position = position;
      cursor.line = line;
      cursor.indent = first - position;
      cursor.contentEnd = end;
      return;
    }
    position = end + 1;
    line++;
  }
  cursor.position = position;
  cursor.line = line;
  cursor.indent = END;
}

function nextLine(cursor: Cursor): void {
  cursor.position = cursor.contentEnd + 1;
  cursor.line++;
  seekContent(cursor);
}

function readMapping(cursor: Cursor, indent: number, depth: number): HeaderEntry[] | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { text } = cursor;
  const entries: HeaderEntry[] = [];
  while (cursor.indent === indent) {
    const start = cursor.position + indent;
    if (((classes[text.charCodeAt(start)] ?? 0) & KEY_START) === 0) return undefined;
    let colon = start + 1;
    while (((classes[text.charCodeAt(colon)] ?? 0) & KEY_PART) !== 0) colon++;
    if (text.charCodeAt(colon) !== COLON || colon - start > MAX_KEY) return undefined;
    const key = text.slice(start, colon);
    if (key === "__proto__" || entries.length === MAX_ENTRIES) return undefined;
    for (const earlier of entries) if (earlier.key === key) return undefined;

    let first = colon + 1;
    while (first < cursor.contentEnd && text.charCodeAt(first) === SPACE) first++;
    if (first === colon + 1 && first < cursor.contentEnd) return undefined;
    const { line } = cursor;
    const isInline = first < cursor.contentEnd;
    const column = (isInline ? first - cursor.position : indent) + 1;
    const value = isInline ? readInline(cursor, first, indent) : readNested(cursor, indent, depth);
    if (value === undefined) return undefined;
    entries.push({ key, value, line, column });
  }
  return cursor.indent > indent ? undefined : entries;
}

/** What stands on the lines below `key:`; leaves the cursor on the first line that is not part of it. */
function readNested(cursor: Cursor, indent: number, depth: number): HeaderValue | undefined {
  nextLine(cursor);
  if (cursor.indent < indent) return EMPTY;
  if (cursor.text.charCodeAt(cursor.position + cursor.indent) === DASH) return readList(cursor, cursor.indent, depth + 1);
  if (cursor.indent === indent) return EMPTY;
  const entries = readMapping(cursor, cursor.indent, depth + 1);
  return entries && { kind: "map", entries };
}

function readList(cursor: Cursor, indent: number, depth: number): HeaderList | undefined {
  const { text } = cursor;
  const items: HeaderValue[] = [];
  while (cursor.indent === indent && text.charCodeAt(cursor.position + indent) === DASH) {
    let first = cursor.position + indent + 1;
    if (text.charCodeAt(first) !== SPACE) return undefined;
    while (first < cursor.contentEnd && text.charCodeAt(first) === SPACE) first++;
    if (first === cursor.contentEnd) return undefined;
    const item = isKey(text, first, cursor.contentEnd) ? readItem(cursor, first, depth) : readInline(cursor, first, indent);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return cursor.indent > indent ? undefined : { kind: "list", items };
}

/** A mapping that begins behind the dash of its item. */
function readItem(cursor: Cursor, first: number, depth: number): HeaderMap | undefined {
  cursor.indent = first - cursor.position;
  const entries = readMapping(cursor, cursor.indent, depth + 1);
  return entries && { kind: "map", entries };
}

function isKey(text: string, first: number, end: number): boolean {
  const colon = text.indexOf(":", first);
  return colon !== -1 && colon < end && (colon + 1 === end || text.charCodeAt(colon + 1) === SPACE);
}

/** A value that begins on the line of its key or dash; leaves the cursor on the first line behind it. */
function readInline(cursor: Cursor, first: number, indent: number): HeaderValue | undefined {
  const { text } = cursor;
  const end = trimEnd(text, first, cursor.contentEnd);
  const character = text[first];
  if (character === "|" || character === ">") return readBlockScalar(cursor, first, end, indent);
  const value = character === "[" ? readFlowList(text, first, end) : readScalar(text, first, end);
  if (value === undefined) return undefined;
  const { contentEnd } = cursor;
  nextLine(cursor);
  if (cursor.indent <= indent) return value;
  return value.kind === "scalar" && value.plain ? readContinuation(cursor, value.text, contentEnd, indent) : undefined;
}

/** The further lines of a plain scalar, folded; `lastEnd` is where the line before ended. */
function readContinuation(cursor: Cursor, start: string, lastEnd: number, indent: number): HeaderScalar | undefined {
  const { text } = cursor;
  let value = start;
  while (cursor.indent > indent) {
    const first = cursor.position + cursor.indent;
    const line = readScalar(text, first, trimEnd(text, first, cursor.contentEnd));
    if (line?.plain !== true) return undefined;
    const between = text.slice(lastEnd, cursor.position);
    if (between.includes("#")) return undefined;
    value += between.length === 1 ? ` ${line.text}` : `${"\n".repeat(countLines(between) - 1)}${line.text}`;
    lastEnd = cursor.contentEnd;
    nextLine(cursor);
  }
  return { kind: "scalar", text: value, plain: true };
}

/** A scalar between two offsets, both on non-blank characters. */
function readScalar(text: string, first: number, end: number): HeaderScalar | undefined {
  const code = text.charCodeAt(first);
  if (code === DOUBLE_QUOTE) {
    const value = text.slice(first + 1, end - 1);
    if (end - first < 2 || text.charCodeAt(end - 1) !== DOUBLE_QUOTE || value.includes('"') || value.includes("\\")) return undefined;
    return { kind: "scalar", text: value, plain: false };
  }
  if (code === SINGLE_QUOTE) {
    const value = text.slice(first + 1, end - 1);
    if (end - first < 2 || text.charCodeAt(end - 1) !== SINGLE_QUOTE) return undefined;
    if (!value.includes("'")) return { kind: "scalar", text: value, plain: false };
    const unescaped = value.replaceAll("''", "\0");
    if (unescaped.includes("'") || value.includes("\0")) return undefined;
    return { kind: "scalar", text: unescaped.replaceAll("\0", "'"), plain: false };
  }
  const kind = classes[code] ?? 0;
  if ((kind & INDICATOR) !== 0) return undefined;
  if ((kind & CONDITIONAL) !== 0 && (end === first + 1 || text.charCodeAt(first + 1) === SPACE)) return undefined;
  if (text.charCodeAt(end - 1) === COLON) return undefined;
  const value = text.slice(first, end);
  if (value.includes(": ") || value.includes(" #")) return undefined;
  return { kind: "scalar", text: value, plain: true };
}

/** `[a, b, "c"]` on one line, of items without brackets, colons or escapes. */
function readFlowList(text: string, first: number, end: number): HeaderList | undefined {
  if (text.charCodeAt(end - 1) !== 93) return undefined;
  const source = text.slice(first, end);
  const inner = source.slice(1, -1);
  if (/[[\]{}:#\\]/.test(inner)) return undefined;
  if (trimSpaces(inner) === "") return { kind: "list", items: [], source };
  const items: HeaderScalar[] = [];
  for (const part of inner.split(",")) {
    const trimmed = trimSpaces(part);
    const code = trimmed.charCodeAt(0);
    if (trimmed === "" || ((classes[code] ?? 0) & CONDITIONAL) !== 0) return undefined;
    const item = readScalar(trimmed, 0, trimmed.length);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return { kind: "list", items, source };
}

/** `|` and `>` with their chomping signs; a folded one only while no line is indented further. */
function readBlockScalar(cursor: Cursor, first: number, end: number, parentIndent: number): HeaderScalar | undefined {
  const { text } = cursor;
  const folded = text[first] === ">";
  const strip = end - first === 2 && text.charCodeAt(first + 1) === DASH;
  if (end - first > 1 && !strip) return undefined;

  const lines: string[] = [];
  let indent = 0;
  let position = cursor.contentEnd + 1;
  let line = cursor.line + 1;
  while (position < text.length) {
    let lineEnd = text.indexOf("\n", position);
    if (lineEnd === -1) lineEnd = text.length;
    let content = position;
    while (content < lineEnd && text.charCodeAt(content) === SPACE) content++;
    if (content === lineEnd) {
      // Spaces beyond the depth are content, and before it is known they may be.
      if (content - position > indent) return undefined;
      lines.push("");
    } else {
      const spaces = content - position;
      if (spaces <= parentIndent) break;
      if (indent === 0) indent = spaces;
      if (spaces < indent) return undefined;
      if (folded && (spaces > indent || text.charCodeAt(lineEnd - 1) === SPACE)) return undefined;
      lines.push(text.slice(position + indent, lineEnd));
    }
    position = lineEnd + 1;
    line++;
  }
  if (indent === 0) return undefined;
  cursor.position = position;
  cursor.line = line;
  seekContent(cursor);
  while (lines.at(-1) === "") lines.pop();
  const value = folded ? fold(lines) : lines.join("\n");
  return { kind: "scalar", text: strip ? value : `${value}\n`, plain: false };
}

/** Lines become words of one line; an empty line becomes a line break. */
function fold(lines: readonly string[]): string {
  let value = "";
  let breaks = 0;
  let started = false;
  for (const line of lines) {
    if (line === "") {
      breaks++;
      continue;
    }
    if (breaks > 0) value += "\n".repeat(breaks);
    else if (started) value += " ";
    value += line;
    breaks = 0;
    started = true;
  }
  return value;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Spaces alone: other blanks are text to YAML. */
function trimSpaces(text: string): string {
  let start = 0;
  while (text.charCodeAt(start) === SPACE) start++;
  return text.slice(start, trimEnd(text, start, text.length));
}

function trimEnd(text: string, start: number, end: number): number {
  while (end > start && text.charCodeAt(end - 1) === SPACE) end--;
  return end;
}
