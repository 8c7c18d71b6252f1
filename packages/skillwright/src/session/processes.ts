import type { Outcome, ProcessOutcome } from "../dialects/index.ts";
import { decide } from "./approvals.ts";
import { planRun } from "./plan-run.ts";
import { ranOutcome, refused, requestOf, runFault } from "./run-operations.ts";
import { fault, type LiveProcess, type OperationCall, type SessionContext } from "./session-context.ts";

/** Programs at once in one session. */
const maxProcesses = 16;
/** How long an ended program can still be looked at, in milliseconds. */
const keepEndedMs = 30 * 60_000;
const defaultYieldMs = { start: 1000, write: 400, poll: 400 } as const;
const maxYieldMs = 30_000;
/** How long a program must be silent before its last line counts as a prompt, in milliseconds. */
const quietMs = 60;

/** Starts a command that goes on, and answers with its first output. */
export async function startProcess(context: SessionContext, call: OperationCall): Promise<Outcome> {
  reap(context);
  if (context.processes.size >= maxProcesses) {
    return fault(context, "run-failed", "start", {
      detail: `${maxProcesses} programs are running already. End one first.`,
      retryable: false,
    });
  }
  const plan = await planRun(context, call);
  if ("kind" in plan) return plan;
  const verdict = await decide(context, plan.question, call.approved);
  if (verdict.kind !== "allowed") return refused(context, verdict, String(call.args.command ?? ""));
  if (plan.start === undefined) return fault(context, "sandbox-unavailable", "start", { retryable: false });
  try {
    // The program outlives the call, so the call's own signal must not end it.
    const { signal: _signal, ...request } = await requestOf(context, call, plan.skill);
    const run = await plan.start({ ...request, ...(call.args.terminal === true ? { terminal: true } : {}) });
    const live: LiveProcess = { run, plan, offset: 0, seenAt: Date.now() };
    context.processes.set(run.runId, live);
    run.report.then(
      (report) => {
        live.ended = report;
      },
      () => {},
    );
    return look(context, run.runId, live, call, defaultYieldMs.start);
  } catch (error) {
    return runFault(context, plan, error);
  }
}

/** Writes to a running command; without text it only looks. */
export async function writeToProcess(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const id = String(call.args.process ?? "");
  const live = context.processes.get(id);
  if (live === undefined) return unknownProcess(context, id);
  const text = `${String(call.args.text ?? "")}${call.args.submit === true ? "\n" : ""}`;
  if (text !== "" && live.ended === undefined) await live.run.process.write(text);
  return look(context, id, live, call, defaultYieldMs.write);
}

/** Answers with what a running command has printed since the last look. */
export async function pollProcess(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const id = String(call.args.process ?? "");
  const live = context.processes.get(id);
  return live === undefined ? unknownProcess(context, id) : look(context, id, live, call, defaultYieldMs.poll);
}

/** Ends a running command with everything it started. */
export async function killProcess(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const id = String(call.args.process ?? "");
  const live = context.processes.get(id);
  if (live === undefined) return unknownProcess(context, id);
  const wasRunning = live.ended === undefined;
  await live.run.process.kill();
  context.processes.delete(id);
  const { text, next } = live.run.output(live.offset);
  return {
    kind: "process",
    sessionId: id,
    status: wasRunning ? "killed" : "exited",
    output: text,
    offset: live.offset,
    nextOffset: next,
    ...(live.ended === undefined ? {} : { exitCode: live.ended.exitCode }),
  };
}

function unknownProcess(context: SessionContext, id: string): Outcome {
  return fault(context, "process-unknown", id, { available: [...context.processes.keys()], retryable: false });
}

/** Waits until the program ends, asks for something, or the time to yield is over; then answers with what is new. */
async function look(context: SessionContext, id: string, live: LiveProcess, call: OperationCall, yieldMs: number): Promise<ProcessOutcome> {
  const asked = typeof call.args.yieldMs === "number" ? call.args.yieldMs : yieldMs;
  await settle(live, Math.min(Math.max(0, asked), maxYieldMs), call.signal);
  live.seenAt = Date.now();
  const offset = live.offset;
  const { text, next } = live.run.output(offset);
  const shown = lastLines(text, typeof call.args.lines === "number" ? call.args.lines : undefined);
  live.offset = next;
  const interaction = live.ended === undefined ? interactionOf(text) : undefined;
  return {
    kind: "process",
    sessionId: id,
    status: live.ended === undefined ? "running" : "exited",
    output: shown,
    offset,
    nextOffset: next,
    ...(interaction === undefined ? {} : { interaction }),
    ...(live.ended === undefined ? {} : { exitCode: live.ended.exitCode, run: await ranOutcome(context, live.plan, live.ended) }),
  };
}

async function settle(live: LiveProcess, yieldMs: number, signal: AbortSignal | undefined): Promise<void> {
  const ended = live.run.report.then(
    () => true,
    () => true,
  );
  const deadline = Date.now() + yieldMs;
  let seen = -1;
  while (live.ended === undefined && Date.now() < deadline && signal?.aborted !== true) {
    const { text, next } = live.run.output(live.offset);
    // Silence after something like a question: whoever waits for input will not print more.
    if (next === seen && text !== "" && interactionOf(text) !== undefined) return;
    seen = next;
    if (await Promise.race([ended, pause(Math.min(quietMs, deadline - Date.now()))])) return;
  }
}

function pause(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms), false));
}

/** What a program that fell silent waits for: a line that was begun and not ended, or a menu above it. */
function interactionOf(text: string): ProcessOutcome["interaction"] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const last = lines.at(-1) ?? "";
  const spoken = lines.findLast((line) => line !== "") ?? "";
  const items = lines.filter((line) => /^\d+[.)]\s/.test(line));
  if (/(?:enter|choose|select) (?:a|the|your)? ?(?:number|option|choice)/i.test(spoken) || (items.length >= 2 && /[:?>]$/.test(last))) {
    return { kind: "selection", hint: spoken };
  }
  if (/[:?>]$/.test(last) || /press enter|type your/i.test(spoken)) return { kind: "prompt", hint: spoken };
  return undefined;
}

function lastLines(text: string, count: number | undefined): string {
  if (count === undefined || count <= 0) return text;
  const lines = text.split("\n");
  return lines.length <= count ? text : lines.slice(-count).join("\n");
}

/** Forgets programs that ended long ago. */
function reap(context: SessionContext): void {
  for (const [id, live] of context.processes) {
    if (live.ended !== undefined && Date.now() - live.seenAt > keepEndedMs) context.processes.delete(id);
  }
}
