import type { HeaderEntry, HeaderValue } from "./header-value.ts";
import {
  COLON,
  COMMA,
  CONDITIONAL,
  type Cursor,
  classOf,
  DOUBLE_QUOTE,
  FLOW,
  HASH,
  INDICATOR,
  nextLine,
  SINGLE_QUOTE,
  SPACE,
  trimEnd,
} from "./plain-cursor.ts";
import { unquote } from "./plain-scalar.ts";

const NEWLINE = 10;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_MAP = 123;
const CLOSE_MAP = 125;
const MAX_DEPTH = 8;
const MAX_ENTRIES = 64;
const MAX_KEY = 128;

/**
 * `[a, "b"]` and `{ "a": { b: [c] } }`, as JSON or nearly so, over as many lines as it takes; leaves the cursor on the first line
 * behind it. Comments, commas too many, pairs in lists, and scalars over several lines are left to the library.
 */
export function readFlow(cursor: Cursor, first: number, indent: number): HeaderValue | undefined {
  const flow: Flow = { text: cursor.text, at: first, indent, line: cursor.line, lineStart: cursor.position };
  const value = readCollection(flow, 0);
  if (value === undefined) return undefined;
  const { text } = flow;
  let end = text.indexOf("\n", flow.at);
  if (end === -1) end = text.length;
  if (trimEnd(text, flow.at, end) !== flow.at) return undefined;
  cursor.line = flow.line;
  cursor.position = flow.lineStart;
  cursor.contentEnd = end;
  nextLine(cursor);
  return cursor.indent > indent ? undefined : value;
}

interface Flow {
  readonly text: string;
  at: number;
  /** Every further line must be indented deeper. */
  readonly indent: number;
  line: number;
  lineStart: number;
}

function readCollection(flow: Flow, depth: number): HeaderValue | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { text } = flow;
  const start = flow.at;
  const isMap = text.charCodeAt(start) === OPEN_MAP;
  const close = isMap ? CLOSE_MAP : CLOSE_LIST;
  const entries: HeaderEntry[] = [];
  const items: HeaderValue[] = [];
  flow.at++;
  if (!skipBlanks(flow)) return undefined;
  while (text.charCodeAt(flow.at) !== close || entries.length + items.length > 0) {
    if (isMap) {
      const entry = readEntry(flow, depth);
      if (entry === undefined || entries.length === MAX_ENTRIES) return undefined;
      for (const earlier of entries) if (earlier.key === entry.key) return undefined;
      entries.push(entry);
    } else {
      const item = readValue(flow, depth);
      if (item === undefined) return undefined;
      items.push(item);
    }
    if (!skipBlanks(flow)) return undefined;
    const code = text.charCodeAt(flow.at);
    if (code === close) break;
    if (code !== COMMA) return undefined;
    flow.at++;
    if (!skipBlanks(flow)) return undefined;
  }
  flow.at++;
  const source = text.slice(start, flow.at);
  return isMap ? { kind: "map", entries, source } : { kind: "list", items, source };
}

function readEntry(flow: Flow, depth: number): HeaderEntry | undefined {
  const { text } = flow;
  const { line } = flow;
  const keyColumn = flow.at - flow.lineStart + 1;
  const quote = text.charCodeAt(flow.at);
  const isQuoted = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE;
  const key = readToken(flow);
  if (key === undefined || key === "__proto__" || key.length > MAX_KEY) return undefined;
  while (text.charCodeAt(flow.at) === SPACE) flow.at++;
  if (text.charCodeAt(flow.at) !== COLON) return undefined;
  flow.at++;
  const next = text.charCodeAt(flow.at);
  if (!isQuoted && next !== SPACE && next !== NEWLINE) return undefined;
  if (!skipBlanks(flow)) return undefined;
  const column = flow.line === line ? flow.at - flow.lineStart + 1 : keyColumn;
  const value = readValue(flow, depth);
  return value && { key, value, line, column };
}

function readValue(flow: Flow, depth: number): HeaderValue | undefined {
  const code = flow.text.charCodeAt(flow.at);
  if (code === OPEN_LIST || code === OPEN_MAP) return readCollection(flow, depth + 1);
  const plain = code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE;
  const text = readToken(flow);
  return text === undefined ? undefined : { kind: "scalar", text, plain };
}

/** A scalar on one line. */
function readToken(flow: Flow): string | undefined {
  const { text } = flow;
  const start = flow.at;
  const first = text.charCodeAt(start);
  if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) return readQuoted(flow, first);
  if (Number.isNaN(first) || first === NEWLINE || (classOf(first) & (INDICATOR | CONDITIONAL)) !== 0) return undefined;
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === HASH) return undefined;
    if (code === NEWLINE || (classOf(code) & FLOW) !== 0) break;
    if (code !== COLON) continue;
    const next = text.charCodeAt(at + 1);
    if (next === SPACE || next === NEWLINE) break;
    if ((classOf(next) & FLOW) !== 0 || Number.isNaN(next)) return undefined;
  }
  flow.at = at;
  return text.slice(start, trimEnd(text, start, at));
}

function readQuoted(flow: Flow, quote: number): string | undefined {
  const { text } = flow;
  const start = flow.at;
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) return undefined;
    if (code === 92 && quote === DOUBLE_QUOTE) at++;
    else if (code === quote) {
      if (quote === DOUBLE_QUOTE || text.charCodeAt(at + 1) !== quote) break;
      at++;
    }
  }
  if (at >= text.length) return undefined;
  flow.at = at + 1;
  return unquote(text.slice(start, flow.at));
}

/** Moves over spaces and line breaks; false where a line does not belong to the collection any more. */
function skipBlanks(flow: Flow): boolean {
  const { text } = flow;
  let { at } = flow;
  let broken = false;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) {
      flow.line++;
      flow.lineStart = at + 1;
      broken = true;
    } else if (code !== SPACE) break;
    at++;
  }
  flow.at = at;
  return at < text.length && (!broken || at - flow.lineStart > flow.indent);
}
