import { cappedOutput, type RunReason, type RunResult, type SandboxProcess } from "../../workspace/index.ts";
import type { Conclusion } from "../process/supervise-process.ts";

/** How long a run that was ended may take to be gone before the answer is given anyway. */
const giveUpMs = 900;

/** What is recorded and when it is ended. */
export interface RunRecorderOptions {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly maxTotalOutputBytes: number;
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
  /** Ends the whole tree; called once, as soon as there is a reason to. */
  readonly end: () => void;
}

/** Follows a run whose program is elsewhere: keeps what it prints, ends it in time, and gives one answer. */
export interface RunRecorder {
  push(stream: "stdout" | "stderr", chunk: Uint8Array): void;
  /** Asks for the end; the first reason stays. */
  stop(reason: RunReason): void;
  /** The end as the sandbox saw it. */
  settle(conclusion: Conclusion): void;
  /** The sandbox itself failed. */
  fail(fault: unknown): void;
  /** Why the run was ended from outside, where it was. */
  readonly stoppedFor: RunReason | undefined;
  readonly result: Promise<RunResult>;
}

/** Starts to record a run. */
export function runRecorder(options: RunRecorderOptions): RunRecorder {
  const startedAt = performance.now();
  const kept = { stdout: cappedOutput(options.maxOutputBytes), stderr: cappedOutput(options.maxOutputBytes) };
  let resolve: (result: RunResult) => void = () => undefined;
  let reject: (fault: unknown) => void = () => undefined;
  const result = new Promise<RunResult>((onResult, onFault) => {
    resolve = onResult;
    reject = onFault;
  });
  // Whoever started the run looks at the result; one that nobody waits for must not end the host.
  result.catch(() => undefined);
  const timers: NodeJS.Timeout[] = [];
  let stoppedFor: RunReason | undefined;
  let fault: unknown;
  let settled = false;

  const conclude = (conclusion: Conclusion | undefined): void => {
    if (settled) return;
    settled = true;
    for (const timer of timers) clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    if (fault !== undefined) {
      reject(fault);
      return;
    }
    const out = kept.stdout.finish();
    const err = kept.stderr.finish();
    const end: Conclusion = stoppedFor === undefined && conclusion ? conclusion : { exitCode: null, reason: stoppedFor ?? "aborted" };
    resolve({
      exitCode: end.exitCode,
      reason: end.reason,
      ...(end.signal !== undefined && { signal: end.signal }),
      stdout: out.text,
      stderr: end.stderr ?? err.text,
      truncated: { stdout: out.truncatedBytes, stderr: err.truncatedBytes },
      durationMs: Math.round(performance.now() - startedAt),
    });
  };

  const stop = (reason: RunReason): void => {
    if (stoppedFor !== undefined || settled) return;
    stoppedFor = reason;
    timers.push(setTimeout(() => conclude(undefined), giveUpMs));
    options.end();
  };
  const onAbort = (): void => stop("aborted");

  if (options.timeoutMs !== Number.POSITIVE_INFINITY) timers.push(setTimeout(() => stop("timeout"), options.timeoutMs));
  if (options.signal?.aborted) queueMicrotask(onAbort);
  else options.signal?.addEventListener("abort", onAbort, { once: true });

  return {
    push(stream, chunk) {
      if (settled || stoppedFor === "output-limit") return;
      kept[stream].push(chunk);
      try {
        options.onOutput?.(stream, chunk);
      } catch (error) {
        fault ??= error;
        stop("aborted");
      }
      if (kept.stdout.totalBytes + kept.stderr.totalBytes > options.maxTotalOutputBytes) stop("output-limit");
    },
    stop,
    settle: conclude,
    fail(error) {
      fault ??= error;
      conclude(undefined);
    },
    get stoppedFor() {
      return stoppedFor;
    },
    result,
  };
}

/** The input of a program that runs elsewhere; absent parts are ignored. */
export interface RecordedInput {
  readonly write?: (data: Uint8Array) => Promise<void>;
  readonly closeStdin?: () => Promise<void>;
}

/** A recorded run as a process: an answer comes in time even when its start does not. What nobody reads is no fault. */
export function recordedProcess(recorder: RunRecorder, started: Promise<RecordedInput>): SandboxProcess {
  started.catch((error: unknown) => recorder.fail(error));
  return {
    write: async (data) => {
      const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
      await started.then((input) => input.write?.(bytes)).catch(() => undefined);
    },
    closeStdin: async () => {
      await started.then((input) => input.closeStdin?.()).catch(() => undefined);
    },
    kill: async () => {
      recorder.stop("aborted");
      await recorder.result.catch(() => undefined);
    },
    exited: recorder.result,
  };
}
