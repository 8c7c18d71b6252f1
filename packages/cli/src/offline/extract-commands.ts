/** One command that a document shows. */
export interface DocumentedCommand {
  /** The shell line: prompt, comment and line continuations taken off. */
  readonly line: string;
  /** The heading above it, the sentence before it and its comment: what its author says it is for. */
  readonly about: string;
  /** Where it stood. */
  readonly form: "fence" | "indent" | "inline";
  /** The document it stands in: `SKILL.md` or a reference. */
  readonly document: string;
}

interface Block {
  readonly form: DocumentedCommand["form"];
  readonly shell: boolean;
  readonly lines: readonly string[];
  readonly about: string;
}

const shellLanguages = new Set(["bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "shellsession", "cmd", "command"]);
const plainLanguages = new Set(["", "text", "txt", "plain", "plaintext", "usage"]);
const interpreters = "python3?|py|bash|sh|zsh|node|deno|bun|ruby|perl|Rscript|php|uv|uvx|pipx|npx|tsx|awk|gawk|jq|make";
const programs = `${interpreters}|cat|sed|grep|sort|head|tail|wc|cut|tesseract|ffmpeg|ffprobe|convert|magick|pandoc|pdftotext|soffice|exiftool|sox|gs|qpdf|curl|wget|git|docker`;
const startsLikeProgram = new RegExp(`^(?:\\w+=\\S*\\s+)*(?:${programs})\\s+\\S`);
const startsLikeScript =
  /^(?:\w+=\S*\s+)*(?:~\/|\$\{?\w+\}?\/|\{\w+\}\/|[\w.-]+\/)*[\w.-]+\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl|R|php)(?=\s|$)/;
const controlFlow = /^(?:for|while|until|if|then|else|elif|fi|do|done|case|esac|function|\{|\}|\w+\s*\(\))(?:\s|;|$)/;
const maxBlocks = 400;
const maxCommands = 300;
/** A longer line is no command, and no pattern has to look through it. */
const maxLineLength = 2_000;

/**
 * Finds the commands in a Markdown document: in fenced and indented blocks, and in inline code that begins with a program or a script.
 * Never throws; a document without commands gives none.
 */
export function extractCommands(markdown: string, document = "SKILL.md"): DocumentedCommand[] {
  const found = new Map<string, DocumentedCommand>();
  for (const block of readBlocks(markdown).slice(0, maxBlocks)) {
    for (const { line, comment } of commandsOf(block)) {
      if (found.size >= maxCommands) break;
      const about = `${block.about} ${comment}`.trim();
      if (!found.has(line)) found.set(line, { line, about, form: block.form, document });
    }
  }
  return [...found.values()];
}

/** Cuts a document into the blocks that may hold commands, with what introduces each. */
function readBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let heading = "";
  let lead = "";
  let indented: string[] = [];
  let fence: { readonly mark: string; readonly language: string; readonly lines: string[] } | undefined;
  let afterBlank = true;
  const about = () => `${heading} ${lead}`.trim();
  const closeIndented = () => {
    if (indented.length > 0) blocks.push({ form: "indent", shell: false, lines: indented, about: about() });
    indented = [];
  };
  for (const line of markdown.split(/\r\n?|\n/).filter((text) => text.length <= maxLineLength)) {
    if (fence !== undefined) {
      if (isClosing(line, fence.mark)) {
        const { language, lines } = fence;
        if (shellLanguages.has(language) || plainLanguages.has(language))
          blocks.push({ form: "fence", shell: shellLanguages.has(language), lines, about: about() });
        fence = undefined;
      } else fence.lines.push(line);
      continue;
    }
    const opening = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})\s*\{?\.?([\w+-]*)[^`]*$/.exec(line);
    if (opening !== null) {
      closeIndented();
      fence = { mark: opening[1] ?? "```", language: (opening[2] ?? "").toLowerCase(), lines: [] };
      continue;
    }
    if (/^(?: {4,}|\t)\s*\S/.test(line) && (afterBlank || indented.length > 0)) {
      indented.push(line.trim());
      continue;
    }
    if (line.trim() === "") {
      afterBlank = true;
      continue;
    }
    closeIndented();
    afterBlank = false;
    const title = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    if (title !== undefined) heading = title;
    lead = title === undefined ? line.trim() : "";
    const spans = [...line.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map((match) => match[1] ?? "");
    if (spans.length > 0) blocks.push({ form: "inline", shell: false, lines: spans, about: about() });
  }
  closeIndented();
  // An open fence reaches to the end of the document.
  if (fence !== undefined && (shellLanguages.has(fence.language) || fence.language === "")) {
    blocks.push({ form: "fence", shell: fence.language !== "", lines: fence.lines, about: about() });
  }
  return blocks;
}

function isClosing(line: string, mark: string): boolean {
  const text = line.trim();
  return text.length >= mark.length && text === (mark[0] ?? "`").repeat(text.length);
}

function* commandsOf(block: Block): Generator<{ line: string; comment: string }> {
  const lines = withoutPrompts(block.lines);
  let comment = "";
  let depth = 0;
  let hereDocument = "";
  for (const raw of joinContinuations(lines)) {
    const text = raw.trim();
    if (hereDocument !== "") {
      if (text === hereDocument) hereDocument = "";
      continue;
    }
    hereDocument = /<<-?\s*["']?(\w+)["']?/.exec(text)?.[1] ?? "";
    if (hereDocument !== "") continue;
    if (/^(?:#|\/\/)/.test(text)) {
      comment = text.replace(/^[#/\s]+/, "");
      continue;
    }
    if (/^(?:for|while|until|if|case)\s/.test(text)) depth++;
    const closes = /(?:^|;\s*)(?:done|fi|esac)\s*(?:[|>;].*)?$/.test(text);
    if (depth > 0 || controlFlow.test(text)) {
      if (closes) depth = Math.max(0, depth - 1);
      continue;
    }
    const cut = cutComment(text.replace(/^usage:\s*/i, ""));
    if (isCommand(cut.line, block)) yield { line: cut.line, comment: `${comment} ${cut.comment}`.trim() };
    if (text === "") comment = "";
  }
}

/** Where some lines show a prompt, those are the commands and the rest is what they printed. */
function withoutPrompts(lines: readonly string[]): readonly string[] {
  const prompt = /^\s*(?:[\w.@~:/-]*[$%❯]|>>?)\s+(?=\S)/;
  const shown = lines.filter((line) => prompt.test(line) && /^\s*[\w.@~:/-]*[$❯]\s/.test(line));
  if (shown.length === 0) return lines;
  let continued = false;
  return lines.flatMap((line) => {
    const isPrompt = prompt.test(line);
    const kept = isPrompt || continued;
    continued = kept && /\\\s*$/.test(line);
    return kept ? [line.replace(prompt, "")] : /^\s*#/.test(line) ? [line] : [];
  });
}

function joinContinuations(lines: readonly string[]): string[] {
  const joined: string[] = [];
  let open = "";
  for (const line of lines) {
    const text = open === "" ? line : `${open} ${line.trim()}`;
    open = /(?:^|[^\\])\\\s*$/.test(text) ? text.replace(/\s*\\\s*$/, "") : "";
    if (open === "") joined.push(text);
  }
  if (open !== "") joined.push(open);
  return joined;
}

/** Cuts a comment off the end of a shell line; a `#` inside quotes or a word is none. */
function cutComment(text: string): { line: string; comment: string } {
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\" && quote !== "'") at++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if ((char === "#" || text.startsWith("→", at) || text.startsWith("← ", at)) && /\s/.test(text[at - 1] ?? " ")) {
      return { line: text.slice(0, at).trim(), comment: text.slice(at).replace(/^[#→←\s]+/, "") };
    }
  }
  return { line: text.trim(), comment: "" };
}

function isCommand(line: string, block: Block): boolean {
  if (line.length < 2 || line.length > maxLineLength) return false;
  if (startsLikeProgram.test(line))
    return block.form !== "inline" || !/^(?:make|cat|git|docker|curl|wget|convert|sort|head|cut|node|bun|deno)\s+\w+$/.test(line);
  if (startsLikeScript.test(line)) return block.form !== "inline" || /\s/.test(line);
  if (!block.shell) return false;
  // In a shell block a line is a command unless it looks like output or prose.
  return /^(?:\w+=\S*\s+)*[a-z0-9_.~$"/][\w.~$"{}/+-]*(?:\s|$)/.test(line) && !/^\/[\w-]+(?:\s|$)/.test(line) && !/^[\w ]+:\s/.test(line);
}
