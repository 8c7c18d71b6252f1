import { digestOf, type JsonObject, SkillError, throwIfAborted } from "../core/index.ts";
import type { Outcome, ToolSpec } from "../dialects/index.ts";
import { listDocuments, selectDocuments } from "./documents.ts";
import { listSkills, searchSkills } from "./find-skills.ts";
import { releaseSkill } from "./lifecycle.ts";
import { loadSkill } from "./load-skill.ts";
import { killProcess, pollProcess, startProcess, writeToProcess } from "./processes.ts";
import { readArguments, readObject } from "./read-arguments.ts";
import { readResource } from "./read-resource.ts";
import { runInSandbox } from "./run-operations.ts";
import { fault, type OperationCall, type SessionContext, servesMany } from "./session-context.ts";
import type { Media, ToolCallOptions, ToolResult } from "./skill-tool.ts";

/** What a call came to: an outcome and the bytes that go with it, or an answer from elsewhere that is passed on word for word. */
export type Performed =
  | { readonly outcome: Outcome; readonly media?: Media }
  | { readonly answer: { readonly text: string; readonly isError: boolean } };

/** What a tool does when it is called; everything else is the same for all. */
export interface ToolAction {
  /** The tool's name as the model sees it. */
  readonly tool: string;
  /** Whether running it twice would do something twice. */
  readonly changesWorld: boolean;
  perform(input: unknown, options: ToolCallOptions): Promise<Performed>;
}

/** Runs one call: answered once per call id, worded by the dialect; what a model did wrong is a result. */
export async function callTool(context: SessionContext, action: ToolAction, input: unknown, options: ToolCallOptions): Promise<ToolResult> {
  throwIfAborted(options.signal);
  const key = await digestOf(JSON.stringify([options.callId, action.tool, input ?? null]));
  const running = context.calls.get(key);
  if (running !== undefined && options.approved === undefined) return running;
  const answer = answerOnce(context, action, input, options, key);
  context.calls.set(key, answer);
  try {
    return await answer;
  } finally {
    context.calls.delete(key);
  }
}

async function answerOnce(
  context: SessionContext,
  action: ToolAction,
  input: unknown,
  options: ToolCallOptions,
  key: string,
): Promise<ToolResult> {
  const earlier = await earlierAnswer(context, key, options);
  if (earlier !== undefined) return earlier;
  const { tool } = action;
  const started = performance.now();
  context.emit({ type: "tool-call-started", sessionId: context.id, callId: options.callId, tool });
  // A run is recorded before it starts: after a crash in the middle, its repetition must not run it a second time.
  if (action.changesWorld && !servesMany(context)) await context.facts.write("call", key, { status: "started" });
  const performed = await action.perform(input, options);
  const result = present(context, performed, readObject(input));
  const outcome = "outcome" in performed ? performed.outcome : undefined;
  if (outcome?.kind === "fault") context.misses.set(outcome.fault.code, outcome.fault.attempt);
  await keepAnswer(context, key, performed, result);
  const tokens = enterLedger(context, tool, options.callId, outcome, result);
  context.emit({
    type: "tool-call-finished",
    sessionId: context.id,
    callId: options.callId,
    tool,
    isError: result.isError,
    tokens,
    durationMs: performance.now() - started,
  });
  return result;
}

/** A tool of the dialect as an action: its arguments are read by the dialect's table. */
export function operationAction(context: SessionContext, spec: ToolSpec, tool: string): ToolAction {
  return {
    tool,
    changesWorld: ["run-script", "run-command", "run-code", "start", "write"].includes(spec.operation),
    perform: async (input, options) => {
      const read = readArguments(spec, input);
      if (!read.ok) {
        const { code, detail, missing } = read;
        const subject = code === "arguments-invalid" ? tool : detail;
        return { outcome: fault(context, code, subject, { detail, retryable: true, ...(missing === undefined ? {} : { missing }) }) };
      }
      return perform(context, { ...options, tool, operation: spec.operation, input: read.input, args: read.args });
    },
  };
}

async function perform(context: SessionContext, call: OperationCall): Promise<Performed> {
  switch (call.operation) {
    case "load":
      return { outcome: await loadSkill(context, call) };
    case "list":
      return { outcome: listSkills(context) };
    case "search":
      return { outcome: await searchSkills(context, call) };
    case "read":
      return readResource(context, call);
    case "unload":
      return { outcome: await unloadSkill(context, call) };
    case "list-documents":
      return { outcome: await listDocuments(context, call) };
    case "select-documents":
      return { outcome: await selectDocuments(context, call) };
    case "start":
      return { outcome: await startProcess(context, call) };
    case "write":
      return { outcome: await writeToProcess(context, call) };
    case "poll":
      return { outcome: await pollProcess(context, call) };
    case "kill":
      return { outcome: await killProcess(context, call) };
    case "run-script":
    case "run-command":
    case "run-code":
      return { outcome: await runInSandbox(context, call) };
  }
}

async function unloadSkill(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const wanted = String(call.args.skill ?? "");
  const name = context.library.catalog.get(wanted)?.name ?? wanted;
  if (!(await releaseSkill(context, name, "asked"))) return fault(context, "skill-not-active", wanted, { retryable: false });
  return { kind: "unloaded", name, active: context.facts.loaded.map((fact) => fact.name) };
}

/** The first answer to a call that is repeated; a run that was cut short is reported, never repeated. */
async function earlierAnswer(context: SessionContext, key: string, options: ToolCallOptions): Promise<ToolResult | undefined> {
  const kept = (await context.facts.read("call", key)) as JsonObject | undefined;
  if (kept === undefined) return undefined;
  if (kept.status === "started") {
    const outcome = fault(context, "run-failed", options.callId, {
      detail: "This call was started before and its end is unknown; it is not run a second time.",
      retryable: false,
    });
    return present(context, { outcome });
  }
  if (kept.status === "pending" && options.approved !== undefined) return undefined;
  return kept.result === undefined ? undefined : (kept.result as unknown as ToolResult);
}

async function keepAnswer(context: SessionContext, key: string, performed: Performed, result: ToolResult): Promise<void> {
  // Bytes are not kept twice: a repeated read reads the pinned file again, and a search has no effect to protect.
  if (servesMany(context) || ("media" in performed && performed.media !== undefined)) return;
  const kind = "outcome" in performed ? performed.outcome.kind : undefined;
  if (kind === "skills") return;
  await context.facts.write("call", key, { status: kind === "pending" ? "pending" : "done", result: result as unknown as JsonObject });
}

/** Gives an outcome the dialect's words. */
export function present(context: SessionContext, performed: Performed, input?: JsonObject): ToolResult {
  if ("answer" in performed) return { ...performed.answer, data: { kind: "answer" } };
  const { outcome, media } = performed;
  const presentation = context.words.present(outcome, context.wording(), input);
  const isError = outcome.kind === "fault";
  const data: JsonObject = {
    ...(outcome.kind === "fault" ? { code: outcome.fault.code, retryable: outcome.fault.retryable } : {}),
    ...(presentation.data ?? { kind: outcome.kind }),
  };
  return {
    text: presentation.text,
    isError,
    data,
    ...(media === undefined ? {} : { media: [media] }),
    ...(outcome.kind === "pending" ? { pending: pendingOf(context, outcome) } : {}),
  };
}

function pendingOf(context: SessionContext, outcome: Extract<Outcome, { kind: "pending" }>): NonNullable<ToolResult["pending"]> {
  const asked = context.asked.get(outcome.approval.id);
  if (asked === undefined) throw new SkillError("approval-invalid", `Nothing was asked under "${outcome.approval.id}".`);
  return asked;
}

function enterLedger(context: SessionContext, tool: string, callId: string, outcome: Outcome | undefined, result: ToolResult): number {
  if (servesMany(context)) return context.library.countTokens(result.text);
  if (outcome === undefined) return context.ledger.enter(callId, "output", tool, result.text);
  if (outcome.kind === "loaded") return context.ledger.enter(callId, "body", outcome.name, result.text);
  if (outcome.kind === "resource") return context.ledger.enter(callId, "resource", `${outcome.skill}/${outcome.path}`, result.text);
  if (outcome.kind === "ran" || outcome.kind === "process") return context.ledger.enter(callId, "output", tool, result.text);
  return context.ledger.enter(callId, "message", tool, result.text);
}
