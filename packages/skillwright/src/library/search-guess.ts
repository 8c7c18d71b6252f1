/** The terms of an index and how many skills hold each. */
export interface Dictionary {
  readonly numbers: ReadonlyMap<string, number>;
  documentsOf(term: number): number;
}

/** A part of a word taken for a word of its own has at least this many letters. */
const minPartChars = 3;
/** A shorter word is as likely another word as a slip. */
const minMisspeltChars = 4;

/**
 * What an unknown word may mean: the term one slip away, else the two known words it is written from (`csvreport`).
 * Of several the one that most skills hold; `[]` when there is none.
 */
export function guessTerms(term: string, dictionary: Dictionary): number[] {
  const misspelt = nearestTerm(term, dictionary);
  return misspelt === undefined ? splitTerm(term, dictionary) : [misspelt];
}

function nearestTerm(wanted: string, { numbers, documentsOf }: Dictionary): number | undefined {
  if (wanted.length < minMisspeltChars) return undefined;
  let best: { term: string; number: number; documents: number } | undefined;
  for (const [term, number] of numbers) {
    if (term[0] !== wanted[0] || !isOneSlipAway(wanted, term)) continue;
    const documents = documentsOf(number);
    if (documents === 0) continue;
    if (best === undefined || documents > best.documents || (documents === best.documents && term < best.term))
      best = { term, number, documents };
  }
  return best?.number;
}

/** Whether one letter was changed, left out, added, or swapped with its neighbour. */
function isOneSlipAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const rest = (text: string, skipped: number): string => text.slice(start + skipped);
  if (a.length > b.length) return rest(a, 1) === rest(b, 0);
  if (a.length < b.length) return rest(a, 0) === rest(b, 1);
  if (rest(a, 1) === rest(b, 1)) return true;
  return a[start] === b[start + 1] && a[start + 1] === b[start] && rest(a, 2) === rest(b, 2);
}

function splitTerm(term: string, { numbers, documentsOf }: Dictionary): number[] {
  let best: { parts: number[]; documents: number } | undefined;
  for (let at = minPartChars; at <= term.length - minPartChars; at++) {
    const parts = [numbers.get(term.slice(0, at)), numbers.get(term.slice(at))].filter((part) => part !== undefined);
    const documents = parts.length < 2 ? 0 : Math.min(...parts.map(documentsOf));
    if (documents > (best?.documents ?? 0)) best = { parts, documents };
  }
  return best?.parts ?? [];
}
