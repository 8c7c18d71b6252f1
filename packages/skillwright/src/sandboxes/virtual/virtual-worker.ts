import { parentPort, workerData } from "node:worker_threads";
import {
  Bash,
  type BashExecResult,
  type BashOptions,
  type IFileSystem,
  InMemoryFs,
  latin1FromBytes,
  MountableFs,
  OverlayFs,
  ReadWriteFs,
  stdoutAsBytes,
} from "just-bash";
import { SkillError } from "../../core/index.ts";
import { guardedFileSystem } from "./guarded-file-system.ts";
import { virtualFiles, virtualRoot } from "./virtual-files.ts";
import type { WorkerCall, WorkerFault, WorkerReply, WorkerRequest, WorkerRun, WorkerRunResult, WorkerSetup } from "./worker-messages.ts";

// Runs in a thread of its own: the interpreter is busy between statements without letting timers or messages in, and a thread can be ended.

const setup = workerData as WorkerSetup;
const port = parentPort;
const memory: IFileSystem = new InMemoryFs({}, { maxTotalBytes: setup.limits.maxWorkspaceBytes });
const base = setup.mounts.length === 0 ? memory : withMounts(memory, setup);
const guarded = guardedFileSystem(base, {
  readOnly: [...setup.readOnly, ...setup.mounts.filter((mount) => mount.readOnly).map((mount) => mount.path)].map(
    (path) => `${virtualRoot}/${path}`,
  ),
  maxFileBytes: setup.limits.maxFileBytes,
});
const files = virtualFiles(base, guarded.version);
const ready = prepare();

port?.on("message", (call: WorkerCall) => {
  answer(call.request).then(
    (value) => reply({ number: call.number, value }),
    (error: unknown) => reply({ number: call.number, fault: toFault(error) }),
  );
});

function reply(message: WorkerReply): void {
  port?.postMessage(message);
}

async function prepare(): Promise<void> {
  for (const folder of ["/tmp", `${virtualRoot}/.home`, `${virtualRoot}/work`]) await base.mkdir(folder, { recursive: true });
  for (const folder of setup.readOnly) await base.mkdir(`${virtualRoot}/${folder}`, { recursive: true });
}

async function answer(request: WorkerRequest): Promise<unknown> {
  await ready;
  switch (request.operation) {
    case "read":
      return files.read(request.path, request.maxBytes);
    case "write":
      return files.write(request.files);
    case "list":
      return files.list(request.path, request.maxEntries);
    case "remove":
      return files.remove(request.path);
    case "run":
      return run(request.run);
  }
}

async function run(request: WorkerRun): Promise<WorkerRunResult> {
  const [program = "", ...rest] = request.argv;
  const cwd = request.cwd === "." ? virtualRoot : `${virtualRoot}/${request.cwd}`;
  const folder = await base.stat(cwd).catch(() => undefined);
  if (folder === undefined || !folder.isDirectory) return refused(`There is no folder ${cwd} in the workspace.`);
  const bash = new Bash({
    fs: guarded.fileSystem,
    cwd,
    env: { HOME: `${virtualRoot}/.home`, TMPDIR: "/tmp", LANG: "C.UTF-8", ...request.env },
    python: setup.python,
    javascript: setup.javascript,
    executionLimits: limitsOf(request.timeoutMs),
  });
  const startedAt = performance.now();
  const result = await bash.exec(quote(program), {
    args: rest,
    rawScript: true,
    stdin: Buffer.from(request.stdin as Uint8Array).toString("latin1"),
    stdinKind: "bytes",
    signal: stopSignal(request.stop),
  });
  if (
    result.exitCode === 127 &&
    [" found", " available"].some((ending) => result.stderr.startsWith(`bash: ${program}: command not${ending}`))
  ) {
    return refused(
      `${program}: no such program in the sandbox (it has bash, awk, sed, grep, jq and other text tools of its own, nothing of this machine)`,
    );
  }
  return {
    end: endOf(result, performance.now() - startedAt, request.timeoutMs),
    exitCode: result.exitCode,
    stdout: Buffer.from(latin1FromBytes(stdoutAsBytes(result)), "latin1"),
    stderr: Buffer.from(result.stderr),
  };
}

function endOf(result: BashExecResult, durationMs: number, timeoutMs: number): WorkerRunResult["end"] {
  if (result.exitCode === 124 && durationMs >= timeoutMs && /deadline|timed out|aborted/.test(result.stderr)) return "timeout";
  return result.exitCode === 126 && /output size/i.test(result.stderr) ? "output-limit" : "exited";
}

function refused(reason: string): WorkerRunResult {
  return { end: "start-failed", exitCode: 126, stdout: new Uint8Array(), stderr: Buffer.from(reason) };
}

/** Time, memory and output are what bounds a run; counts of steps only have to be out of the way. */
function limitsOf(timeoutMs: number): NonNullable<BashOptions["executionLimits"]> {
  const { limits } = setup;
  const manySteps = 1_000_000_000;
  return {
    maxExecutionTimeMs: timeoutMs,
    maxPythonTimeoutMs: timeoutMs,
    maxJsTimeoutMs: timeoutMs,
    maxSqliteTimeoutMs: timeoutMs,
    maxCommandCount: manySteps,
    maxLoopIterations: manySteps,
    maxAwkIterations: manySteps,
    maxSedIterations: manySteps,
    maxJqIterations: manySteps,
    maxWorkUnits: manySteps,
    maxOutputSize: limits.maxTotalOutputBytes,
    maxFileSystemBytes: limits.maxWorkspaceBytes,
    maxLiveBytes: limits.maxMemoryBytes,
  };
}

/** A signal that is read from shared memory, since no message arrives while the interpreter is busy; it forbids Atomics meanwhile. */
function stopSignal(stop: SharedArrayBuffer): AbortSignal {
  const flag = new Int32Array(stop);
  const controller = new AbortController();
  const { signal } = controller;
  Object.defineProperty(signal, "aborted", { get: () => flag[0] === 1 });
  const poll = setInterval(() => {
    if (flag[0] !== 1) return;
    clearInterval(poll);
    controller.abort();
  }, 20);
  poll.unref();
  return signal;
}

function withMounts(memoryFs: IFileSystem, { mounts }: WorkerSetup): IFileSystem {
  const mountable = new MountableFs({ base: memoryFs });
  for (const mount of mounts) {
    const filesystem = mount.readOnly
      ? new OverlayFs({ root: mount.hostPath, mountPoint: "/", readOnly: true })
      : new ReadWriteFs({ root: mount.hostPath });
    mountable.mount(`${virtualRoot}/${mount.path}`, filesystem);
  }
  return mountable;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function toFault(error: unknown): WorkerFault {
  if (!SkillError.is(error)) return { message: error instanceof Error ? error.message : String(error) };
  return { code: error.code, message: error.message, data: error.data, ...(error.hint !== undefined && { hint: error.hint }) };
}
