/**
 * Folds a value to one visible line: every run of white space, line and control characters becomes one space, and characters that
 * show nothing (bidi controls, zero-width and tag characters, lone surrogates) are dropped, because a model reads what a person cannot
 * see. Joiners inside emoji and scripts that need them stay.
 */
export function foldLine(text: string): string {
  if (/^[!-~]+(?: [!-~]+)*$/.test(text)) return text;
  return dropInvisible(text)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** Escapes `&`, `<`, `>` and `"`, so that text from a skill can neither open nor close a tag of ours. */
export function escapeMarkup(text: string): string {
  if (!/[&<>"]/.test(text)) return text;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Escapes only a `<` that could open or close a tag: `a < b` stays as it is, `</skills>` becomes `&lt;/skills>`. */
export function escapeTags(text: string): string {
  return text.replace(/<(?=[a-zA-Z/!?])/g, "&lt;");
}

const invisible = /[\p{Default_Ignorable_Code_Point}\p{Surrogate}\ufff9-\ufffb]/gu;
const joins = /(?!\p{ASCII}|\p{Default_Ignorable_Code_Point})(?:[\p{L}\p{M}]|\p{Emoji_Modifier}|\p{Extended_Pictographic}\ufe0f?)$/u;
const joined = /^(?!\p{ASCII}|\p{Default_Ignorable_Code_Point})(?:[\p{L}\p{M}]|\p{Extended_Pictographic})/u;
const pictured = /(?:\p{Extended_Pictographic}|[0-9#*])$/u;

function dropInvisible(text: string): string {
  if (!/[^ -~]/.test(text)) return text;
  return text.replace(invisible, (character, offset: number) => {
    const before = text.slice(Math.max(0, offset - 4), offset);
    if (character === "\u200c" || character === "\u200d") {
      return joins.test(before) && joined.test(text.slice(offset + 1, offset + 3)) ? character : "";
    }
    if (character === "\ufe0e" || character === "\ufe0f") return pictured.test(before) ? character : "";
    return "";
  });
}
