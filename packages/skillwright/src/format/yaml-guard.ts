import { Lexer } from "yaml";

/** What must not be in a header, by the first token that shows it. */
export type Refusal = "anchor" | "alias" | "tag" | "depth" | "size";

const MAX_TOKENS = 10_000;
const MAX_DEPTH = 24;
/** The lexer's sign that the next token is the text of a scalar. */
const SCALAR = "\u001f";
const SIGNS: ReadonlySet<string> = new Set([SCALAR, "\u0002", "\u0018"]);

/**
 * Finds anchors, aliases, tags, deep nesting and too many values from the tokens alone:
 * building the tree of a header made of brackets takes the library minutes.
 */
export function guardYaml(text: string): { readonly refusal: Refusal; readonly offset: number } | undefined {
  let offset = 0;
  let tokens = 0;
  let flow = 0;
  let marks = 0;
  let questions = 0;
  let column = 0;
  let isLineStart = true;
  let isScalar = false;
  const indents: number[] = [];
  for (const token of new Lexer().lex(text)) {
    if (++tokens > MAX_TOKENS) return { refusal: "size", offset };
    if (!isScalar && SIGNS.has(token)) {
      isScalar = token === SCALAR;
      continue;
    }
    const first = isScalar ? "" : token[0];
    if (first === "&") return { refusal: "anchor", offset };
    if (first === "*") return { refusal: "alias", offset };
    if (first === "!") return { refusal: "tag", offset };
    if (first === "\n") {
      column = 0;
      marks = 0;
      isLineStart = true;
    } else if (first === " ") {
      column += token.length;
    } else if (first !== "#") {
      if (first === "[" || first === "{") flow++;
      else if (first === "]" || first === "}") flow = Math.max(0, flow - 1);
      else if (token === "?") questions++;
      else if (flow === 0 && (token === "-" || token === ":")) marks++;
      if (isLineStart) {
        while ((indents.at(-1) ?? -1) >= column) indents.pop();
        indents.push(column);
        isLineStart = false;
      }
    }
    if (indents.length + flow + marks + questions > MAX_DEPTH) return { refusal: "depth", offset };
    offset += token.length;
    isScalar = false;
  }
  return undefined;
}
