/** More alternatives than this are taken literally. */
const maxAlternatives = 64;

/**
 * Turns a glob over slash-separated paths into a test: `*` and `?` stay within one name, `**` as a whole part crosses folders,
 * `{a,b}` chooses, everything else is literal. Its time grows with pattern times path, whatever the pattern: patterns come from models.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern.replace(/^\.\//, "")).map((alternative) => alternative.split("/"));
  return (path) => {
    const names = path.split("/");
    return alternatives.some((parts) => matchParts(parts, names));
  };
}

/** Which parts of the pattern are reached after each name: row by row, so that nothing is tried twice. */
function matchParts(parts: readonly string[], names: readonly string[]): boolean {
  let reached = skipStars(parts, new Set([0]));
  for (const name of names) {
    const next = new Set<number>();
    for (const index of reached) {
      const part = parts[index];
      if (part === undefined) continue;
      if (part === "**") next.add(index);
      else if (matchName(part, name)) next.add(index + 1);
    }
    reached = skipStars(parts, next);
  }
  return reached.has(parts.length);
}

/** A `**` also stands for no folder at all. */
function skipStars(parts: readonly string[], indexes: Set<number>): Set<number> {
  for (const index of indexes) if (parts[index] === "**") indexes.add(index + 1);
  return indexes;
}

function matchName(pattern: string, name: string): boolean {
  const [wanted, given] = [[...pattern], [...name]];
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (position < given.length) {
    if (wanted[at] === "*") [star, resume, at] = [at, position, at + 1];
    else if (at < wanted.length && (wanted[at] === "?" || wanted[at] === given[position])) [at, position] = [at + 1, position + 1];
    else if (star === -1) return false;
    else [at, resume, position] = [star + 1, resume + 1, resume + 1];
  }
  while (wanted[at] === "*") at++;
  return at === wanted.length;
}

function expandBraces(pattern: string): string[] {
  let expanded = [pattern];
  for (;;) {
    const next = expanded.flatMap((text) => {
      const braces = /\{([^{}]*,[^{}]*)\}/.exec(text);
      if (braces === null) return [text];
      const [whole, inner = ""] = braces;
      return inner.split(",").map((choice) => text.slice(0, braces.index) + choice + text.slice(braces.index + whole.length));
    });
    if (next.length > maxAlternatives || next.length === expanded.length) return expanded;
    expanded = next;
  }
}
