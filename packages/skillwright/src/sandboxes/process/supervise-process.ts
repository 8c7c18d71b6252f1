import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { cappedOutput, type RunReason, type RunResult, type SandboxProcess } from "../../workspace/index.ts";

/** How long a stream may stay open and silent after its program has ended. */
const drainMs = 250;

/** How long an ended tree may take to be gone before the answer is given anyway. */
const giveUpMs = 900;

/** How long after its beginning, and between two looks, a program is watched. */
const watchEveryMs = 500;

/** What is supervised and how it is ended. */
export interface SuperviseOptions {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Streams that must end, too, before the end is known. */
  readonly alsoUntil?: readonly Readable[];
  /** Written first where the program is written to while it runs. */
  readonly stdin?: Uint8Array | string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly maxTotalOutputBytes: number;
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
  /** Looked at again and again while the program runs; a reason ends it. */
  readonly watch?: () => Promise<RunReason | undefined>;
  /** What it means that the child cannot be started, where that is not the program's own fault. */
  readonly startFault?: (error: Error) => Error;
  /** Ends the whole tree; called once, as soon as there is a reason to. */
  readonly end: () => void;
  /** Called when the program has ended of itself, to end what it left behind. */
  readonly sweep?: () => void;
  /** The program's end as the sandbox knows it, where the child is only a wrapper. */
  readonly conclude?: (exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null }, stderr: string) => Conclusion;
}

/** What a sandbox knows of an end. */
export interface Conclusion {
  readonly exitCode: number | null;
  readonly reason: RunReason;
  readonly signal?: string;
  /** Said instead of what the wrapper printed. */
  readonly stderr?: string;
}

/** Follows a process to its end: caps what it prints, ends it in time, and never waits longer than a second for what does not end. */
export function superviseProcess(options: SuperviseOptions): SandboxProcess {
  const { child, stdout, stderr } = options;
  const startedAt = performance.now();
  const kept = { stdout: cappedOutput(options.maxOutputBytes), stderr: cappedOutput(options.maxOutputBytes) };
  let reason: RunReason | undefined;
  let fault: unknown;
  let settled = false;
  const timers: NodeJS.Timeout[] = [];
  let lastOutputAt = startedAt;
  let resolve: (result: RunResult) => void = () => undefined;
  let reject: (fault: unknown) => void = () => undefined;
  const exited = new Promise<RunResult>((onResult, onFault) => {
    resolve = onResult;
    reject = onFault;
  });

  const settle = (exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null }): void => {
    if (settled) return;
    settled = true;
    for (const timer of timers) clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    for (const stream of [stdout, stderr, child.stdin]) stream?.destroy();
    if (fault !== undefined) {
      reject(fault);
      return;
    }
    const out = kept.stdout.finish();
    const err = kept.stderr.finish();
    try {
      const conclusion: Conclusion = reason === undefined ? (options.conclude ?? concludeExit)(exit, err.text) : { exitCode: null, reason };
      resolve({
        exitCode: conclusion.exitCode,
        reason: conclusion.reason,
        ...(conclusion.signal !== undefined && { signal: conclusion.signal }),
        stdout: out.text,
        stderr: conclusion.stderr ?? err.text,
        truncated: { stdout: out.truncatedBytes, stderr: err.truncatedBytes },
        durationMs: Math.round(performance.now() - startedAt),
      });
    } catch (error) {
      reject(error);
    }
  };

  /** After a time in which what has arrived was also read: a host that was busy finds timers due before it looks at its pipes. */
  const patiently = (act: () => void, afterMs: number): void => {
    timers.push(setTimeout(() => setImmediate(act), afterMs));
  };
  const stop = (why: RunReason): void => {
    if (reason !== undefined || settled) return;
    reason = why;
    options.end();
    patiently(() => settle({ code: null, signal: null }), giveUpMs);
  };
  const onAbort = (): void => stop("aborted");

  const listen = (name: "stdout" | "stderr", stream: Readable): void => {
    stream.on("data", (chunk: Buffer) => {
      if (reason === "output-limit") return;
      lastOutputAt = performance.now();
      kept[name].push(chunk);
      try {
        options.onOutput?.(name, chunk);
      } catch (error) {
        fault ??= error;
        stop("aborted");
      }
      if (kept.stdout.totalBytes + kept.stderr.totalBytes > options.maxTotalOutputBytes) stop("output-limit");
    });
    // A pipe that breaks when its program is ended is no fault.
    stream.on("error", () => undefined);
  };
  listen("stdout", stdout);
  listen("stderr", stderr);
  child.stdin?.on("error", () => undefined);

  child.once("error", (error) => {
    fault ??= options.startFault?.(error);
    kept.stderr.push(Buffer.from(explainStart(error, child.spawnfile)));
    reason ??= "start-failed";
    settle({ code: null, signal: null });
  });
  child.once("exit", (code, signal) => {
    options.sweep?.();
    const exit = { code, signal };
    const streams = [stdout, stderr, ...(options.alsoUntil ?? [])];
    let open = streams.length;
    const closed = (): void => {
      if (--open === 0) settle(exit);
    };
    for (const stream of streams) {
      if (stream.readableEnded || stream.destroyed) closed();
      else stream.once("close", closed);
    }
    const endedAt = performance.now();
    const drain = (): void => {
      const now = performance.now();
      if (now - lastOutputAt >= drainMs || now - endedAt >= giveUpMs) settle(exit);
      else patiently(drain, drainMs);
    };
    patiently(drain, drainMs);
  });
  const { watch } = options;
  const look = async (): Promise<void> => {
    const begun = performance.now();
    const why = await watch?.().catch(() => undefined);
    if (why !== undefined) stop(why);
    // A look that takes long is taken rarely.
    else if (!settled) timers.push(setTimeout(look, Math.max(watchEveryMs, 10 * (performance.now() - begun))));
  };
  if (watch !== undefined) timers.push(setTimeout(look, watchEveryMs));
  if (options.timeoutMs !== Number.POSITIVE_INFINITY) timers.push(setTimeout(() => stop("timeout"), options.timeoutMs));
  if (options.signal?.aborted) queueMicrotask(onAbort);
  else options.signal?.addEventListener("abort", onAbort, { once: true });
  // Whoever started the program looks at its end; one that nobody waits for must not end the host.
  exited.catch(() => undefined);
  if (options.stdin !== undefined) child.stdin?.write(options.stdin);

  return {
    write: async (data) => {
      const stdin = child.stdin;
      if (stdin === null || !stdin.writable) return;
      await new Promise<void>((done) => stdin.write(data, () => done()));
    },
    closeStdin: async () => {
      child.stdin?.end();
    },
    kill: async () => {
      stop("aborted");
      await exited.catch(() => undefined);
    },
    exited,
  };
}

/** Why a program did not start, in words. */
function explainStart(error: NodeJS.ErrnoException, program: string): string {
  if (error.code === "ENOENT") return `${program}: no such program in the sandbox`;
  return error.code === "EACCES" ? `${program}: not executable` : `${program}: ${error.message}`;
}

/** How an ordinary child ended. */
function concludeExit(exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null }): Conclusion {
  return exit.signal === null ? { exitCode: exit.code, reason: "exited" } : concludeSignal(constants.signals[exit.signal]);
}

/** An end by a signal; two of them are the kernel's way to say that a limit was reached. */
export function concludeSignal(number: number): Conclusion {
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
  if (signal === "SIGXCPU") return { exitCode: null, reason: "timeout", signal };
  if (signal === "SIGXFSZ") return { exitCode: null, reason: "disk-limit", signal };
  return { exitCode: 128 + number, reason: "signal", signal };
}
