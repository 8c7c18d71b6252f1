import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { BoundCommand, Obstacle } from "./bind-command.ts";
import { type CommandChoice, chooseCommand } from "./choose-command.ts";
import { parseTemplate, plainText, quote } from "./command-template.ts";
import { type AnswerContext, composeFailure, composeGuidance, composeRefusal, composeReport } from "./compose-answer.ts";
import { type Conversation, type PastCall, readConversation } from "./conversation.ts";
import { extractCommands } from "./extract-commands.ts";
import { kindOfPath } from "./file-kinds.ts";
import { detectLanguage } from "./language.ts";
import { type RankedSkill, rankSkills } from "./rank.ts";
import { readCatalog } from "./read-catalog.ts";
import { type RunText, readRun } from "./read-run.ts";
import { documentsToRead, readSkill, type SkillText, standingSkills } from "./read-skill.ts";
import { openToolbox, type PlannedCall, type Toolbox, type ToolRole } from "./toolbox.ts";
import { wordsIn } from "./wording.ts";

/** What the planner does next: call tools, or answer. */
export type Plan = { readonly kind: "calls"; readonly calls: readonly PlannedCall[] } | { readonly kind: "answer"; readonly text: string };

/** Calls for one question at most; a load, documents, a run, a second try and reading an output are fewer. */
const maxCalls = 14;
const maxSkills = 2;
const maxDocuments = 3;
const maxRuns = 2;

/**
 * Plans the next step of a conversation from nothing but the prompt and the tools, so that equal prompts give equal plans:
 * find a skill, load it, read the documents it names, run its command on the person's files, report.
 */
export function planNext(prompt: LanguageModelV4Prompt, tools: readonly LanguageModelV4FunctionTool[]): Plan {
  const conversation = readConversation(prompt);
  const toolbox = openToolbox(tools);
  const language = detectLanguage(conversation.question);
  const words = wordsIn(language);
  const calls = conversation.calls.filter((call) => call.current);
  const say = (text: string): Plan => ({ kind: "answer", text: `${words.disclaimer}\n\n${text}` });
  if (calls.length >= maxCalls) return say(words.stopped);

  const finds = (role: ToolRole) => calls.filter((call) => toolbox.roleOf(call.toolName) === role);
  const found = [...finds("list"), ...finds("search")].map((call) => `Available skills:\n${call.answer?.text ?? ""}`);
  const catalog = readCatalog([...conversation.system, ...tools.map((tool) => tool.description ?? ""), ...found]);
  const paths = conversation.files.map((file) => file.path);
  const ranked = rankSkills(catalog, conversation.question, paths);
  const fitting = ranked.filter((skill) => skill.fits && skill.score >= 0.5 * (ranked[0]?.score ?? 0));
  // A skill whose text stands in the prompt though the catalogue leaves it out was started by the person.
  const started = standingSkills(conversation.system).filter((name) => !catalog.some((entry) => entry.name === name));
  const loads = [...started.map(startedByPerson), ...finds("load")];

  if (loads.length === 0) {
    const [best] = fitting;
    if (best !== undefined) return toolbox.load ? callTools([toolbox.load(best.name)]) : say(words.noLoadTool);
    if (catalog.length === 0 && toolbox.list && finds("list").length === 0) return callTools([toolbox.list()]);
    if (toolbox.search && finds("search").length === 0) return callTools([toolbox.search(conversation.question)]);
    return say(catalog.length === 0 ? words.noSkills : words.nothingFits(ranked.slice(0, 3).map((skill) => skill.name)));
  }

  let firstAnswer: Plan | undefined;
  for (const load of loads) {
    const name = loadedName(load);
    const context: AnswerContext = { language, question: conversation.question, skill: name, why: whyOf(ranked, name) };
    const next = useSkill({ context, conversation, toolbox, load });
    if (!("refusal" in next)) return next;
    firstAnswer ??= next.refusal;
  }
  const other = fitting.find((skill) => !loads.some((load) => loadedName(load) === skill.name));
  const mayTryAnother = conversation.files.length > 0 && loads.length < maxSkills && toolbox.load !== undefined;
  if (mayTryAnother && other !== undefined && toolbox.load) return callTools([toolbox.load(other.name)]);
  return firstAnswer ?? say(words.stopped);
}

/** A skill that needs no call to load it, as if it had been called for. */
function startedByPerson(name: string): PastCall {
  return { toolName: "", input: { name }, answer: { text: "", data: undefined, outcome: "ok" }, current: true };
}

interface Task {
  readonly context: AnswerContext;
  readonly conversation: Conversation;
  readonly toolbox: Toolbox;
  readonly load: PastCall;
}

/** One loaded skill: its next step, or a refusal that another skill may still turn into an answer. */
function useSkill(task: Task): Plan | { readonly refusal: Plan } {
  const { context, conversation, toolbox, load } = task;
  const words = wordsIn(context.language);
  const say = (text: string): Plan => ({ kind: "answer", text: `${words.disclaimer}\n\n${text}` });
  if (load.answer === undefined || load.answer.outcome !== "ok")
    return { refusal: say(words.loadFailed(context.skill, load.answer?.text ?? "")) };
  const skill = readSkill(context.skill, load, conversation);
  if (skill === undefined) return { refusal: say(words.loadFailed(context.skill, load.answer.text)) };

  const reading = readDocuments(skill, task);
  if (reading !== undefined) return callTools(reading);
  const choice = chooseFrom(skill, task);
  const line = choice.usable[0]?.line ?? choice.obstacles.find((obstacle) => obstacle.kind === "file")?.source.line;
  if (line !== undefined && toolbox.runCommand === undefined && toolbox.runScript === undefined)
    return say(words.noRunTool(context.skill, line));
  if (choice.usable.length === 0) return { refusal: { kind: "answer", text: refuse(context, skill, choice.obstacles) } };
  return runAndReport(task, choice);
}

function refuse(context: AnswerContext, skill: SkillText, obstacles: readonly Obstacle[]): string {
  // A command in a sentence may be an example of what to say; only one that lacks something is a command to run.
  const telling = obstacles.filter(({ kind, source }) => kind !== "not-for-this" && (source.form !== "inline" || kind !== "network"));
  return telling.length === 0 ? composeGuidance(context, skill) : composeRefusal(context, telling);
}

/** The calls that read the documents a skill names; undefined once that is done or where nothing can be read. */
function readDocuments(skill: SkillText, { conversation, toolbox }: Task): PlannedCall[] | undefined {
  const alreadyAsked = conversation.calls.some((call) => call.current && isReading(toolbox, call) && loadedName(call) === skill.name);
  if (alreadyAsked || toolbox.read === undefined) return undefined;
  const paths = documentsToRead(skill, maxDocuments);
  return paths.length === 0 ? undefined : toolbox.read(skill.name, paths);
}

function isReading(toolbox: Toolbox, call: PastCall): boolean {
  const role = toolbox.roleOf(call.toolName);
  return role === "read" || role === "select-documents";
}

function chooseFrom(skill: SkillText, { conversation, toolbox }: Task): CommandChoice {
  const documents = new Map(skill.documents);
  for (const call of conversation.calls) {
    if (!isReading(toolbox, call) || loadedName(call) !== skill.name || call.answer?.outcome !== "ok") continue;
    const path = Object.values(call.input).find((value) => typeof value === "string" && value !== skill.name);
    if (typeof path === "string")
      documents.set(path, typeof call.answer.data?.content === "string" ? call.answer.data.content : call.answer.text);
  }
  const commands = [...extractCommands(skill.body), ...[...documents].flatMap(([path, text]) => extractCommands(text, path))];
  const choice = chooseCommand(commands, {
    skill: skill.name,
    skillFiles: skill.files,
    files: conversation.files,
    question: conversation.question.replace(/^\/[\w-]+\s+/, ""),
  });
  const lines = new Set<string>();
  const usable = choice.usable.filter((command) => !lines.has(command.line) && lines.add(command.line));
  return { usable, obstacles: choice.obstacles };
}

function runAndReport(task: Task, choice: CommandChoice): Plan {
  const { context, conversation, toolbox } = task;
  const words = wordsIn(context.language);
  const runs = conversation.calls.filter((call) => call.current && isRun(toolbox, call));
  const tries = runs.filter((call) => !isRead(call));
  const last = tries.at(-1);
  const [best] = choice.usable;
  if (last === undefined) return best === undefined ? { kind: "answer", text: words.stopped } : runOne(task, best, best.line);

  const called = lineOf(last);
  const isCalled = ({ line: own }: BoundCommand) => own === called || own.endsWith(` ${called}`) || `python3${own.slice(6)}` === called;
  const command = choice.usable.find(isCalled) ?? best;
  const line = command?.line.endsWith(` ${called}`) ? command.line : called;
  if (last.answer === undefined || last.answer.outcome === "denied" || /^(?:Waiting for approval|等待批准)/.test(last.answer.text)) {
    return { kind: "answer", text: `${words.disclaimer}\n\n${words.denied(line, last.answer?.text ?? "")}` };
  }
  const run = readRun(last.answer);
  if (run.failed) {
    const again = tries.length < maxRuns ? secondTry(line, run, choice.usable) : undefined;
    return again === undefined
      ? { kind: "answer", text: composeFailure(context, line, run) }
      : runOne(task, again.command ?? command, again.line);
  }
  const contents = contentsOf(run, command, runs);
  const unread = (command?.outputs ?? []).filter((path) => !contents.has(path) && isTextFile(path));
  const reading = unread.length > 0 && runs.length === tries.length ? readOutputs(task, command, unread) : undefined;
  if (reading !== undefined) return callTools([reading]);
  return { kind: "answer", text: composeReport(context, line, run, command, contents) };
}

function runOne({ context, toolbox }: Task, command: BoundCommand | undefined, line: string): Plan {
  if (toolbox.runCommand) return callTools([toolbox.runCommand(context.skill, line)]);
  const argv = command === undefined ? undefined : argvOf(command);
  if (toolbox.runScript === undefined || command?.script === undefined || argv === undefined) {
    const words = wordsIn(context.language);
    return { kind: "answer", text: `${words.disclaimer}\n\n${words.noRunTool(context.skill, line)}` };
  }
  return callTools([toolbox.runScript(context.skill, command.script, argv)]);
}

/** The call that shows what output files hold: by `cat`, or by another run that writes to its own output. */
function readOutputs({ context, toolbox }: Task, command: BoundCommand | undefined, paths: readonly string[]): PlannedCall | undefined {
  if (toolbox.runCommand) return toolbox.runCommand(context.skill, `cat ${paths.map(quote).join(" ")}`);
  const argv = command === undefined ? undefined : argvOf(command);
  if (toolbox.runScript === undefined || command?.script === undefined || argv === undefined) return undefined;
  return toolbox.runScript(
    context.skill,
    command.script,
    argv.map((word) => (paths.includes(word) ? "/dev/stdout" : word)),
  );
}

/** The arguments of a plain script call; undefined for a line that only a shell can read. */
function argvOf(command: BoundCommand): string[] | undefined {
  const items = parseTemplate(command.line) ?? [];
  if (items.some((item) => item.kind !== "word") || command.line.includes("$")) return undefined;
  const words = items.flatMap((item) => (item.kind === "word" ? [plainText(item.parts)] : []));
  const script = words.findIndex((word) => word.replace(/^\.\//, "") === command.script);
  return script < 0 ? undefined : words.slice(script + 1);
}

/** Another attempt where the failure is about how the command was put: `python` that is called python3, or a wrong usage. */
function secondTry(
  line: string,
  run: RunText,
  usable: readonly BoundCommand[],
): { readonly line: string; readonly command?: BoundCommand } | undefined {
  if (run.exitCode === 127 && /^python\s/.test(line)) return { line: `python3${line.slice(6)}` };
  if (run.exitCode !== 2 || !/usage:/i.test(run.stderr + run.stdout)) return undefined;
  const other = usable.find((candidate) => candidate.line !== line);
  return other && { line: other.line, command: other };
}

/** What the output files hold, from the run's own report or from reading them afterwards. */
function contentsOf(run: RunText, command: BoundCommand | undefined, runs: readonly PastCall[]): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  const readings = runs.filter(isRead);
  for (const path of command?.outputs ?? []) {
    const written = run.files.find((file) => file.path === path || file.path.endsWith(`/${path}`))?.text;
    if (written !== undefined) contents.set(path, written);
  }
  const [reading] = readings;
  const left = (command?.outputs ?? []).filter((path) => !contents.has(path));
  if (reading?.answer?.outcome === "ok" && left.length > 0) {
    const shown = readRun(reading.answer);
    if (!shown.failed) contents.set(left.join(" "), shown.stdout);
  }
  return contents;
}

function isTextFile(path: string): boolean {
  return ["text", "table", "data", "code"].includes(kindOfPath(path));
}

function isRun(toolbox: Toolbox, call: PastCall): boolean {
  const role = toolbox.roleOf(call.toolName);
  return role === "run-command" || role === "run-script";
}

function isRead(call: PastCall): boolean {
  const line = lineOf(call);
  return (line.startsWith("cat ") && !line.includes("|")) || line.split(" ").includes("/dev/stdout");
}

/** The shell line of a run; of a script call, the line it stands for. */
function lineOf(call: PastCall): string {
  const { command, cmd } = call.input;
  if (typeof command === "string") return command;
  if (typeof cmd === "string") return cmd;
  const words = Object.entries(call.input).flatMap(([key, value]) =>
    Array.isArray(value) ? value.map(String) : /script|path/i.test(key) ? [String(value)] : [],
  );
  return words.map(quote).join(" ");
}

/** The skill that a call names: its argument called skill or name. */
function loadedName(call: PastCall): string {
  const key =
    Object.keys(call.input).find((name) => /^skill(?:_?name)?$/i.test(name)) ??
    Object.keys(call.input).find((name) => /^name$/i.test(name));
  const value = key === undefined ? undefined : call.input[key];
  return typeof value === "string" ? value : "";
}

function whyOf(ranked: readonly RankedSkill[], name: string): string {
  return ranked.find((skill) => skill.name === name)?.why ?? "";
}

function callTools(calls: readonly PlannedCall[]): Plan {
  return { kind: "calls", calls };
}
