/** Counts the tokens of a text; a host may inject its own tokenizer. */
export type CountTokens = (text: string) => number;

/**
 * Estimates tokens without a tokenizer: words by their length, digits by threes, runs of marks, and a rate for each script.
 * Measured against o200k in `bench/tokens.ts`; the error (within 10 % on whole English and Chinese documents) is written down in
 * `docs/catalog.md`.
 */
export function estimateTokens(text: string): number {
  machine ??= buildMachine();
  const { classes, next, cost } = machine;
  let state = 0;
  let total = 0;
  for (let index = 0; index < text.length; index++) {
    state = next[state * classCount + (classes[text.charCodeAt(index)] ?? 0)] ?? 0;
    total += cost[state] ?? 0;
  }
  return Math.ceil(total / 1000);
}

/**
 * One step a code unit: the unit's class and the state so far give the next state, and entering a state costs thousandths of a token.
 * The costs are fitted to o200k, which cuts a text before each word, capital, third digit and run of marks.
 */
interface Machine {
  readonly classes: Uint8Array;
  readonly next: Uint8Array;
  readonly cost: Int32Array;
}

const space = 0;
const newline = 1;
const lower = 2;
const upper = 3;
const accented = 4;
const digit = 5;
const mark = 6;
const firstScript = 7;

/** Code units outside Latin, by block: from, up to, thousandths of a token each. */
const scripts: readonly (readonly [from: number, to: number, cost: number])[] = [
  [0x0000, 0x10000, 500],
  [0x0080, 0x00c0, 500],
  [0x0250, 0x1100, 420],
  [0x0370, 0x0530, 340],
  [0x3000, 0x3040, 690],
  [0x3040, 0x30a0, 850],
  [0x30a0, 0x3100, 730],
  [0x3400, 0xa000, 840],
  [0xac00, 0xd7b0, 800],
  [0xd800, 0xe000, 1000],
  [0xff00, 0xfff0, 690],
];
const classCount = firstScript + scripts.length;

/** Letters of a word that are told apart: the first carries the word, up to 4 are free, up to 16 cheap; what is longer is no word. */
const wordStates = 17;

let machine: Machine | undefined;

function buildMachine(): Machine {
  const classes = new Uint8Array(0x10000);
  for (const [index, [from, to]] of scripts.entries()) classes.fill(firstScript + index, from, to);
  classes.fill(mark, 0x21, 0x7f);
  classes.fill(space, 0, 0x21);
  for (const unit of [0x0a, 0x0d]) classes[unit] = newline;
  classes.fill(digit, 0x30, 0x3a);
  classes.fill(upper, 0x41, 0x5b);
  classes.fill(lower, 0x61, 0x7b);
  classes.fill(accented, 0xc0, 0x250);

  const cost: number[] = [];
  const state = (price: number): number => cost.push(price) - 1;
  const gap = [state(0), state(470), state(8)];
  const line = [state(550), state(0)];
  const digits = [state(1500), state(0), state(0)];
  const marks = [state(810), state(230)];
  const others = scripts.map(([, , price]) => state(price));
  const word = (extra: number, first: number) =>
    Array.from({ length: wordStates }, (_, at) => state(extra + (at === 0 ? first : at < 4 ? 0 : at < wordStates - 1 ? 70 : 350)));
  const lowers = word(0, 930);
  const uppers = word(140, 790);
  const accents = word(1200, 930);

  const next = new Uint8Array(cost.length * classCount);
  const go = (from: number, on: number, to: number | undefined): void => {
    next[from * classCount + on] = to ?? 0;
  };
  for (let from = 0; from < cost.length; from++) {
    go(from, space, gap[0]);
    go(from, newline, line[0]);
    go(from, lower, lowers[0]);
    go(from, upper, uppers[0]);
    go(from, accented, accents[0]);
    go(from, digit, digits[0]);
    go(from, mark, marks[0]);
    for (const [index, to] of others.entries()) go(from, firstScript + index, to);
  }
  for (const [at, from] of gap.entries()) go(from, space, gap[Math.min(at + 1, 2)]);
  for (const from of line) go(from, newline, line[1]);
  for (const [at, from] of digits.entries()) go(from, digit, digits[(at + 1) % 3]);
  for (const from of marks) go(from, mark, marks[1]);
  for (let at = 0; at < wordStates; at++) {
    const then = Math.min(at + 1, wordStates - 1);
    for (const run of [lowers, uppers, accents]) {
      go(run[at] ?? 0, lower, lowers[then]);
      go(run[at] ?? 0, accented, accents[then]);
    }
    go(uppers[at] ?? 0, upper, uppers[then]);
  }
  return { classes, next, cost: Int32Array.from(cost) };
}
