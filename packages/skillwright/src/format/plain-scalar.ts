import type { HeaderScalar } from "./header-value.ts";
import {
  COLON,
  CONDITIONAL,
  type Cursor,
  classOf,
  DASH,
  DOUBLE_QUOTE,
  INDICATOR,
  nextLine,
  SINGLE_QUOTE,
  SPACE,
  seekContent,
  trimEnd,
} from "./plain-cursor.ts";

/** A scalar on one line, between two offsets that are both on characters that are no spaces. */
export function readScalar(text: string, first: number, end: number): HeaderScalar | undefined {
  const code = text.charCodeAt(first);
  if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
    if (end - first < 2 || text.charCodeAt(end - 1) !== code) return undefined;
    const value = unquote(text.slice(first, end));
    return value === undefined ? undefined : { kind: "scalar", text: value, plain: false };
  }
  const kind = classOf(code);
  if ((kind & INDICATOR) !== 0) return undefined;
  if ((kind & CONDITIONAL) !== 0 && (end === first + 1 || text.charCodeAt(first + 1) === SPACE)) return undefined;
  if (text.charCodeAt(end - 1) === COLON) return undefined;
  const value = text.slice(first, end);
  if (value.includes(": ") || value.includes(" #")) return undefined;
  return { kind: "scalar", text: value, plain: true };
}

/** What stands between the quotes around a text, on one line. */
export function unquote(quoted: string): string | undefined {
  const inner = quoted.slice(1, -1);
  if (quoted.charCodeAt(0) === SINGLE_QUOTE) {
    if (!inner.includes("'")) return inner;
    return /^(?:[^']|'')*$/.test(inner) ? inner.replaceAll("''", "'") : undefined;
  }
  if (!inner.includes('"') && !inner.includes("\\")) return inner;
  try {
    // The escapes of JSON mean the same in YAML, which has others besides.
    return JSON.parse(quoted);
  } catch {
    return undefined;
  }
}

/** A quoted scalar that goes on over lines, folded; leaves the cursor on the first line behind it. */
export function readQuotedLines(cursor: Cursor, first: number, indent: number): HeaderScalar | undefined {
  const { text } = cursor;
  const quote = text[first] ?? "";
  let close = text.indexOf(quote, first + 1);
  while (quote === "'" && close !== -1 && text[close + 1] === "'") close = text.indexOf(quote, close + 2);
  if (close === -1) return undefined;
  const raw = text.slice(first + 1, close);
  if (quote === '"' && raw.includes("\\")) return undefined;
  let value = "";
  let breaks = 0;
  let position = first + 1;
  for (;;) {
    const lineEnd = text.indexOf("\n", position);
    const isLast = lineEnd === -1 || lineEnd > close;
    const isFirst = position === first + 1;
    let start = position;
    while (!isFirst && text.charCodeAt(start) === SPACE) start++;
    const end = isLast ? close : trimEnd(text, start, lineEnd);
    const isBlank = start === end && !isFirst;
    if (!isFirst && !(isBlank && !isLast) && start - position <= indent) return undefined;
    if (isBlank && !isLast) breaks++;
    else {
      if (!isFirst) value += breaks > 0 ? "\n".repeat(breaks) : " ";
      value += text.slice(start, end);
      breaks = 0;
    }
    if (isLast) break;
    position = lineEnd + 1;
    cursor.line++;
    cursor.position = position;
  }
  let end = text.indexOf("\n", close);
  if (end === -1) end = text.length;
  if (trimEnd(text, close + 1, end) !== close + 1) return undefined;
  cursor.contentEnd = end;
  nextLine(cursor);
  return { kind: "scalar", text: quote === "'" ? value.replaceAll("''", "'") : value, plain: false };
}

/** The further lines of a plain scalar, folded onto its first; `lastEnd` is where the line before ended. */
export function readContinuation(cursor: Cursor, start: string, lastEnd: number, indent: number): HeaderScalar | undefined {
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

/** `|` and `>` with their chomping signs; a folded one only while no line is indented further. */
export function readBlockScalar(cursor: Cursor, first: number, end: number, parentIndent: number): HeaderScalar | undefined {
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
