import { isStopWord, stem } from "./search-stem.ts";

/**
 * Takes one search term, the word it came from in lower case, and how much of a word it stands for:
 * neighbouring pairs of characters overlap, so each counts for less than a word.
 */
export type OnTerm = (term: string, word: string, share: number) => void;

/** Splits a text into search terms and stops after `maxWords` words. */
export type TermReader = (text: string, maxWords: number, onTerm: OnTerm) => void;

/** What a character pair counts beside a word of a script with spaces. */
const pairShare = 0.7;
/** This many characters of a script without spaces count as one word of a text. */
const charsPerWord = 3;
/** Anything longer is a hash, a key or an encoded file. */
const maxWordChars = 40;

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
const unspaced =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Bopomofo}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\u30fc\u3005";
const unspacedPattern = new RegExp(`[${unspaced}]`, "u");
const runPattern = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, "gu");
const wordStart = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

interface Word {
  /** Absent for words that are not searched for. */
  readonly term: string | undefined;
  readonly word: string;
}

/**
 * Creates a reader: word stems for scripts with spaces, overlapping pairs of characters for scripts without.
 * A reader remembers the words it met, so use one for many texts and then drop it.
 */
export function createTermReader(): TermReader {
  const known = new Map<string, Word | undefined>();

  /** `undefined` when the word holds characters of a script without spaces. */
  function wordOf(written: string): Word | undefined {
    if (known.has(written)) return known.get(written);
    const word = unspacedPattern.test(written) ? undefined : readWord(written);
    known.set(written, word);
    return word;
  }

  return (text, maxWords, onTerm) => {
    let left = maxWords;
    const emit = ({ term, word }: Word): void => {
      left--;
      if (term !== undefined) onTerm(term, word, 1);
    };
    // Words are rarely longer, so a huge text costs no more than the words that count.
    for (const [written] of text
      .slice(0, maxWords * maxWordChars)
      .normalize("NFKC")
      .matchAll(wordPattern)) {
      if (left <= 0) return;
      const word = written.length > maxWordChars ? undefined : wordOf(written);
      if (word !== undefined) {
        emit(word);
        continue;
      }
      for (const [run] of written.matchAll(runPattern)) {
        if (left <= 0) return;
        if (unspacedPattern.test(run)) left -= eachPair(run, Math.ceil(left * charsPerWord), onTerm) / charsPerWord;
        else emit(readWord(run));
      }
    }
  };
}

/** The parts of a name written in camel case, `csvReport` as `csv Report`; `undefined` when it is one word. */
export function splitCamelCase(name: string): string | undefined {
  const parts = name.split(wordStart);
  return parts.length > 1 ? parts.join(" ") : undefined;
}

function readWord(written: string): Word {
  const word = fold(written);
  return { word, term: word.length > maxWordChars || isStopWord(word) ? undefined : stem(word) };
}

/** Emits each pair of neighbours, or a lone character by itself; answers how many characters it read. */
function eachPair(run: string, maxChars: number, onTerm: OnTerm): number {
  const chars = Array.from(run.slice(0, maxChars * 2)).slice(0, maxChars);
  const [first] = chars;
  if (chars.length === 1 && first !== undefined) onTerm(first, first, 1);
  for (let index = 1; index < chars.length; index++) {
    const pair = `${chars[index - 1]}${chars[index]}`;
    onTerm(pair, pair, pairShare);
  }
  return chars.length;
}

/** Lower case without the accents of Latin, Greek and Cyrillic letters. */
function fold(word: string): string {
  const lower = word.toLowerCase();
  if (/^[a-z0-9]*$/.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}
