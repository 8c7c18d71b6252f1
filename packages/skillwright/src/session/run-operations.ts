import { SkillError } from "../core/index.ts";
import type { FaultOutcome, Outcome, RunOutcome } from "../dialects/index.ts";
import type { RunReport, RunRequest, SkillWorkspace } from "../workspace/index.ts";
import { decide, keepPending, type Verdict } from "./approvals.ts";
import { planRun, type RunPlan } from "./plan-run.ts";
import { fault, type OperationCall, type SessionContext } from "./session-context.ts";

/** Runs a script or a shell line in the sandbox: checked, then asked about, then run. */
export async function runInSandbox(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const plan = await planRun(context, call);
  return "kind" in plan ? plan : runPlanned(context, plan, call);
}

/** What a run takes from the call that asked for it. */
export type RunCall = Pick<OperationCall, "args" | "approved" | "onOutput" | "signal">;

/** Asks about a run that is ready, and carries it out. */
export async function runPlanned(context: SessionContext, plan: RunPlan, call: RunCall): Promise<Outcome> {
  const verdict = await decide(context, plan.question, call.approved);
  if (verdict.kind !== "allowed") return refused(context, verdict, plan.script ?? plan.question.tool);
  return execute(context, call, plan);
}

/** What a run that may not start comes to: a refusal, or a question that waits. */
export async function refused(context: SessionContext, verdict: Exclude<Verdict, { kind: "allowed" }>, subject: string): Promise<Outcome> {
  if (verdict.kind === "denied") return fault(context, "run-denied", subject, { detail: verdict.reason, retryable: false });
  await keepPending(context, verdict.approval);
  const { id, digest, summary } = verdict.approval;
  return { kind: "pending", approval: { id, digest, summary } };
}

async function execute(context: SessionContext, call: RunCall, plan: RunPlan): Promise<Outcome> {
  try {
    const report = await plan.run(await requestOf(context, call, plan.skill));
    return await ranOutcome(context, plan, report);
  } catch (error) {
    return runFault(context, plan, error);
  }
}

/** What a finished run comes to, with its files kept as artifacts. */
export async function ranOutcome(context: SessionContext, plan: RunPlan, report: RunReport): Promise<RunOutcome> {
  const { workspace } = context;
  const artifacts = workspace === undefined ? [] : await keepArtifacts(context, workspace, report);
  return {
    kind: "ran",
    operation: plan.operation,
    ...(plan.skill === undefined ? {} : { skill: plan.skill }),
    ...(plan.script === undefined ? {} : { script: plan.script }),
    exitCode: report.exitCode,
    reason: report.reason,
    ...(report.signal === undefined ? {} : { signal: report.signal }),
    stdout: report.stdout,
    stderr: report.stderr,
    truncated: report.truncated,
    durationMs: report.durationMs,
    outputs: report.outputs.map(({ path, bytes, mediaType, text }) => ({
      path,
      bytes,
      mediaType,
      ...(text === undefined ? {} : { text }),
    })),
    artifacts,
    warnings: report.warnings,
  };
}

/** A run that could not be carried out, as a result; what only a developer can mend is thrown. */
export function runFault(context: SessionContext, plan: RunPlan, error: unknown): FaultOutcome {
  if (!SkillError.is(error) || SkillError.is(error, "aborted") || SkillError.is(error, "session-closed")) throw error;
  const code =
    error.code === "sandbox-unavailable" ? "sandbox-unavailable" : error.code === "path-outside-root" ? "command-outside" : "run-failed";
  const detail = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return fault(context, code, plan.script ?? plan.operation, {
    detail,
    retryable: false,
    ...(plan.skill === undefined ? {} : { skill: plan.skill }),
  });
}

/** The parts of a run that every kind shares: grants, streams, limits. */
export async function requestOf(context: SessionContext, call: RunCall, skill: string | undefined): Promise<RunRequest> {
  const { args } = call;
  return {
    grants: await grantsFor(context, skill),
    ...(isStringRecord(args.env) ? { env: args.env } : {}),
    ...(typeof args.cwd === "string" && args.cwd !== "" ? { cwd: args.cwd } : {}),
    ...(typeof args.stdin === "string" ? { stdin: args.stdin } : {}),
    ...(typeof args.timeoutMs === "number" ? { timeoutMs: Math.min(args.timeoutMs, context.library.limits.runTimeoutMs) } : {}),
    ...(Array.isArray(args.outputs) ? { outputs: args.outputs.map(String) } : {}),
    ...(call.onOutput ? { onOutput: call.onOutput } : {}),
    ...(call.signal ? { signal: call.signal } : {}),
  };
}

async function grantsFor(context: SessionContext, skill: string | undefined): Promise<Record<string, string>> {
  const granted: Record<string, string> = {};
  for (const grant of context.options.grants ?? []) {
    if (
      grant.skills !== undefined &&
      (skill === undefined || context.library.scope({ allow: grant.skills }).catalog.get(skill) === undefined)
    )
      continue;
    const value = await grant.value();
    if (value !== undefined) granted[grant.name] = value;
  }
  return granted;
}

/** Saves what a run produced, so that it outlives the workspace. */
async function keepArtifacts(context: SessionContext, workspace: SkillWorkspace, report: RunReport): Promise<RunOutcome["artifacts"]> {
  const kept: { name: string; version: number }[] = [];
  for (const output of report.outputs) {
    const data = await workspace.readFile(output.path, { maxBytes: context.library.limits.maxFileBytes });
    const name = output.path.replace(/^(?:out|work\/skills\/[^/]+)\//, "");
    const artifact = await context.artifacts.save(context.id, name, data, { mediaType: output.mediaType });
    kept.push({ name: artifact.name, version: artifact.version });
  }
  return kept;
}

function isStringRecord(value: unknown): value is Record<string, string> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every((item) => typeof item === "string")
  );
}
