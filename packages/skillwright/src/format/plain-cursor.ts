/** Where the plain reader stands in a header. */
export interface Cursor {
  readonly text: string;
  /** Start of the line that is read next. */
  position: number;
  line: number;
  /** Leading spaces of that line, or {@link END}. */
  indent: number;
  /** End of that line, its newline not included. */
  contentEnd: number;
}

/** The indent behind the last line. */
const END: number = -1;

export const SPACE: number = 32;
export const DOUBLE_QUOTE: number = 34;
export const HASH: number = 35;
export const SINGLE_QUOTE: number = 39;
export const COMMA: number = 44;
export const DASH: number = 45;
export const COLON: number = 58;

export const KEY_START: number = 1;
export const KEY_PART: number = 2;
/** Begins something other than a plain scalar. */
export const INDICATOR: number = 4;
/** Needs a character behind it to begin a plain scalar. */
export const CONDITIONAL: number = 8;
/** Ends a plain scalar between brackets. */
export const FLOW: number = 16;

const classes: Uint8Array = classify();

/** What a character may do, as a set of bits; 0 beyond ASCII. */
export function classOf(code: number): number {
  return classes[code] ?? 0;
}

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
  mark("[]{},", FLOW);
  return table;
}

/** Moves over blank and comment lines to the next line with content. */
export function seekContent(cursor: Cursor): void {
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

/** Moves to the next line with content. */
export function nextLine(cursor: Cursor): void {
  cursor.position = cursor.contentEnd + 1;
  cursor.line++;
  seekContent(cursor);
}

/** Where the text between two offsets ends without its spaces; other blanks are text to YAML. */
export function trimEnd(text: string, start: number, end: number): number {
  while (end > start && text.charCodeAt(end - 1) === SPACE) end--;
  return end;
}
