/** What becomes of words, remembered by where they stand in a text: most words of a text have been met before and need not be cut out. */
export interface WordTable<T> {
  /** What became of the word from `start` to `end`; it is made when the word is met for the first time. */
  find(text: string, start: number, end: number, make: (word: string) => T): T;
}

interface Word<T> {
  readonly word: string;
  readonly hash: number;
  readonly value: T;
}

/** Creates an empty table: open addressing, at most half full. */
export function createWordTable<T>(): WordTable<T> {
  // Without this number nobody can write a text whose words all fall into one slot.
  const factor = 2 * Math.floor(Math.random() * 2 ** 30) + 1;
  let slots: (Word<T> | undefined)[] = new Array(1_024).fill(undefined);
  let size = 0;

  function enlarge(): void {
    const words = slots;
    slots = new Array(words.length * 4).fill(undefined);
    const mask = slots.length - 1;
    for (const word of words) {
      if (word === undefined) continue;
      let slot = word.hash & mask;
      while (slots[slot] !== undefined) slot = (slot + 1) & mask;
      slots[slot] = word;
    }
  }

  return {
    find(text, start, end, make) {
      let hash = 0;
      for (let at = start; at < end; at++) hash = Math.imul(hash, factor) ^ (text.charCodeAt(at) + 1);
      hash ^= hash >>> 15;
      const mask = slots.length - 1;
      let slot = hash & mask;
      for (let known = slots[slot]; known !== undefined; known = slots[slot]) {
        if (known.hash === hash && standsAt(text, start, end, known.word)) return known.value;
        slot = (slot + 1) & mask;
      }
      // A slice would keep the whole text in memory as long as the table; the slice of a copy does not.
      const word = ` ${text.slice(start, end)}`.slice(1);
      const value = make(word);
      slots[slot] = { word, hash, value };
      if (++size * 2 > slots.length) enlarge();
      return value;
    },
  };
}

/** Compares without a call for each word: this runs for every word of every text. */
function standsAt(text: string, start: number, end: number, word: string): boolean {
  if (word.length !== end - start) return false;
  for (let at = 0; at < word.length; at++) if (text.charCodeAt(start + at) !== word.charCodeAt(at)) return false;
  return true;
}
