import { digestOf, type JsonObject, nearestNames, normalizeRelativePath, SkillError } from "../core/index.ts";
import type { FaultOutcome, RunOutcome } from "../dialects/index.ts";
import type { LoadedSkill, SkillFile } from "../library/index.ts";
import type { InteractiveRun, RunReport, RunRequest, SkillToStage } from "../workspace/index.ts";
import type { Question } from "./approvals.ts";
import { readObject } from "./read-arguments.ts";
import { readHeld } from "./read-resource.ts";
import { fault, findSkill, notLoaded, type OperationCall, type SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";
import { type SkillToolSpec, argvOf as skillToolArgv } from "./skill-tools.ts";

/** A run that is ready: what must be asked about it, and how it is started. */
export interface RunPlan {
  readonly question: Question;
  readonly operation: RunOutcome["operation"];
  readonly skill?: string;
  readonly script?: string;
  readonly run: (request: RunRequest) => Promise<RunReport>;
  /** For commands that go on between calls. */
  readonly start?: (request: RunRequest & { readonly terminal?: boolean }) => Promise<InteractiveRun>;
}

/** A skill and what of it a run would stage. */
export interface RunTarget {
  readonly name: string;
  readonly files: readonly SkillFile[];
  readonly loaded: LoadedFact | undefined;
  readonly staged: SkillToStage;
}

/** Checks a run before anything starts: that the skill, the script and the arguments are there. */
export async function planRun(context: SessionContext, call: OperationCall): Promise<RunPlan | FaultOutcome> {
  if (context.workspace === undefined) return fault(context, "sandbox-unavailable", call.operation, { retryable: false });
  if (call.operation === "run-script") return planScript(context, call);
  return call.operation === "run-code" ? planCode(context, call) : planCommand(context, call);
}

async function planScript(context: SessionContext, call: OperationCall): Promise<RunPlan | FaultOutcome> {
  const target = await findTarget(context, String(call.args.skill ?? ""), call.signal);
  if ("kind" in target) return target;
  const wanted = String(call.args.script ?? "");
  const script = findScript(target, wanted);
  if (script === undefined) {
    const scripts = target.files.filter((file) => file.kind === "script").map((file) => file.path);
    return fault(context, "script-not-found", wanted, {
      skill: target.name,
      nearest: nearestNames(wanted, scripts),
      available: scripts.slice(0, 30),
    });
  }
  const argv = argvOf(call.args);
  if (typeof argv === "string") return fault(context, "arguments-invalid", "argv", { detail: argv, retryable: true });
  const content = await readHeld(context, target.name, target.loaded, script, call.signal);
  return {
    operation: "run-script",
    skill: target.name,
    script,
    question: {
      callId: call.callId,
      tool: call.tool,
      operation: "run-script",
      input: call.input,
      skill: target.name,
      subject: await digestOf(content.bytes),
      summary: `Run ${script} of skill "${target.name}" with ${argv.length === 0 ? "no arguments" : argv.map((word) => JSON.stringify(word)).join(" ")}`,
    },
    run: async (request) => workspaceOf(context).runScript({ ...request, skill: target.staged, script, argv }),
  };
}

async function planCommand(context: SessionContext, call: OperationCall): Promise<RunPlan | FaultOutcome> {
  const command = String(call.args.command ?? "");
  if (command.trim() === "") return fault(context, "arguments-invalid", "command", { detail: "The command is empty.", retryable: true });
  const refusal = context.options.commandPolicy?.(command);
  if (refusal !== undefined) return fault(context, "command-denied", command, { detail: refusal.denied, retryable: false });
  // Commands of a SKILL.md are written for its folder: without a name, the skill loaded last is meant.
  const wanted = call.args.skill === undefined ? context.facts.loaded.at(-1)?.name : String(call.args.skill);
  const target = wanted === undefined ? undefined : await findTarget(context, wanted, call.signal);
  if (target !== undefined && "kind" in target) return target;
  const staged = target === undefined ? {} : { skill: target.staged };
  return {
    operation: "run-command",
    ...(target === undefined ? {} : { skill: target.name }),
    question: {
      callId: call.callId,
      tool: call.tool,
      operation: call.operation,
      input: call.input,
      ...(target === undefined ? {} : { skill: target.name }),
      subject: JSON.stringify([command, target?.staged.key ?? ""]),
      summary: `Run \`${command}\`${target === undefined ? "" : ` for skill "${target.name}"`}`,
    },
    run: async (request) => workspaceOf(context).runCommand({ ...request, command, ...staged }),
    start: async (request) => workspaceOf(context).startCommand({ ...request, command, ...staged }),
  };
}

/** Checks a call of a tool that a skill brings: its command is the skill's, its words are the call's. */
export async function planSkillTool(
  context: SessionContext,
  spec: SkillToolSpec,
  input: unknown,
  callId: string,
): Promise<RunPlan | FaultOutcome> {
  const read = readObject(input);
  if (read === undefined) return fault(context, "arguments-invalid", spec.name, { detail: "Pass one JSON object.", retryable: true });
  const argv = skillToolArgv(spec, read);
  if ("missing" in argv) {
    return fault(context, "arguments-invalid", spec.name, {
      detail: `The argument "${argv.missing}" is required.`,
      missing: [argv.missing],
      retryable: true,
    });
  }
  const target = await findTarget(context, spec.skill);
  if ("kind" in target) return target;
  const command = argv.map(quote).join(" ");
  return {
    operation: "run-command",
    skill: spec.skill,
    question: {
      callId,
      tool: spec.name,
      operation: "skill",
      input: read,
      skill: spec.skill,
      subject: JSON.stringify([spec.argv, target.staged.key]),
      summary: `Run \`${command}\` for skill "${spec.skill}"`,
    },
    run: async (request) => workspaceOf(context).runCommand({ ...request, command, skill: target.staged }),
  };
}

/** Programs that run a text given on their command line, by language. */
const interpreters: Readonly<Record<string, (code: string) => string>> = {
  python: (code) => `python3 -c ${quote(code)}`,
  bash: (code) => `bash -c ${quote(code)}`,
  sh: (code) => `sh -c ${quote(code)}`,
  javascript: (code) => `node --input-type=module -e ${quote(code)}`,
};

async function planCode(context: SessionContext, call: OperationCall): Promise<RunPlan | FaultOutcome> {
  const language = String(call.args.language ?? "").toLowerCase();
  const code = String(call.args.code ?? "");
  const commandOf = Object.hasOwn(interpreters, language) ? interpreters[language] : undefined;
  if (commandOf === undefined) {
    return fault(context, "script-unsupported", language, {
      detail: `Known languages: ${Object.keys(interpreters).join(", ")}.`,
      retryable: true,
    });
  }
  return {
    operation: "run-code",
    question: {
      callId: call.callId,
      tool: call.tool,
      operation: "run-code",
      input: call.input,
      subject: JSON.stringify([language, code]),
      summary: `Run ${code.split("\n").length} lines of ${language}: ${code.trim().slice(0, 80)}`,
    },
    run: async (request) => workspaceOf(context).runCommand({ ...request, command: commandOf(code) }),
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function workspaceOf(context: SessionContext): NonNullable<SessionContext["workspace"]> {
  if (context.workspace === undefined)
    throw new SkillError("sandbox-unavailable", "This session has no sandbox.", { hint: "Pass `sandbox` to openSession()." });
  return context.workspace;
}

/** Finds a skill and what of it would be staged. */
async function findTarget(context: SessionContext, wanted: string, signal?: AbortSignal): Promise<RunTarget | FaultOutcome> {
  const found = findSkill(context, wanted);
  if ("kind" in found && !context.library.searchesElsewhere) return found;
  const { skill, loaded } = "kind" in found ? {} : found;
  const name = skill?.name ?? loaded?.name ?? wanted;
  let current: LoadedSkill | undefined;
  if (skill !== undefined || loaded === undefined) {
    try {
      current = await context.library.load(name, signal ? { signal } : {});
    } catch (error) {
      if ("kind" in found) return notLoaded(context, name, error);
      if (!SkillError.is(error, "skill-not-found") && !SkillError.is(error, "file-not-found")) throw error;
    }
  }
  const files = context.options.pin === "latest" || loaded === undefined ? (current?.files ?? loaded?.files) : loaded.files;
  if (files === undefined) return fault(context, "skill-removed", name, { retryable: false });
  return { name, loaded, files, staged: toStage(context, name, loaded, files) };
}

function toStage(context: SessionContext, name: string, loaded: LoadedFact | undefined, files: readonly SkillFile[]): SkillToStage {
  const body = { path: "SKILL.md", bytes: 0, mode: 0o644 };
  return {
    name,
    files: [body, ...files],
    key: [loaded?.digest ?? "", ...files.map((file) => `${file.path}\0${file.mode}\0${file.stamp}`)].join("\n"),
    read: async (path) => {
      if (path === "SKILL.md" && loaded !== undefined) {
        const text = await context.library.blobs.get(loaded.text);
        if (text !== undefined) return text;
      }
      return (await readHeld(context, name, loaded, path)).bytes;
    },
  };
}

/** A script by its path, or by its path below `scripts/`. */
function findScript(target: RunTarget, wanted: string): string | undefined {
  const path = normalizeRelativePath(wanted);
  if (path === undefined) return undefined;
  for (const candidate of [path, `scripts/${path}`]) {
    if (target.files.some((file) => file.path === candidate)) return candidate;
  }
  return undefined;
}

/** The arguments as a list, from any of the forms a dialect takes; a text says what is wrong with them. */
function argvOf(args: JsonObject): string[] | string {
  // ADK's \`args\` is either the complete list or an object of long options.
  const argv = args.argv ?? (Array.isArray(args.args) ? args.args : undefined);
  const options = Array.isArray(args.args) ? undefined : args.args;
  const { shortOptions, positional } = args;
  if (argv !== undefined && (options !== undefined || shortOptions !== undefined || positional !== undefined)) {
    return "Cannot specify a complete argument list together with options or positional arguments.";
  }
  if (argv !== undefined) return scalars(argv) ?? "Pass the arguments as a list of texts.";
  const words: string[] = [];
  for (const [dash, record] of [
    ["--", options],
    ["-", shortOptions],
  ] as const) {
    if (record === undefined || record === null) continue;
    if (typeof record !== "object" || Array.isArray(record)) return "Pass options as an object of name and value.";
    for (const [key, value] of Object.entries(record)) {
      const text = scalar(value);
      if (text === undefined) return `The option "${key}" is not a text, number or boolean.`;
      words.push(`${dash}${key}`, text);
    }
  }
  if (positional !== undefined && positional !== null) {
    const values = scalars(positional);
    if (values === undefined) return "Pass positional arguments as a list of texts.";
    if (values.length > 0) words.push("--", ...values);
  }
  return words;
}

function scalars(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const words = value.map(scalar);
  return words.every((word) => word !== undefined) ? words : undefined;
}

function scalar(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
