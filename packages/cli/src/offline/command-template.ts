/** A place in a documented command that the reader has to fill. */
export interface Slot {
  readonly kind: "slot";
  /** What the author called it, without its brackets: `input_image`. */
  readonly name: string;
  /** The values it may take, where the author listed them: `json|text`. */
  readonly choices: readonly string[];
  /** Whether it takes several values: `<files...>`. */
  readonly many: boolean;
}

/** Shell text that stays as it is, quotes included. */
export interface Literal {
  readonly kind: "literal";
  readonly text: string;
}

/** One item of a documented command. */
export type TemplateItem =
  | { readonly kind: "word"; readonly parts: readonly (Literal | Slot)[] }
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "optional"; readonly items: readonly TemplateItem[] };

/** Variables that every run of a skill has; all others are for the reader to fill. */
const knownVariables = new Set(
  "WORKSPACE_DIR SKILLS_DIR WORK_DIR INPUTS_DIR OUTPUT_DIR RUN_DIR SKILL_NAME SKILL_DIR HOME PWD PATH TMPDIR USER SHELL LANG".split(" "),
);
/** Words in capitals that stand for a value, unlike `GET` or `PDF`. */
const capitalSlot =
  /^(?:YOUR_)?[A-Z][A-Z0-9_]*(?:FILE|PATH|DIR|IMAGE|INPUT|OUTPUT|URL|NAME|QUERY|TEXT|KEY|TOKEN|ID|LANG|LANGUAGE|FORMAT)S?$|^(?:FILE|INPUT|OUTPUT|IMAGE|PATH|DIR|SOURCE|SRC|DEST|TARGET|QUERY|TEXT|URL|NAME|LANG|LANGUAGE|FORMAT|ARGUMENTS|OPTIONS|FILENAME|N|NUM)S?$/;
const operators = ["2>&1", "&>>", "&>", "2>>", "2>", "&&", "||", ">>", "|", ">", "<", ";", "&"];

/**
 * Reads a shell line as its author documented it: words, `<placeholders>`, `{placeholders}`, `$PLACEHOLDERS`, `[optional parts]`, operators.
 * Answers undefined for a line that no template can stand for: an open quote, a substitution, control flow, a here-document.
 */
export function parseTemplate(line: string): TemplateItem[] | undefined {
  const reader = { line, at: 0 };
  const items = readItems(reader, "");
  return items !== undefined && reader.at >= line.length ? items : undefined;
}

interface Reader {
  readonly line: string;
  at: number;
}

function readItems(reader: Reader, close: string): TemplateItem[] | undefined {
  const items: TemplateItem[] = [];
  for (;;) {
    while (/\s/.test(reader.line[reader.at] ?? "")) reader.at++;
    const rest = reader.line.slice(reader.at);
    if (rest === "") return close === "" ? items : undefined;
    if (close !== "" && rest.startsWith(close)) {
      reader.at += close.length;
      return items;
    }
    const dots = /^(?:\.{3}|…)(?=\s|\]|$)/.exec(rest)?.[0];
    if (dots !== undefined) {
      reader.at += dots.length;
      continue;
    }
    const item = readItem(reader, rest, close);
    if (item === undefined) return undefined;
    items.push(item);
  }
}

function readItem(reader: Reader, rest: string, close: string): TemplateItem | undefined {
  if (/^(?:<<|<\(|>\(|\(|\)|`|\$\()/.test(rest) || /^(?:\[\[?|!|\{|\}) /.test(rest)) return undefined;
  if (rest.startsWith("[")) {
    reader.at++;
    const items = readItems(reader, "]");
    reader.at += /^\.{3}/.exec(reader.line.slice(reader.at))?.[0].length ?? 0;
    return items && { kind: "optional", items };
  }
  if (angleSlot(rest) === undefined) {
    const operator = operators.find((text) => rest.startsWith(text) && !(close === "]" && text === "|"));
    if (operator !== undefined) {
      reader.at += operator.length;
      return { kind: "operator", text: operator };
    }
  }
  return readWord(reader, close);
}

function readWord(reader: Reader, close: string): TemplateItem | undefined {
  const parts: (Literal | Slot)[] = [];
  let text = "";
  const push = (part: Literal | Slot) => {
    if (text !== "") parts.push({ kind: "literal", text });
    text = "";
    parts.push(part);
  };
  for (;;) {
    const rest = reader.line.slice(reader.at);
    const char = rest[0];
    if (char === undefined || /\s/.test(char) || (close !== "" && char === close)) break;
    const placeholder = readPlaceholder(rest);
    if (placeholder !== undefined) {
      push(placeholder.slot);
      reader.at += placeholder.length;
      continue;
    }
    if (char === '"' || char === "'") {
      const quoted = readQuoted(rest, char);
      if (quoted === undefined) return undefined;
      for (const part of quoted.parts) {
        if (part.kind === "slot") push(part);
        else text += part.text;
      }
      reader.at += quoted.length;
      continue;
    }
    if (char === "`" || rest.startsWith("$(")) return undefined;
    // `json|text` is a choice of the author; `a | b` is a pipe.
    const isChoice = char === "|" && /[\w-]$/.test(text) && /^\|[\w-]/.test(rest);
    if (/[|;&<>()]/.test(char) && !isChoice) break;
    const taken = char === "\\" ? rest.slice(0, 2) : char;
    text += taken;
    reader.at += taken.length;
  }
  if (text !== "" || parts.length === 0) parts.push({ kind: "literal", text });
  if (text === "" && parts.length === 1 && parts[0]?.kind === "literal") return undefined;
  return { kind: "word", parts: wholeWordSlot(parts) ?? parts };
}

/** A bare word that stands for a value as a whole: `INPUT_FILE`, `en|ru`. */
function wholeWordSlot(parts: readonly (Literal | Slot)[]): Slot[] | undefined {
  const [only] = parts;
  if (parts.length !== 1 || only?.kind !== "literal") return undefined;
  if (capitalSlot.test(only.text) && only.text.length > 1) return [slot(only.text)];
  return /^[A-Za-z][\w-]*(?:\|[A-Za-z][\w-]*)+$/.test(only.text) ? [slot(only.text)] : undefined;
}

function readPlaceholder(rest: string): { slot: Slot; length: number } | undefined {
  const angle = angleSlot(rest);
  if (angle !== undefined) return { slot: slot(angle.slice(1, -1)), length: angle.length };
  const brace = /^\{\{?\s*[\p{L}_][\p{L}\p{N}_ .|-]*?\s*\}?\}/u.exec(rest)?.[0];
  if (brace !== undefined) return { slot: slot(brace.replace(/[{}]/g, "")), length: brace.length };
  const variable = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|([1-9@*]))/.exec(rest);
  if (variable === null) return undefined;
  const name = variable[1] ?? variable[2] ?? "input";
  return knownVariables.has(name) ? undefined : { slot: slot(name), length: variable[0].length };
}

function angleSlot(rest: string): string | undefined {
  return /^<[\p{L}_$][^<>\n"'`]{0,80}>/u.exec(rest)?.[0];
}

function readQuoted(rest: string, quote: string): { parts: (Literal | Slot)[]; length: number } | undefined {
  let end = 1;
  while (end < rest.length && rest[end] !== quote) end += rest[end] === "\\" && quote === '"' ? 2 : 1;
  if (end >= rest.length) return undefined;
  const length = end + 1;
  const inner = rest.slice(1, end);
  const bracketed = /^[[<{]([\p{L}_][\p{L}\p{N}_ '.,|-]*)[\]>}]$/u.exec(inner.trim());
  if (bracketed?.[1] !== undefined) return { parts: [slot(bracketed[1])], length };
  const parts: (Literal | Slot)[] = [];
  let text = "";
  for (let at = 0; at < inner.length; ) {
    const here = inner.slice(at);
    const found = here.startsWith("{") ? undefined : quote === '"' || here.startsWith("<") ? readPlaceholder(here) : undefined;
    if (quote === '"' && (here.startsWith("$(") || here.startsWith("`"))) return undefined;
    if (found === undefined) {
      text += inner[at];
      at++;
      continue;
    }
    if (text !== "") parts.push({ kind: "literal", text: `${quote}${text}${quote}` });
    text = "";
    parts.push(found.slot);
    at += found.length;
  }
  if (text !== "" || parts.length === 0) parts.push({ kind: "literal", text: `${quote}${text}${quote}` });
  return { parts, length };
}

function slot(raw: string): Slot {
  const many = /\.{3}|…/.test(raw);
  const name = raw.replace(/\.{3}|…/g, "").trim();
  const choices = /^[\w.-]+(?:\s*[|/]\s*[\w.-]+)+$/.test(name) && !/^\w+\/\w+$/.test(name) ? name.split(/\s*[|/]\s*/) : [];
  return { kind: "slot", name: name.replace(/:.*$/, "").replace(/\s*=.*$/, ""), choices, many: many || /^[@*]$/.test(raw) };
}

/** The text of a word as a shell would pass it on, slots shown as `<name>`. */
export function plainText(parts: readonly (Literal | Slot)[]): string {
  return parts.map((part) => (part.kind === "literal" ? unquote(part.text) : `<${part.name}>`)).join("");
}

/** The plain text of a literal: its value once a shell has taken the quotes off. */
export function unquote(text: string): string {
  return text.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
    (_, double: string | undefined, single: string | undefined, escaped: string | undefined) => {
      return double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? "";
    },
  );
}

/** A text as one word of a shell line; plain names stay bare. */
export function quote(text: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) && !text.startsWith("-") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
