import { SkillError, throwIfAborted } from "../core/index.ts";
import {
  cappedOutput,
  type OpenWorkspaceOptions,
  type RunOptions,
  type RunReason,
  type RunResult,
  type Sandbox,
  type SandboxPromises,
  type Workspace,
  type WorkspaceFile,
} from "../workspace/index.ts";
import { probeSandbox } from "./process/probe-sandbox.ts";
import { virtualRoot } from "./virtual/virtual-files.ts";
import { startWorker, type WorkerClient } from "./virtual/worker-client.ts";

/** How long a run that was told to stop may take before its thread is ended. */
const graceMs = 700;

/** Options of {@link virtualSandbox}. */
export interface VirtualSandboxOptions {
  /** Offers `python3`, a Python without packages of others, about half a second a start. @default true */
  readonly python?: boolean;
}

const promises: SandboxPromises = {
  writesConfined: true,
  readsConfined: true,
  network: "none",
  environmentHidden: true,
  // Files, strings and objects are bounded, the memory of Python is not.
  memoryLimited: false,
  processesLimited: true,
  cpuLimited: true,
  fileSizeLimited: true,
  workspaceSizeLimited: true,
  treeKilled: true,
  diesWithHost: true,
  skillsReadOnly: true,
  interactive: false,
  terminal: false,
};

/**
 * Runs shell commands and Python in an interpreter over files in memory: nothing is installed, no program of this machine runs, and no
 * file, variable or network of it can be reached. It is bash and the usual text tools as just-bash has them, so not every script runs.
 */
export function virtualSandbox(options: VirtualSandboxOptions = {}): Sandbox {
  const sandbox: Sandbox = {
    id: "virtual",
    isolation: "interpreter",
    promises,
    probe: (probeOptions) =>
      probeSandbox(sandbox, "an interpreter of shell and Python in this process, files in memory", probeOptions?.signal),
    open: (openOptions) => openVirtual(options, openOptions),
  };
  return sandbox;
}

async function openVirtual(options: VirtualSandboxOptions, request: OpenWorkspaceOptions): Promise<Workspace> {
  if (request.policy.network !== "none") {
    throw new SkillError("configuration-invalid", "virtualSandbox gives runs no network, and the policy asks for some.", {
      hint: 'Use policy { network: "none" }, or a sandbox whose promises say network "allow-list".',
    });
  }
  throwIfAborted(request.signal);
  const { limits } = request;
  const start = (): WorkerClient =>
    startWorker({
      limits,
      readOnly: request.readOnly ?? [],
      mounts: request.mounts ?? [],
      python: options.python ?? true,
      javascript: false,
    });
  /** What the host wrote, to be written again when a thread had to be ended with all it held. */
  const written = new Map<string, WorkspaceFile>();
  let closed = false;
  let client = Promise.resolve(start());
  await (await client).call({ operation: "list", path: ".", maxEntries: 1 });

  const current = async (): Promise<WorkerClient> => {
    if (closed) throw new SkillError("workspace-closed", "The workspace is closed.", { hint: "Open a new one." });
    return client;
  };
  const replace = (ended: WorkerClient): void => {
    client = ended.gone.then(async () => {
      const fresh = start();
      if (written.size > 0) await fresh.call({ operation: "write", files: [...written.values()] });
      return fresh;
    });
  };
  const forget = (path: string): void => {
    for (const key of written.keys()) if (key === path || key.startsWith(`${path.replace(/\/$/, "")}/`)) written.delete(key);
  };

  const run = async (argv: readonly string[], runOptions: RunOptions = {}): Promise<RunResult> => {
    const worker = await current();
    const startedAt = performance.now();
    const stop = new SharedArrayBuffer(4);
    let reason: RunReason | undefined;
    let force: NodeJS.Timeout | undefined;
    const end = (why: RunReason): void => {
      if (reason !== undefined) return;
      reason = why;
      Atomics.store(new Int32Array(stop), 0, 1);
      force = setTimeout(() => {
        replace(worker);
        worker.end().catch(() => undefined);
      }, graceMs);
    };
    const timeoutMs = runOptions.timeoutMs ?? limits.runTimeoutMs;
    const onAbort = (): void => end("aborted");
    const timer = setTimeout(() => end("timeout"), timeoutMs);
    if (runOptions.signal?.aborted) onAbort();
    else runOptions.signal?.addEventListener("abort", onAbort, { once: true });

    const out = cappedOutput(runOptions.maxOutputBytes ?? limits.maxOutputBytes);
    const err = cappedOutput(runOptions.maxOutputBytes ?? limits.maxOutputBytes);
    let exitCode: number | null = null;
    try {
      const result = await worker.call({
        operation: "run",
        run: {
          argv,
          cwd: runOptions.cwd ?? "work",
          env: runOptions.env ?? {},
          stdin: runOptions.stdin ?? "",
          timeoutMs,
          stop,
        },
      });
      for (const [name, capped, bytes] of [
        ["stdout", out, result.stdout],
        ["stderr", err, result.stderr],
      ] as const) {
        capped.push(bytes);
        if (bytes.length > 0) runOptions.onOutput?.(name, bytes);
      }
      reason ??= result.end;
      if (reason === "exited") exitCode = result.exitCode;
    } catch (error) {
      if (reason === undefined) {
        if ((await Promise.race([worker.gone, Promise.resolve("alive")])) !== "memory") throw error;
        reason = "memory-limit";
        replace(worker);
      }
    } finally {
      clearTimeout(timer);
      clearTimeout(force);
      runOptions.signal?.removeEventListener("abort", onAbort);
    }
    const [stdout, stderr] = [out.finish(), err.finish()];
    return {
      exitCode,
      reason,
      stdout: stdout.text,
      stderr: stderr.text,
      truncated: { stdout: stdout.truncatedBytes, stderr: stderr.truncatedBytes },
      durationMs: Math.round(performance.now() - startedAt),
    };
  };

  return {
    root: virtualRoot,
    read: async (path, { maxBytes }) => (await current()).call({ operation: "read", path, maxBytes }),
    writeFiles: async (files) => {
      await (await current()).call({ operation: "write", files });
      for (const file of files) written.set(file.path, file);
    },
    list: async (path, listOptions) => (await current()).call({ operation: "list", path, maxEntries: listOptions?.maxEntries ?? 100_000 }),
    remove: async (path) => {
      await (await current()).call({ operation: "remove", path });
      forget(path);
    },
    run,
    close: async () => {
      if (closed) return;
      closed = true;
      await (await client).end();
    },
  };
}
