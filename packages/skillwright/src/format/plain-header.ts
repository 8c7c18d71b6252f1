import type { HeaderEntry, HeaderList, HeaderMap, HeaderScalar, HeaderValue } from "./header-value.ts";
import { COLON, type Cursor, classOf, DASH, KEY_PART, KEY_START, nextLine, SPACE, seekContent, trimEnd } from "./plain-cursor.ts";
import { readFlow } from "./plain-flow.ts";
import { readBlockScalar, readContinuation, readQuotedLines, readScalar } from "./plain-scalar.ts";

/**
 * Reads the headers that nearly every skill has: `key: value` lines, quoted values, block scalars, lists, JSON, and nested mappings of
 * those. Answers undefined at the first thing outside that subset, and the caller asks the YAML library instead; where it does answer,
 * it answers what the library would, a hundred times faster.
 * `text` has `\n` line ends and ends in one; `firstLine` is its line in the file.
 */
export function readPlainHeader(text: string, firstLine: number): HeaderEntry[] | undefined {
  if (text.includes("\t") || text.includes("\r")) return undefined;
  const cursor: Cursor = { text, position: 0, line: firstLine, indent: 0, contentEnd: 0 };
  seekContent(cursor);
  return cursor.indent === 0 ? readMapping(cursor, 0, 0) : undefined;
}

const MAX_DEPTH = 8;
const MAX_ENTRIES = 64;
const MAX_KEY = 128;
const GREATER = 62;
const BAR = 124;
const EMPTY: HeaderScalar = Object.freeze({ kind: "scalar", text: "", plain: true });

function readMapping(cursor: Cursor, indent: number, depth: number): HeaderEntry[] | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { text } = cursor;
  const entries: HeaderEntry[] = [];
  while (cursor.indent === indent) {
    const start = cursor.position + indent;
    if ((classOf(text.charCodeAt(start)) & KEY_START) === 0) return undefined;
    let colon = start + 1;
    while ((classOf(text.charCodeAt(colon)) & KEY_PART) !== 0) colon++;
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
  const { text, contentEnd } = cursor;
  nextLine(cursor);
  if (cursor.indent < indent) return EMPTY;
  const first = cursor.position + cursor.indent;
  const code = text.charCodeAt(first);
  if (code === DASH) return readList(cursor, cursor.indent, depth + 1);
  if (cursor.indent === indent) return EMPTY;
  if (isKey(text, first, cursor.contentEnd)) {
    const entries = readMapping(cursor, cursor.indent, depth + 1);
    return entries && { kind: "map", entries };
  }
  // The library refuses some of these behind a comment.
  if (code === BAR || code === GREATER || text.slice(contentEnd, cursor.position).includes("#")) return undefined;
  return readInline(cursor, first, indent);
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
  const code = text.charCodeAt(first);
  if ((classOf(code) & KEY_START) === 0) return false;
  const line = text.slice(first, end);
  return line.includes(": ") || line.endsWith(":");
}

/** A value that begins on the line of its key or dash; leaves the cursor on the first line behind it. */
function readInline(cursor: Cursor, first: number, indent: number): HeaderValue | undefined {
  const { text } = cursor;
  const end = trimEnd(text, first, cursor.contentEnd);
  const character = text[first];
  if (character === "|" || character === ">") return readBlockScalar(cursor, first, end, indent);
  if (character === "[" || character === "{") return readFlow(cursor, first, indent);
  const value = readScalar(text, first, end);
  if (value === undefined) {
    return character === '"' || character === "'" ? readQuotedLines(cursor, first, indent) : undefined;
  }
  const { contentEnd } = cursor;
  nextLine(cursor);
  if (cursor.indent <= indent) return value;
  return value.kind === "scalar" && value.plain ? readContinuation(cursor, value.text, contentEnd, indent) : undefined;
}
