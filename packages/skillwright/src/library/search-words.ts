import { isStopWord, stem } from "./search-stem.ts";
import { createWordTable } from "./search-word-table.ts";

/**
 * What becomes of a search term: the term, the word it came from in lower case, and how much of a word it stands for.
 * Neighbouring pairs of characters overlap, so each counts for less than a word.
 */
export type ResolveTerm<T> = (term: string, word: string, share: number) => T;

/** Splits a text into search terms, stops after `maxWords` words, and hands over what became of each term. */
export type TermReader<T> = (text: string, maxWords: number, onTerm: (resolved: T) => void) => void;

/** What a character pair counts beside a word of a script with spaces. */
const pairShare = 0.7;
/** This many characters of a script without spaces count as one word of a text. */
const charsPerWord = 3;
/** Anything longer is a hash, a key or an encoded file. */
const maxWordChars = 40;
/** A text is cut where its words would be this long on average, so a huge one costs no more than the words that count. */
const charsRead = 12;

const wordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const unspaced =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Bopomofo}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\u30fc\u3005";
const unspacedPattern = new RegExp(`[${unspaced}]`, "u");
const runPattern = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, "gu");
const wordStart = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/**
 * Creates a reader: word stems for scripts with spaces, overlapping pairs of characters for scripts without.
 * Words that say nothing count only in a text that has no others. A reader resolves each word once and remembers it,
 * so use one for many texts and then drop it.
 */
export function createTermReader<T>(resolve: ResolveTerm<T>): TermReader<T> {
  /** `null` for a word that says nothing. */
  const known = createWordTable<T | null>();

  function resolveWord(written: string): T | null {
    const word = fold(written);
    return written.length > maxWordChars || isStopWord(word) ? null : resolve(stem(word), word, 1);
  }

  return (text, maxWords, onTerm) => {
    const start = text.slice(0, maxWords * charsRead);
    let left = maxWords;
    let silent = true;
    const take = (resolved: T | null): void => {
      left--;
      if (resolved === null) return;
      silent = false;
      onTerm(resolved);
    };

    function readAsciiWord(from: number, to: number, hash: number): void {
      let resolved = known.get(start, from, to, hash);
      if (resolved === undefined) {
        // A slice would keep the whole text in memory as long as the reader; the slice of a copy does not.
        const word = ` ${start.slice(from, to)}`.slice(1);
        resolved = resolveWord(word);
        known.set(word, hash, resolved);
      }
      take(resolved);
    }

    function readOtherWords(run: string): void {
      for (const word of run.normalize("NFKC").match(wordPattern) ?? []) {
        for (const part of unspacedPattern.test(word) ? (word.match(runPattern) ?? []) : [word]) {
          if (left <= 0) return;
          if (!unspacedPattern.test(part)) take(resolveWord(part));
          else {
            silent = false;
            left -= eachPair(part, Math.ceil(left * charsPerWord), resolve, onTerm) / charsPerWord;
          }
        }
      }
    }

    for (let at = 0; at < start.length && left > 0; at++) {
      const from = at;
      let hash = 0;
      let ascii = true;
      for (let code = start.charCodeAt(at); isAsciiWordCode(code) || code > 127; code = start.charCodeAt(++at)) {
        hash = known.grow(hash, code);
        if (code > 127) ascii = false;
      }
      if (at === from) continue;
      if (ascii) readAsciiWord(from, at, hash);
      else readOtherWords(start.slice(from, at));
    }
    if (silent) for (const word of (start.match(wordPattern) ?? []).map(fold)) if (isStopWord(word)) onTerm(resolve(word, word, 1));
  };
}

/** Whether a character is an ASCII letter or digit. */
function isAsciiWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** The parts of a name written in camel case, `csvReport` as `csv Report`; `undefined` when it is one word. */
export function splitCamelCase(name: string): string | undefined {
  const parts = name.split(wordStart);
  return parts.length > 1 ? parts.join(" ") : undefined;
}

/** Resolves each pair of neighbours, or a lone character by itself; answers how many characters it read. */
function eachPair<T>(run: string, maxChars: number, resolve: ResolveTerm<T>, onTerm: (resolved: T) => void): number {
  const chars = Array.from(run.slice(0, maxChars * 2)).slice(0, maxChars);
  const [first] = chars;
  if (chars.length === 1 && first !== undefined) onTerm(resolve(first, first, 1));
  for (let index = 1; index < chars.length; index++) {
    const pair = `${chars[index - 1]}${chars[index]}`;
    onTerm(resolve(pair, pair, pairShare));
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
