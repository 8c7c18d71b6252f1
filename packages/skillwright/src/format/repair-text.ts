/**
 * The text that an author meant by a value that YAML refuses: the rest of the key's line and the lines below, folded.
 * Undefined where it cannot be text: a block scalar, an anchor, a tag before something quoted or bracketed.
 * `isSyntax` says whether YAML refuses it for its syntax alone; brackets that hold an alias or a tag are never text.
 */
export function plainTextOf(head: string, below: readonly string[], isSyntax: () => boolean): string | undefined {
  if (head === "" || head.startsWith("#") || /^[|>][-+1-9]*[ \t]*(?:#.*)?$/.test(head) || /^&\S/.test(head)) return undefined;
  if (head.startsWith("!") && !isWordTag(head)) return undefined;
  if (/^[[{]/.test(head) && !isSyntax()) return undefined;
  return unquote(foldLines([head, ...below]));
}

/** What in a value YAML stumbles over, as the end of a sentence that begins with its key. */
export function reasonOf(head: string): string {
  const first = head[0] ?? "";
  if (first === '"' || first === "'") return "has quotes inside quotes, or text behind them";
  if ("[]{}*&!@`%,|>-?".includes(first)) return `begins with \`${first}\``;
  return /:(?:\s|$)/.test(head) ? "holds a colon" : "goes on in lines";
}

/** `!important do it`: a word that only looks like a tag. A tag of YAML itself, or one before quotes or brackets, is a tag. */
function isWordTag(head: string): boolean {
  const rest = head.slice(1);
  return !/^[!<]/.test(rest) && !/^\S*\s+["'[{|>&*!]/.test(rest);
}

function foldLines(lines: readonly string[]): string {
  let text = "";
  let breaks = 0;
  for (const line of lines) {
    const trimmed = line.trim();
    if (trimmed === "") breaks++;
    else if (text === "") text = trimmed;
    else if (!trimmed.startsWith("#")) text += (breaks > 0 ? "\n".repeat(breaks) : " ") + trimmed;
    if (trimmed !== "") breaks = 0;
  }
  return text;
}

/** Takes away quotes that stand around the whole text; quotes around its first words are part of it. */
function unquote(text: string): string {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return text;
  const inner = text.slice(1);
  const next = inner.indexOf(quote);
  if (next === -1) return inner;
  if (text.length < 2 || text.at(-1) !== quote || closes(inner, next)) return text;
  const content = inner.slice(0, -1);
  return quote === '"' ? content.replace(/\\(["\\])/g, "$1") : content.replaceAll("''", "'");
}

/** Whether the quote at an offset ends a quotation before the end of the text. */
function closes(text: string, offset: number): boolean {
  return offset < text.length - 1 && /\S/.test(text[offset - 1] ?? " ") && /[\s,.;:)]/.test(text[offset + 1] ?? "");
}
