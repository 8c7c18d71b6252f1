/** Words to values, found by where they stand in a text without cutting them out: most words of a text have been met before. */
export interface WordTable<T> {
  /** The hash of a word that ends in a character, from the hash of what stands before it; that of nothing is 0. */
  grow(hash: number, code: number): number;
  /** The value of the word from `start` to `end`; `undefined` when it was never set. */
  get(text: string, start: number, end: number, hash: number): T | undefined;
  set(word: string, hash: number, value: T): void;
}

/** Creates an empty table: open addressing, at most half full. */
export function createWordTable<T>(): WordTable<T> {
  // Nobody can write a text whose words all fall into one slot without knowing this number.
  const factor = 2 * Math.floor(Math.random() * 2 ** 30) + 1;
  let hashes = new Int32Array(1_024);
  let words: (string | undefined)[] = new Array(hashes.length).fill(undefined);
  let values: (T | undefined)[] = new Array(hashes.length).fill(undefined);
  let size = 0;

  /** The slot of the word, or the free slot where it belongs. */
  function slotOf(text: string, start: number, end: number, hash: number): number {
    const mask = hashes.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const word = words[slot];
      if (word === undefined || (hashes[slot] === hash && word.length === end - start && text.startsWith(word, start))) return slot;
      slot = (slot + 1) & mask;
    }
  }

  function put(word: string, hash: number, value: T | undefined): void {
    const slot = slotOf(word, 0, word.length, hash);
    if (words[slot] === undefined) size++;
    hashes[slot] = hash;
    words[slot] = word;
    values[slot] = value;
  }

  function enlarge(): void {
    const old = { hashes, words, values };
    hashes = new Int32Array(old.hashes.length * 4);
    words = new Array(hashes.length).fill(undefined);
    values = new Array(hashes.length).fill(undefined);
    size = 0;
    for (const [slot, word] of old.words.entries()) if (word !== undefined) put(word, old.hashes[slot] ?? 0, old.values[slot]);
  }

  return {
    grow: (hash, code) => Math.imul(hash, factor) ^ (code + 1),
    get: (text, start, end, hash) => values[slotOf(text, start, end, hash)],
    set(word, hash, value) {
      if (size * 2 >= hashes.length) enlarge();
      put(word, hash, value);
    },
  };
}
