/** Counts the tokens of a text; a host may inject its own tokenizer. */
export type CountTokens = (text: string) => number;

/**
 * Estimates tokens without a tokenizer: about 4 UTF-16 units a token for Latin text, about 0.8 tokens a character for CJK.
 * Measured against o200k in `bench/tokens.ts`; the error is written down in `docs/catalog.md`.
 */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x2e80 && unit <= 0xffef && !(unit >= 0xd800 && unit <= 0xdfff)) wide++;
  }
  return Math.ceil((text.length - wide) / 4 + wide * 0.8);
}
