import type { Conversation, PastCall } from "./conversation.ts";

/** A loaded skill as it stands in a conversation. */
export interface SkillText {
  readonly name: string;
  readonly body: string;
  /** Paths of its files; undefined when no list was shown. */
  readonly files: readonly string[] | undefined;
  /** Documents whose text is in the conversation. */
  readonly documents: ReadonlyMap<string, string>;
}

/**
 * Finds the text of a loaded skill: in the answer of the call that loaded it, in an earlier one, or in the system prompt.
 * Undefined when it stands nowhere.
 */
export function readSkill(name: string, loading: PastCall, conversation: Conversation): SkillText | undefined {
  const answers = conversation.calls.flatMap((call) => (call.answer?.outcome === "ok" ? [call.answer.text] : []));
  for (const source of [loading.answer?.text ?? "", ...answers.toReversed()]) {
    const found = markedContent(name, source) ?? loadedSection(name, source);
    // A session lists every file of a skill behind its text: without a list there are none.
    if (found !== undefined) return source.includes("digest=") && !cutShort.test(source) ? { ...found, files: found.files ?? [] } : found;
  }
  for (const source of conversation.system) {
    const found = markedContent(name, source) ?? loadedSection(name, source);
    if (found !== undefined) return found;
  }
  const { data, text = "" } = loading.answer ?? {};
  const instructions = [data?.instructions, data?.body, data?.content].find((value) => typeof value === "string");
  if (typeof instructions === "string") return { name, body: instructions, files: undefined, documents: new Map() };
  // A bare body is longer than a note such as `loaded: name`.
  return text.includes("\n") && data === undefined
    ? { name, body: withoutFrontmatter(text), files: undefined, documents: new Map() }
    : undefined;
}

/** Names of the skills whose text stands in the system prompt. */
export function standingSkills(system: readonly string[]): string[] {
  const text = system.join("\n");
  const marked = [...text.matchAll(/<skill_content[^>]*\bname="([^"]*)"/g)].map((match) => match[1] ?? "");
  const loaded = [...text.matchAll(/^\[Loaded\] (\S.*?)\s*$/gm)].map((match) => match[1] ?? "");
  return [...new Set([...marked, ...loaded])];
}

/** `<skill_content name="...">` with the body, then documents and the list of files. */
function markedContent(name: string, text: string): SkillText | undefined {
  const escaped = name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  const opening = new RegExp(`<skill_content[^>]*\\bname="${escapePattern(escaped)}"[^>]*>`).exec(text);
  if (opening === null) return undefined;
  const start = opening.index + opening[0].length;
  const end = text.indexOf("</skill_content>", start);
  const inner = end < 0 ? text.slice(start) : text.slice(start, end);
  const tail = end < 0 ? "" : (text.slice(end).split(/<skill_content\b/)[0] ?? "");
  const [body = "", resources = ""] = inner.split(/^<skill_resources>\n/m);
  const list = `${tail}\n${resources.replace(/^ +- /gm, "- ")}`;
  return { name, body: withoutFrontmatter(body), files: listedFiles(list), documents: documentsIn(tail) };
}

const cutShort = /^ *- (?:and \d+ more|另有 \d+ 个|… \d+)/m;

function listedFiles(text: string): string[] | undefined {
  // A list that was cut short says nothing about what is missing from it.
  if (cutShort.test(text)) return undefined;
  const withoutDocuments = text.replace(/<skill_document[\s\S]*?<\/skill_document>/g, "");
  const paths = [...withoutDocuments.matchAll(/^- ([^\s`(（][^\n(（]*?)\s?(?:[(（][^()（）\n]*[)）])?$/gm)].map((match) =>
    (match[1] ?? "").trim(),
  );
  return paths.length === 0 ? undefined : paths;
}

function documentsIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/<skill_document path="([^"]*)">\n([\s\S]*?)\n<\/skill_document>/g)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
}

/** `[Loaded] name`, the body, `[Doc] path` and the text of each chosen document, as one system prompt holds them. */
function loadedSection(name: string, text: string): SkillText | undefined {
  const opening = new RegExp(`^\\[Loaded\\] ${escapePattern(name)}\\s*$`, "m").exec(text);
  if (opening === null) return undefined;
  const rest = text.slice(opening.index + opening[0].length);
  const section = rest.split(/^\[Loaded\] /m)[0] ?? "";
  const [body = "", ...documents] = section.split(/^\[Doc\] /m);
  const read = documents.map((document): [string, string] => [
    document.split("\n", 1)[0]?.trim() ?? "",
    document.slice(document.indexOf("\n") + 1),
  ]);
  return { name, body: body.replace(/^Docs loaded: .*$/m, "").trim(), files: undefined, documents: new Map(read) };
}

function withoutFrontmatter(text: string): string {
  // The first line may be an indented command: only blank lines go.
  return text.replace(/^(?:[ \t]*\n)+/, "").replace(/^---\n[\s\S]*?\n---\n/, "");
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const asksToRead = /\b(?:read|see|consult|refer|follow|load|check|look|details?|documented|described)\b|参考|阅读|查看|参见|详见|读取|見/i;

/** The documents that a body tells its reader to read, in the order it names them; only those that exist where that is known. */
export function documentsToRead(skill: SkillText, limit: number): string[] {
  const wanted = new Map<string, boolean>();
  for (const line of skill.body.split("\n").filter((text) => text.length <= 2_000)) {
    for (const [path] of line.matchAll(/(?<![\w/:.])(?:[\w.-]+\/)*[\w.-]+\.(?:md|txt|rst)\b/gi)) {
      const known =
        skill.files === undefined ? path.includes("/") && path : skill.files.find((file) => file === path || file.endsWith(`/${path}`));
      if (!known || /^skill\.md$/i.test(known) || skill.documents.has(known)) continue;
      wanted.set(known, (wanted.get(known) ?? false) || asksToRead.test(line));
    }
  }
  return [...wanted].flatMap(([path, asked]) => (asked ? [path] : [])).slice(0, limit);
}
