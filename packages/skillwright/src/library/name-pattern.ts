/**
 * Compiles globs over names into one test: `*` stands for any characters, `?` for one. Names compare in NFC.
 * Time is at most the product of the two lengths, whatever the pattern.
 */
export function compileNamePatterns(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set<string>();
  const globs: string[] = [];
  for (const pattern of patterns) {
    const text = pattern.normalize("NFC");
    if (/[*?]/.test(text)) globs.push(text);
    else exact.add(text);
  }
  return (name) => {
    const text = name.normalize("NFC");
    return exact.has(text) || globs.some((glob) => matches(glob, text));
  };
}

function matches(glob: string, name: string): boolean {
  let position = 0;
  let next = 0;
  // Where to go on after the last star should what follows it not fit: one character further.
  let star = -1;
  let retry = 0;
  while (next < name.length) {
    const wanted = glob[position];
    if (wanted === "*") {
      star = position++;
      retry = next;
    } else if (wanted === "?" || wanted === name[next]) {
      position++;
      next++;
    } else if (star >= 0) {
      position = star + 1;
      next = ++retry;
    } else {
      return false;
    }
  }
  while (glob[position] === "*") position++;
  return position === glob.length;
}
