/** Where the frontmatter of a text lies, in offsets of what was searched. */
export interface Fences {
  readonly state: "found";
  /** Start of the line behind the opening fence, and its 1-based line. */
  readonly start: number;
  readonly line: number;
  /** Start of the closing fence. */
  readonly end: number;
  /** Start of the line behind the closing fence, and its line. */
  readonly bodyStart: number;
  readonly bodyLine: number;
  /** Blank lines that stood before the opening fence. */
  readonly blankLines: number;
}

/** Why there is no frontmatter, with the line to look at. */
export interface NoFences {
  readonly state: "missing" | "unclosed" | "language" | "too-large";
  readonly line: number;
}

const NEWLINE = 10;
const RETURN = 13;
const DASH = 45;

/**
 * Finds the two fences: lines of their own that hold `---` and blanks behind it, the first one before any text.
 * Longer runs of dashes and indented ones are never fences. Reads no further than `maxBytes` behind the opening fence.
 */
export function findFences(source: Uint8Array | string, maxBytes: number): Fences | NoFences {
  const start = skipByteOrderMark(source);
  let position = start;
  let line = 1;
  for (;;) {
    const end = lineEnd(source, position);
    if (!isBlank(source, position, end)) break;
    if (end >= source.length) return { state: "missing", line: 1 };
    position = end + 1;
    line++;
  }
  const openingEnd = lineEnd(source, position);
  if (!startsWithDashes(source, position)) return { state: "missing", line };
  if (!isBlank(source, position + 3, openingEnd)) {
    return { state: codeAt(source, position + 3) === DASH ? "missing" : "language", line };
  }
  const blankLines = line - 1;
  const openingLine = line;
  const headerStart = openingEnd + 1;
  position = headerStart;
  while (position < source.length) {
    line++;
    if (position - headerStart > maxBytes) return { state: "too-large", line: openingLine };
    const end = lineEnd(source, position);
    if (startsWithDashes(source, position) && isBlank(source, position + 3, end)) {
      return {
        state: "found",
        start: headerStart,
        line: openingLine + 1,
        end: position,
        bodyStart: Math.min(end + 1, source.length),
        bodyLine: line + 1,
        blankLines,
      };
    }
    position = end + 1;
  }
  return { state: position - headerStart > maxBytes ? "too-large" : "unclosed", line: openingLine };
}

function codeAt(source: Uint8Array | string, index: number): number {
  return typeof source === "string" ? source.charCodeAt(index) : (source[index] ?? Number.NaN);
}

function lineEnd(source: Uint8Array | string, position: number): number {
  const end = typeof source === "string" ? source.indexOf("\n", position) : source.indexOf(NEWLINE, position);
  return end === -1 ? source.length : end;
}

function startsWithDashes(source: Uint8Array | string, position: number): boolean {
  return codeAt(source, position) === DASH && codeAt(source, position + 1) === DASH && codeAt(source, position + 2) === DASH;
}

function isBlank(source: Uint8Array | string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const code = codeAt(source, index);
    if (code !== 32 && code !== 9 && code !== RETURN) return false;
  }
  return true;
}

function skipByteOrderMark(source: Uint8Array | string): number {
  if (typeof source === "string") return source.charCodeAt(0) === 0xfeff ? 1 : 0;
  return source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf ? 3 : 0;
}
