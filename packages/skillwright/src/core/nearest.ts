/** The names nearest to a misspelt one, best first: shared prefix, containment, then edit distance; at most `limit`. */
export function nearestNames(wanted: string, names: Iterable<string>, limit = 3): string[] {
  const target = fold(wanted);
  if (target === "") return [];
  const scored: { name: string; score: number }[] = [];
  for (const name of names) {
    const candidate = fold(name);
    const longest = Math.max(target.length, candidate.length);
    const contained = candidate.includes(target) || target.includes(candidate);
    const score = contained ? 0.3 * (1 - Math.min(target.length, candidate.length) / longest) : editDistance(target, candidate) / longest;
    if (score <= 0.5) scored.push({ name, score });
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, limit).map((entry) => entry.name);
}

function fold(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "-")
    .slice(0, 100);
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
