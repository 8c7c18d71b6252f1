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
  const makeWord = (written: string): T | null => {
    const word = fold(written);
    return isStopWord(word) ? null : resolve(stem(word), word, 1);
  };
  const makePair = (pair: string): T => resolve(pair, pair, pairShare);
  const makeCharacter = (character: string): T => resolve(character, character, 1);

  return (text, maxWords, onTerm) => {
    const end = Math.min(text.length, maxWords * charsRead);
    let charsLeft = maxWords * charsPerWord;
    let silent = true;

    function emit(resolved: T | null): void {
      if (resolved === null) return;
      silent = false;
      onTerm(resolved);
    }

    function readWord(within: string, from: number, to: number): void {
      charsLeft -= charsPerWord;
      if (to - from <= maxWordChars) emit(known.find(within, from, to, makeWord));
    }

    function readPairs(run: string): void {
      let first = 0;
      let second = characterEnd(run, 0);
      charsLeft--;
      if (second === run.length) emit(known.find(run, 0, second, makeCharacter));
      while (second < run.length && charsLeft > 0) {
        const end = characterEnd(run, second);
        emit(known.find(run, first, end, makePair));
        charsLeft--;
        first = second;
        second = end;
      }
    }

    function readWordsOfAnyScript(run: string): void {
      for (const word of run.normalize("NFKC").match(wordPattern) ?? []) {
        for (const part of unspacedPattern.test(word) ? (word.match(runPattern) ?? []) : [word]) {
          if (charsLeft <= 0) return;
          if (unspacedPattern.test(part)) readPairs(part);
          else readWord(part, 0, part.length);
        }
      }
    }

    for (let at = 0; at < end && charsLeft > 0; at++) {
      const from = at;
      let ascii = true;
      for (; at < end; at++) {
        const code = text.charCodeAt(at);
        if (code > 127) ascii = false;
        else if (!isAsciiWordCode(code)) break;
      }
      if (at === from) continue;
      if (ascii) readWord(text, from, at);
      else readWordsOfAnyScript(text.slice(from, at));
    }
    if (!silent) return;
    for (const word of (text.slice(0, end).match(wordPattern) ?? []).map(fold)) if (isStopWord(word)) onTerm(resolve(word, word, 1));
  };
}

/** The parts of a name written in camel case, `csvReport` as `csv Report`; `undefined` when it is one word. */
export function splitCamelCase(name: string): string | undefined {
  const parts = name.split(wordStart);
  return parts.length > 1 ? parts.join(" ") : undefined;
}

/** Whether a character is an ASCII letter or digit. */
function isAsciiWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** Where the character that starts at a position ends: two units on for one beyond the first plane. */
function characterEnd(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
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
