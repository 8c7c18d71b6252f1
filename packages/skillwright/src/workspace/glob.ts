/**
 * Turns a glob over slash-separated paths into a test: `*` and `?` stay within one name, `**` crosses names, `{a,b}` chooses.
 * Everything else is literal; a pattern without a slash matches the name alone when `anywhere` is asked for.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const expression = new RegExp(`^${translate(pattern.replace(/^\.\//, ""))}$`, "u");
  return (path) => expression.test(path);
}

function translate(pattern: string): string {
  let source = "";
  let depth = 0;
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? "";
    if (pattern.startsWith("**/", index)) {
      source += "(?:[^/]+/)*";
      index += 2;
    } else if (pattern.startsWith("**", index)) {
      source += ".*";
      index += 1;
    } else if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (character === "{" && pattern.indexOf("}", index) !== -1) {
      source += "(?:";
      depth++;
    } else if (character === "}" && depth > 0) {
      source += ")";
      depth--;
    } else if (character === "," && depth > 0) source += "|";
    else source += /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
  }
  return source;
}
