/** Where the frontmatter of a text lies, in offsets of what was searched; lines are 1-based. */
export interface Fences {
  readonly state: "found";
  /** Start and line of what stands behind the opening fence. */
  readonly start: number;
  readonly line: number;
  /** Start of the closing fence. */
  readonly end: number;
  /** Start and line of what stands behind the closing fence. */
  readonly bodyStart: number;
  readonly bodyLine: number;
  /** Blank lines that stood before the opening fence. */
  readonly blankLines: number;
  /** Whether more text behind what was searched could not change the answer. */
  readonly final: boolean;
}

/** Why there is no frontmatter, with the line to look at. */
export interface NoFences {
  readonly state: "missing" | "unclosed" | "language" | "too-large";
  readonly line: number;
  readonly final: boolean;
}

const TAB = 9;
const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const DASH = 45;

/**
 * Finds the two fences: lines of their own that hold `---` and blanks behind it, the first one before any text.
 * Longer runs of dashes and indented ones are never fences. Looks no further than `maxSize` units behind the opening fence.
 */
export function findFences(source: Uint8Array | string, maxSize: number): Fences | NoFences {
  let opening = skipByteOrderMark(source);
  let line = 1;
  for (let end = blankLineEnd(source, opening); end < source.length && end !== NOT_BLANK; end = blankLineEnd(source, opening)) {
    opening = end + 1;
    line++;
  }
  for (let at = opening; at < opening + 3; at++) {
    if (codeAt(source, at) === DASH) continue;
    // A blank line, a fence or a byte order mark may just be beginning.
    const final = at < source.length && source.length >= 3 && blankLineEnd(source, opening) === NOT_BLANK;
    return { state: "missing", line, final };
  }
  const openingEnd = blankLineEnd(source, opening + 3);
  if (openingEnd === NOT_BLANK) return { state: codeAt(source, opening + 3) === DASH ? "missing" : "language", line, final: true };

  const start = Math.min(openingEnd + 1, source.length);
  const limit = start + maxSize;
  const closing = typeof source === "string" ? closingInText(source, openingEnd, limit) : closingInBytes(source, start, limit);
  if (closing === undefined) {
    return source.length > limit ? { state: "too-large", line, final: true } : { state: "unclosed", line, final: false };
  }
  return {
    state: "found",
    start,
    line: line + 1,
    end: closing.start,
    bodyStart: Math.min(closing.end + 1, source.length),
    bodyLine: line + closing.lines + 2,
    blankLines: line - 1,
    final: closing.end < source.length,
  };
}

interface Closing {
  readonly start: number;
  readonly end: number;
  /** Lines between the fences. */
  readonly lines: number;
}

// Every header of a scan comes through here, so each kind of source has its own loop.
function closingInBytes(source: Uint8Array, start: number, limit: number): Closing | undefined {
  let lines = 0;
  for (let position = start; position < source.length && position <= limit; lines++) {
    if (source[position] === DASH && source[position + 1] === DASH && source[position + 2] === DASH) {
      const end = blankLineEnd(source, position + 3);
      if (end !== NOT_BLANK) return { start: position, end, lines };
    }
    const newline = source.indexOf(NEWLINE, position);
    if (newline === -1) return undefined;
    position = newline + 1;
  }
  return undefined;
}

function closingInText(source: string, openingEnd: number, limit: number): Closing | undefined {
  let newline = openingEnd;
  for (;;) {
    newline = source.indexOf("\n---", newline);
    if (newline === -1 || newline >= limit) return undefined;
    const end = blankLineEnd(source, newline + 4);
    if (end !== NOT_BLANK) return { start: newline + 1, end, lines: countNewlines(source, openingEnd + 1, newline + 1) };
    newline += 4;
  }
}

function countNewlines(source: string, start: number, end: number): number {
  let count = 0;
  for (let at = source.indexOf("\n", start); at !== -1 && at < end; at = source.indexOf("\n", at + 1)) count++;
  return count;
}

const NOT_BLANK = -1;

/** The end of the line if nothing but blanks stands from `position` on. */
function blankLineEnd(source: Uint8Array | string, position: number): number {
  for (let at = position; at < source.length; at++) {
    const code = codeAt(source, at);
    if (code === NEWLINE) return at;
    if (code !== SPACE && code !== TAB && code !== RETURN) return NOT_BLANK;
  }
  return source.length;
}

function codeAt(source: Uint8Array | string, index: number): number | undefined {
  return typeof source === "string" ? source.charCodeAt(index) : source[index];
}

function skipByteOrderMark(source: Uint8Array | string): number {
  if (typeof source === "string") return source.charCodeAt(0) === 0xfeff ? 1 : 0;
  return source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf ? 3 : 0;
}
