import { isStopWord, stem } from "./search-stem.ts";

/** Takes one search term and the word it came from, as written but in lower case. */
export type OnTerm = (term: string, word: string) => void;

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts written without spaces between words. */
const unspaced = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\u30fc\u3005";
const unspacedPattern = new RegExp(`[${unspaced}]`, "u");
const runPattern = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, "gu");
const charsPerWord = 3;
const maxWordChars = 40;

/**
 * Splits a text into search terms: word stems for scripts with spaces, overlapping pairs of characters for scripts without.
 * Stops after `maxWords` words, where three characters of an unspaced script count as one.
 */
export function eachTerm(text: string, maxWords: number, onTerm: OnTerm): void {
  // A word is rarely longer than this, so a huge text costs no more than the words that count.
  const cut = text.slice(0, maxWords * maxWordChars).normalize("NFKC");
  let left = maxWords;
  for (const [word] of cut.matchAll(wordPattern)) {
    if (left <= 0) return;
    if (!unspacedPattern.test(word)) {
      left--;
      eachTermOfWord(word, onTerm);
      continue;
    }
    for (const [run] of word.matchAll(runPattern)) {
      if (unspacedPattern.test(run)) left -= eachPair(run, left * charsPerWord, onTerm) / charsPerWord;
      else {
        left--;
        eachTermOfWord(run, onTerm);
      }
    }
  }
}

function eachTermOfWord(written: string, onTerm: OnTerm): void {
  const word = fold(written);
  if (word.length > maxWordChars || isStopWord(word)) return;
  onTerm(stem(word), word);
}

/** Pairs of neighbours; a lone character stands for itself. Answers how many characters were read. */
function eachPair(run: string, maxChars: number, onTerm: OnTerm): number {
  const chars = Array.from(run).slice(0, Math.max(1, Math.ceil(maxChars)));
  const [first] = chars;
  if (chars.length === 1 && first !== undefined) onTerm(first, first);
  for (let index = 1; index < chars.length; index++) {
    const pair = `${chars[index - 1]}${chars[index]}`;
    onTerm(pair, pair);
  }
  return chars.length;
}

/** Lower case without the accents of Latin, Greek and Cyrillic letters. */
function fold(word: string): string {
  const lower = word.toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is "not ASCII"
  if (!/[^\x00-\x7f]/.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}
