import { isStopWord, stem } from "./search-stem.ts";

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

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
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
  const known = new Map<string, T | null>();

  function resolveWord(written: string): T | null {
    const word = fold(written);
    const resolved = written.length > maxWordChars || isStopWord(word) ? null : resolve(stem(word), word, 1);
    known.set(written, resolved);
    return resolved;
  }

  return (text, maxWords, onTerm) => {
    const start = text.slice(0, maxWords * charsRead).normalize("NFKC");
    let left = maxWords;
    let silent = true;
    const emit = (resolved: T): void => {
      silent = false;
      onTerm(resolved);
    };
    for (const written of start.match(wordPattern) ?? []) {
      if (left <= 0) return;
      const cached = known.get(written);
      const resolved = cached !== undefined || unspacedPattern.test(written) ? cached : resolveWord(written);
      if (resolved !== undefined) {
        left--;
        if (resolved !== null) emit(resolved);
        continue;
      }
      for (const run of written.match(runPattern) ?? []) {
        if (left <= 0) return;
        if (unspacedPattern.test(run)) {
          left -= eachPair(run, Math.ceil(left * charsPerWord), resolve, emit) / charsPerWord;
          continue;
        }
        left--;
        const part = resolveWord(run);
        if (part !== null) emit(part);
      }
    }
    if (silent)
      for (const written of start.match(wordPattern) ?? []) if (isStopWord(fold(written))) onTerm(resolve(fold(written), fold(written), 1));
  };
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
