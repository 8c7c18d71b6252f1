/**
 * The width of a text in columns of about a quarter of a token each: Latin letters take one, other alphabets two, and ideographs, kana,
 * hangul and the halves of emoji four. It makes shortening fair between languages, at the price of one look at each character.
 */
export function columnsOf(text: string): number {
  let columns = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x250 && unit !== ellipsisUnit) columns += unit < 0x1100 ? 1 : 3;
  }
  return columns;
}

/** No code unit takes more columns. */
export const maxColumnsPerUnit = 4;

/** A folded text cut to a number of columns between two graphemes, `…` included; the text itself where it fits. */
export function shorten(text: string, columns: number): string {
  if (text.length * maxColumnsPerUnit <= columns) return text;
  const end = unitsWithin(text, columns);
  if (end === text.length) return text;
  const kept = text.slice(0, graphemeStart(text, unitsWithin(text, columns - 1))).trimEnd();
  return kept === "" ? "" : `${kept}…`;
}

const ellipsisUnit = 0x2026;
const lookBack = 128;
const lookAhead = 64;
let segmenter: Intl.Segmenter | undefined;

function unitsWithin(text: string, columns: number): number {
  let left = columns;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    left -= unit < 0x250 || unit === ellipsisUnit ? 1 : unit < 0x1100 ? 2 : 4;
    if (left < 0) return index;
  }
  return text.length;
}

/** The last boundary between graphemes at or before an index; a segmenter sees the surroundings of the index alone. */
function graphemeStart(text: string, index: number): number {
  if (index <= 0) return 0;
  if (isPlain(text, index) && isPlain(text, index - 1)) return index;
  let from = index - 1;
  while (from > 0 && index - from < lookBack && !isPlain(text, from)) from--;
  if (isLowSurrogate(text, from)) from--;
  if (typeof Intl === "undefined" || Intl.Segmenter === undefined) return isLowSurrogate(text, index) ? index - 1 : index;
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  const around = segmenter.segment(text.slice(from, index + lookAhead));
  return from + (around.containing(index - from)?.index ?? 0);
}

function isPlain(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0x20 && unit < 0x7f;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
