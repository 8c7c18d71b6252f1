/**
 * Words that say nothing about what a text is about: English function words, and what people wrap around a request.
 * A word here is left out of the index and of the query.
 */
const stopWords: ReadonlySet<string> = new Set(
  (
    "a about above after again against all also am an and any are aren as at be because been before being below between both but by " +
    "can cannot could couldn d did didn do does doesn doing don down during each either else etc ever every few for from further get " +
    "got had hadn has hasn have haven having he her here hers him his how i if in into is isn it its itself just let ll m may me might " +
    "more most must my myself neither no nor not now of off on once only or other our ours out over own please re s same shall she " +
    "should shouldn so some such t than that the their theirs them then there these they this those through to too under until up " +
    "upon us ve very via was wasn we were weren what when where whether which while who whom whose why will with within without won " +
    "would wouldn yes yet you your yours yourself"
  ).split(" "),
);

/** Whether a lower-case word is too common in English to search for. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

/**
 * Cuts the endings off an English word so that its forms meet: `reports`, `reported`, `reporting` and `report` are one term.
 * Light on purpose: it never looks behind the grammatical ending, and leaves short words and words with digits or other scripts alone.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return dropFinalE(dropVerbEnding(dropPlural(word)));
}

function dropPlural(word: string): string {
  if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function dropVerbEnding(word: string): string {
  const ending = /(?:ing|ed)$/.exec(word)?.[0];
  if (ending === undefined) return word;
  const root = word.slice(0, -ending.length);
  if (root.length < 3 || !/[aeiouy]/.test(root)) return word;
  if (root.endsWith("i")) return `${root.slice(0, -1)}y`;
  return /([bdfgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}

function dropFinalE(word: string): string {
  return word.length > 4 && word.endsWith("e") ? word.slice(0, -1) : word;
}
