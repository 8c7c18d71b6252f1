import type { DialectId, Locale, SkillEvent, SkillLibrary } from "skillwright";
import { type AgentResult, createAgent } from "skillwright/agent";
import { abortOnSignal } from "./abort-on-signal.ts";
import type { RunFlags } from "./commands/run.ts";
import { exitCode } from "./exit-code.ts";
import { type ResolvedModel, resolveModel } from "./models.ts";
import { offlineModel } from "./offline/offline-model.ts";
import { openLibrary } from "./open-library.ts";
import { readInput } from "./read-input.ts";
import { chooseSandbox } from "./sandboxes.ts";
import { openConversation } from "./state/conversation.ts";
import { createRunView, type RunView, seconds } from "./terminal/run-view.ts";
import { UsageError } from "./usage-error.ts";

/** Carries out `skillwright run`: one task, end to end. */
export async function runTask(prompt: string, flags: RunFlags): Promise<number> {
  if (prompt.trim() === "") throw new UsageError('Say what you want: skillwright run "…".');
  const started = performance.now();
  const view = createRunView(process.stdout, process.stderr);
  const files = await Promise.all((flags.file ?? []).map(readInput));
  const resolved = resolveModel(flags.model);
  const events: SkillEvent[] = [];
  const onEvent = (event: SkillEvent): void => {
    events.push(event);
    if (!flags.json) view.onEvent(event);
  };
  const conversation = await openConversation(flags.session);
  const library = await openLibrary({ roots: flags.skills, trust: flags.trust === true, blobs: conversation.blobs, onEvent });
  const model = resolved.model ?? offlineModel({ countTokens: library.countTokens });
  const abort = abortOnSignal();
  try {
    const sandbox = await chooseSandbox(flags.sandbox ?? "auto", { signal: abort.signal });
    if (!flags.json) introduce(view, library, resolved, sandbox.description);
    const session = await library.openSession({
      ...conversation.options,
      ...(sandbox.sandbox ? { sandbox: sandbox.sandbox } : {}),
      dialect: flags.dialect as DialectId,
      locale: localeOf(flags.locale, prompt),
      onEvent,
    });
    try {
      for (const file of conversation.files) if (!files.some(({ name }) => name === file.name)) await session.putFile(file.name, file.data);
      await conversation.keep(files);
      const agent = createAgent({ model, session, maxSteps: stepsOf(flags.maxSteps), onEvent });
      const result = await agent.run({ prompt, files, messages: conversation.messages, signal: abort.signal });
      await conversation.save(result.messages);
      if (flags.json) process.stdout.write(`${JSON.stringify(report(result, events, session.ledger.carried), undefined, 2)}\n`);
      else conclude(view, result, session.ledger, started);
      return events.some((event) => event.type === "run-finished") && lastRunFailed(events) ? exitCode.failed : exitCode.ok;
    } finally {
      await session.close();
    }
  } catch (error) {
    if (abort.signal.aborted) {
      process.stderr.write("\nskillwright: interrupted; nothing was left running.\n");
      return exitCode.interrupted;
    }
    throw error;
  } finally {
    abort.stop();
    await library.close();
    await conversation.close();
  }
}

function localeOf(flag: string | undefined, prompt: string): Locale {
  if (flag === "en" || flag === "zh") return flag;
  if (flag !== undefined) throw new UsageError(`There is no locale "${flag}". Use en or zh.`);
  return /\p{Script=Han}/u.test(prompt) ? "zh" : "en";
}

function stepsOf(flag: string | undefined): number {
  const steps = Number(flag ?? 20);
  if (!Number.isInteger(steps) || steps < 1) throw new UsageError(`--max-steps takes a whole number from 1, not "${flag}".`);
  return steps;
}

function introduce(view: RunView, library: SkillLibrary, model: ResolvedModel, sandbox: string): void {
  view.fact("model", model.id === "offline" ? "offline (a planner, not a language model; set a key or --model for a real one)" : model.id);
  view.fact("skills", `${library.catalog.skills.length} found`);
  view.fact("sandbox", sandbox);
  const errors = library.catalog.diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  if (errors > 0) view.warn(`${errors} skill${errors === 1 ? "" : "s"} could not be read; skillwright doctor says why.`);
}

function conclude(
  view: RunView,
  result: AgentResult,
  ledger: { readonly entered: number; readonly carried: number },
  started: number,
): void {
  view.answer(result.text === "" ? "(The model gave no answer.)" : result.text);
  if (result.finishReason === "tool-calls" && result.approvals.length === 0)
    view.warn("The step limit was reached before the answer was complete; raise --max-steps.");
  const { inputTokens, outputTokens } = result.usage;
  view.fact(
    "tokens",
    `${inputTokens} in, ${outputTokens} out; skills brought ${ledger.entered} into the context and cost ${ledger.carried} over ${result.steps} requests`,
  );
  view.fact("time", seconds(performance.now() - started));
}

function lastRunFailed(events: readonly SkillEvent[]): boolean {
  const last = events.findLast((event) => event.type === "run-finished");
  return last !== undefined && last.type === "run-finished" && last.exitCode !== 0;
}

function report(result: AgentResult, events: readonly SkillEvent[], carried: number): unknown {
  return {
    answer: result.text,
    steps: result.steps,
    finishReason: result.finishReason,
    usage: result.usage,
    skillTokens: carried,
    loaded: [...new Set(events.flatMap((event) => (event.type === "skill-loaded" ? [event.skill] : [])))],
    runs: events.flatMap((event) =>
      event.type === "run-finished"
        ? [{ exitCode: event.exitCode, reason: event.reason, durationMs: event.durationMs, outputs: event.outputs }]
        : [],
    ),
    durationMs: result.durationMs,
  };
}
