import { type Literal, plainText, quote, type Slot, type TemplateItem } from "./command-template.ts";
import { extensionOf, type FileKind, kindFits, kindOfPath, kindsInName } from "./file-kinds.ts";
import { interpreterFor, isInterpreterWord, isScriptPath, resolveScript } from "./script-path.ts";
import { isFilePath, isFolderPath, isOutputName, roleOfFlag, roleOfName, type SlotRole } from "./slot-role.ts";

/** A file of the person's, as a command names it. */
export interface GivenFile {
  readonly path: string;
  readonly kind: FileKind;
}

/** What a command can be filled with. */
export interface BindContext {
  readonly skill: string;
  /** Paths of the skill's files; undefined when the prompt does not list them. */
  readonly skillFiles: readonly string[] | undefined;
  readonly files: readonly GivenFile[];
  readonly question: string;
}

/** A template with everything in its place. */
export interface FilledTemplate {
  readonly line: string;
  /** The skill's script that it starts, if it starts one. */
  readonly script: string | undefined;
  readonly used: readonly string[];
  /** Files it is told to write, relative to the working directory. */
  readonly outputs: readonly string[];
  /** Whether a file stands in a place that names its kind. */
  readonly exactKind: boolean;
  readonly usesQuestion: boolean;
  /** Whether it reads the folder of inputs as a whole. */
  readonly wholeFolder: boolean;
  /** Values that an example chose and that were kept, and options that were given up. */
  readonly compromises: number;
  readonly network: boolean;
}

/** What stands in the way: the placeholder, option or script that has nothing to take its place. */
export interface Fault {
  readonly kind: "file" | "value" | "script";
  readonly name: string;
}

interface Draft {
  readonly context: BindContext;
  /** Whether some place outside brackets takes a file; only where none does is an optional one filled. */
  readonly takesFile: boolean;
  free: readonly GivenFile[];
  words: string[];
  /** Where the words of the current program begin. */
  segment: number;
  hasProgram: boolean;
  script: string | undefined;
  inScript: boolean;
  flag: string;
  redirect: SlotRole | "elsewhere" | undefined;
  /** Whether an optional argument was left away: those after it would move into its place. */
  skipsArguments: boolean;
  inputs: number;
  /** The extension of the example's first input; another file of it is a second input, not an output. */
  inputExtension: string;
  used: string[];
  outputs: string[];
  exactKind: boolean;
  usesQuestion: boolean;
  wholeFolder: boolean;
  compromises: number;
  network: boolean;
}

type Part = Literal | Slot;
type Word = Extract<TemplateItem, { kind: "word" }>;

const networkPrograms = new Set(
  "curl wget gh aws az gcloud vercel netlify ssh scp rsync npx bunx uvx docker kubectl adb claude codex eas stripe heroku".split(" "),
);

/** Puts the person's files and question into a template, or answers what is missing. */
export function fillTemplate(items: readonly TemplateItem[], context: BindContext): FilledTemplate | { readonly fault: Fault } {
  const draft: Draft = {
    context,
    takesFile: items.some((item) => item.kind === "word" && takesFile(item.parts)),
    free: context.files,
    words: [],
    segment: 0,
    hasProgram: false,
    script: undefined,
    inScript: false,
    flag: "",
    redirect: undefined,
    skipsArguments: false,
    inputs: 0,
    inputExtension: "",
    used: [],
    outputs: [],
    exactKind: false,
    usesQuestion: false,
    wholeFolder: false,
    compromises: 0,
    network: false,
  };
  const fault = fillItems(draft, items);
  if (fault !== undefined) return { fault };
  const { words, script, used, outputs, exactKind, usesQuestion, wholeFolder, compromises, network } = draft;
  return { line: words.join(" "), script, used, outputs, exactKind, usesQuestion, wholeFolder, compromises, network };
}

function takesFile(parts: readonly Part[]): boolean {
  const [first] = parts;
  if (parts.length === 1 && first?.kind === "slot") return roleOfName(first.name) === "input";
  const text = plainText(parts).replace(/^--[\w-]+=/, "");
  return isFilePath(text) && !isScriptPath(text) && !isOutputName(text);
}

function fillItems(draft: Draft, items: readonly TemplateItem[]): Fault | undefined {
  for (const item of items) {
    if (item.kind === "operator") {
      startSegment(draft, item.text);
      continue;
    }
    if (item.kind === "optional") {
      fillOptional(draft, item.items);
      continue;
    }
    const fault = fillWord(draft, item.parts);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function startSegment(draft: Draft, operator: string): void {
  draft.words.push(operator);
  draft.flag = "";
  if (/^(?:&?>{1,2}|2>{1,2}|<|2>&1)$/.test(operator)) {
    draft.redirect = operator === "<" ? "input" : operator === "2>&1" ? undefined : operator.startsWith("2") ? "elsewhere" : "output";
    return;
  }
  draft.segment = draft.words.length;
  draft.hasProgram = false;
  draft.inScript = false;
}

/** Fills an optional part only where it takes a file, or the question, that nothing else takes; else it is left away. */
function fillOptional(draft: Draft, items: readonly TemplateItem[]): void {
  const [first] = items;
  const isOption = first?.kind === "word" && plainText(first.parts).startsWith("-");
  if ((draft.takesFile && draft.context.files.length <= 1) || (draft.skipsArguments && !isOption)) return;
  const attempt: Draft = { ...draft, words: [...draft.words], used: [...draft.used], outputs: [...draft.outputs] };
  const fault = fillItems(attempt, namedItems(items));
  const takesQuestion = attempt.usesQuestion && !draft.usesQuestion && draft.context.files.length === 0;
  if (fault === undefined && (attempt.used.length > draft.used.length || takesQuestion)) Object.assign(draft, attempt);
  else if (!isOption) draft.skipsArguments = true;
}

/** `[file]` and `[your query]` are placeholders in brackets; `[--lang <language>]` is a part with an option. */
function namedItems(items: readonly TemplateItem[]): readonly TemplateItem[] {
  const bare = items.map((item) =>
    item.kind === "word" && item.parts.length === 1 && item.parts[0]?.kind === "literal" ? item.parts[0].text : undefined,
  );
  if (!bare.every((text) => text !== undefined && /^[\p{L}][\p{L}\p{N}_-]*$/u.test(text))) return items;
  return [{ kind: "word", parts: [{ kind: "slot", name: bare.join(" "), choices: [], many: false }] }];
}

function fillWord(draft: Draft, parts: Word["parts"]): Fault | undefined {
  const text = plainText(parts);
  if (!draft.inScript && !(draft.hasProgram && draft.redirect !== undefined)) {
    const started = startProgram(draft, parts, text);
    if (started !== "argument") return started;
  }
  const assigned = /^(--[\w-]+)=(.+)$/s.exec(text);
  if (assigned !== null) return fillAssigned(draft, parts, assigned[1] ?? "", assigned[2] ?? "");
  if (text.startsWith("-") && parts.every((part) => part.kind === "literal")) {
    draft.words.push(text);
    draft.flag = text;
    draft.compromises += 0.5;
    return undefined;
  }
  const place = draft.redirect === "elsewhere" || text.startsWith("/dev/") ? "keep" : placeOf(draft, parts, text);
  const values = place === "keep" ? [parts.map((part) => (part.kind === "literal" ? part.text : "")).join("")] : valuesFor(draft, place);
  const fault = place === "keep" || values !== undefined ? undefined : giveUp(draft, place);
  if (values !== undefined) draft.words.push(...values);
  // The value that an example chose for its own data rarely fits the person's.
  if (place === "keep" && draft.flag !== "") draft.compromises += 1.5;
  draft.flag = "";
  draft.redirect = undefined;
  return fault;
}

/** Reads the words up to the program or script; "argument" for words after it. */
function startProgram(draft: Draft, parts: readonly Part[], text: string): Fault | undefined | "argument" {
  const before = draft.words.slice(draft.segment).filter((word) => !/^\w+=/.test(word));
  const onlyInterpreters = before.every(isInterpreterWord);
  if (onlyInterpreters || draft.script === undefined) {
    const script = resolveScript(text, draft.context.skillFiles, draft.context.skill);
    if (script !== undefined && onlyInterpreters) {
      const interpreter = interpreterFor(script);
      draft.words.splice(
        draft.words.length - before.length,
        before.length,
        ...(interpreter === undefined ? [quote(`./${script}`)] : [interpreter, quote(script)]),
      );
      draft.script = script;
      draft.hasProgram = true;
      draft.inScript = true;
      draft.network = false;
      return undefined;
    }
    if (isScriptPath(text) && onlyInterpreters) return { kind: "script", name: text.replace(/<[^>]*>\/?/g, "") };
  }
  if (
    draft.hasProgram &&
    !(onlyInterpreters && /^[\w@./-]+$/.test(text) && before.length > 0 && /^(?:run|exec|env|npx|uvx|uv)$/.test(before.at(-1) ?? ""))
  )
    return "argument";
  const hole = parts.find((part) => part.kind === "slot");
  if (hole?.kind === "slot") {
    const interpreter = /python|node|bash/i.exec(hole.name)?.[0].toLowerCase();
    if (interpreter === undefined) return { kind: "value", name: hole.name };
    draft.words.push(interpreter === "python" ? "python3" : interpreter);
    draft.hasProgram = true;
    return undefined;
  }
  draft.words.push(parts.map((part) => (part.kind === "literal" ? part.text : "")).join(""));
  if (/^\w+=/.test(text)) return undefined;
  draft.hasProgram = true;
  if (networkPrograms.has(text)) draft.network = true;
  return undefined;
}

/** `--lang=<language>`: filled as a whole or left away as a whole. */
function fillAssigned(draft: Draft, parts: readonly Part[], flag: string, value: string): undefined {
  const holes = parts.filter((part) => part.kind === "slot");
  if (holes.length === 0 && !isFilePath(value)) {
    draft.words.push(parts.map((part) => (part.kind === "literal" ? part.text : "")).join(""));
    draft.compromises++;
    return undefined;
  }
  draft.flag = flag;
  const [hole] = holes;
  const place = hole !== undefined && value === `<${hole.name}>` ? placeOfSlot(draft, hole) : placeOfPath(draft, value);
  const values = place === "keep" ? [value] : valuesFor(draft, place);
  draft.flag = "";
  if (values === undefined) draft.compromises += 2;
  else draft.words.push(`${flag}=${values.join(" ")}`);
  return undefined;
}

/** A place that something of the person's can fill. */
interface Place {
  readonly role: SlotRole;
  readonly name: string;
  readonly kinds: readonly FileKind[];
  readonly choices: readonly string[];
  readonly many: boolean;
  /** The path that stands there in an example. */
  readonly path?: string;
}

function placeOf(draft: Draft, parts: readonly Part[], text: string): Place | "keep" {
  const [first] = parts;
  if (parts.length === 1 && first?.kind === "slot") return placeOfSlot(draft, first);
  const path = text.replace(/<([^<>]*)>/g, (_, name: string) => name.replace(/\W+/g, "-"));
  const isOwnKind =
    draft.inScript && draft.flag === "" && /^[\w./-]*[A-Za-z_-][\w-]*\.(?!com$|org$|net$|io$|dev$|ai$|app$)[a-z]{2,5}$/.test(path);
  if (isFilePath(path) || isOwnKind || isFolderPath(path) || /^[^\s]*\*\.\w+$/.test(path)) return placeOfPath(draft, path);
  if (/^https?:\/\//.test(text) || (draft.words[draft.segment] === "git" && /^(?:clone|fetch|pull|push)$/.test(text))) draft.network = true;
  const hole = parts.find((part) => part.kind === "slot");
  if (hole?.kind === "slot") return { ...placeOfSlot(draft, hole), role: "value", choices: [] };
  const [literal] = parts;
  const pattern = draft.flag === "" ? /^["'](?![[{]).*(?:\s|\p{sc=Han}{2}).*["']$/su : /^["'].*["']$/s;
  const isQuotedText = literal?.kind === "literal" && pattern.test(literal.text);
  if (!draft.inScript || !isQuotedText) return draft.redirect === "output" ? placeOfPath(draft, path) : "keep";
  const role = draft.flag === "" ? "text" : roleOfFlag(draft.flag);
  return { role: role === "text" ? "text" : "value", name: draft.flag === "" ? text : draft.flag, kinds: [], choices: [], many: false };
}

function placeOfSlot(draft: Draft, slot: Slot): Place {
  const byName = roleOfName(slot.name);
  const byFlag = draft.flag === "" ? undefined : roleOfFlag(draft.flag);
  let role = draft.redirect === "input" || draft.redirect === "output" ? draft.redirect : byName;
  if (slot.choices.length > 0) role = "value";
  else if (byFlag === "output" && (byName === "input" || byName === "text")) role = "output";
  else if (byFlag === "output-folder" || (byFlag === "output" && byName === "input-folder")) role = "output-folder";
  else if (byFlag === "value" && byName === "input" && draft.takesFile && draft.inputs > 0) role = "value";
  else if (byFlag !== undefined && byName === "value" && !/format|lang|type|mode/i.test(slot.name)) role = byFlag;
  return { role, name: slot.name, kinds: [...kindsInName(slot.name), ...kindsInName(draft.flag)], choices: slot.choices, many: slot.many };
}

function placeOfPath(draft: Draft, path: string): Place | "keep" {
  const { skillFiles } = draft.context;
  const clean = path.replace(/^(?:\.\/|\{\w+\}\/|\$\w+\/)/, "");
  const isSample = /sample|example|demo/i.test(path);
  const ownFile = skillFiles?.some((file) => file === clean || (clean.endsWith("/") && file.startsWith(clean))) === true;
  if (ownFile && !isSample) return "keep";
  const byFlag = draft.flag === "" ? undefined : roleOfFlag(draft.flag);
  const kinds = kindOfPath(path) === "other" ? [] : [kindOfPath(path)];
  const place = { name: path, kinds, choices: [], many: path.includes("*"), path };
  if (draft.redirect === "input" || draft.redirect === "output") return { ...place, role: draft.redirect };
  if (extensionOf(path) === "" && isFolderPath(path)) {
    const writes = byFlag === "output" || byFlag === "output-folder" || (byFlag === undefined && draft.inputs > 0);
    return { ...place, role: writes ? "output-folder" : "input-folder" };
  }
  if (byFlag === "output" || byFlag === "output-folder") return { ...place, role: "output" };
  if (byFlag === "value" && draft.inputs > 0) return { ...place, role: "value" };
  const noneFits = !draft.free.some((file) => kindFits(file.kind, kinds) !== "no");
  const differs = extensionOf(path) !== draft.inputExtension;
  if (draft.inputs > 0 && byFlag !== "input" && (isOutputName(path) || (noneFits && differs))) return { ...place, role: "output" };
  return { ...place, role: "input" };
}

/** The shell words for a place; undefined when there is nothing for it. */
function valuesFor(draft: Draft, place: Place): string[] | undefined {
  const { context } = draft;
  switch (place.role) {
    case "input":
      if (context.files.length === 0 && /^arguments$/i.test(place.name)) return valuesFor(draft, { ...place, role: "text" });
      return takeFiles(draft, place);
    case "output":
      return [quote(nameOutput(draft, place))];
    case "input-folder":
      if (context.files.length === 0) return undefined;
      draft.used.push(...draft.free.map((file) => file.path));
      draft.free = [];
      draft.inputs++;
      draft.wholeFolder = true;
      return ["inputs"];
    case "output-folder":
      return ['"$OUTPUT_DIR"'];
    case "skill-folder":
      return ["."];
    case "text":
      draft.usesQuestion = true;
      return [quote(context.question)];
    case "url": {
      const link = /https?:\/\/[^\s<>"'，。）)]+/.exec(context.question)?.[0];
      if (link !== undefined) draft.network = true;
      return link === undefined ? undefined : [quote(link)];
    }
    case "number": {
      const digits = /\d+/.exec(context.question)?.[0];
      return digits === undefined ? undefined : [digits];
    }
    case "value": {
      const asked = context.question.toLowerCase();
      const chosen = place.choices.find((choice) => asked.includes(choice.toLowerCase())) ?? place.choices[0];
      if (chosen !== undefined) return [quote(chosen)];
      return /^skill[-_ ]?name$/i.test(place.name) ? [quote(context.skill)] : undefined;
    }
  }
}

function takeFiles(draft: Draft, place: Place): string[] | undefined {
  const exact = draft.free.filter((file) => place.kinds.length > 0 && kindFits(file.kind, place.kinds) === "exact");
  const possible = draft.free.filter((file) => kindFits(file.kind, place.kinds) === "possible");
  const taken = place.many ? [...exact, ...possible] : [...exact, ...possible].slice(0, 1);
  if (taken.length === 0) return undefined;
  if (exact.length > 0) draft.exactKind = true;
  draft.free = draft.free.filter((file) => !taken.includes(file));
  draft.used.push(...taken.map((file) => file.path));
  draft.inputs++;
  if (draft.inputExtension === "") draft.inputExtension = extensionOf(place.path ?? "");
  return taken.map((file) => quote(file.path));
}

/** A relative name for an output: the example's own without its folders, else `output.txt` or what the placeholder asks for. */
function nameOutput(draft: Draft, place: Place): string {
  const written = /<|^\$/.test(place.path ?? "<") ? undefined : place.path?.slice(place.path.lastIndexOf("/") + 1);
  const named = /(?:^|[^a-z])(pdf|json|md|csv|tsv|html|png|jpg|svg|docx|xlsx|pptx|xml|yaml|srt|mp3|wav|mp4|gif)(?:$|[^a-z])/.exec(
    place.name.toLowerCase(),
  )?.[1];
  const wanted = written || `output.${named ?? "txt"}`;
  const extension = extensionOf(wanted);
  let name = wanted;
  for (let count = 2; draft.outputs.includes(name); count++)
    name = `${wanted.slice(0, wanted.length - extension.length - 1)}-${count}.${extension}`;
  draft.outputs.push(name);
  return name;
}

/** Leaves an option away together with its missing value; without an option the command cannot be filled. */
function giveUp(draft: Draft, place: Place): Fault | undefined {
  const isFile = place.role === "input" || place.role === "input-folder";
  if (draft.flag !== "" && !(isFile && draft.inputs === 0)) {
    draft.words.pop();
    draft.compromises += 2;
    return undefined;
  }
  return { kind: isFile ? "file" : "value", name: place.path ?? place.name };
}
