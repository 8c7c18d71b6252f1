import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { type Limits, SkillError } from "../../core/index.ts";
import type { Mount, SandboxProcess, StartOptions } from "../../workspace/index.ts";
import { folderUsage } from "../process/folder-usage.ts";
import { withoutInherited } from "../process/inherited-descriptors.ts";
import type { NamedPipes } from "../process/named-pipes.ts";
import { programInput, standardStreams } from "../process/standard-streams.ts";
import { type Conclusion, concludeSignal, superviseProcess } from "../process/supervise-process.ts";
import { terminalCommand } from "../process/terminal-command.ts";
import type { ControlGroup } from "./control-group.ts";
import { readStatus } from "./read-status.ts";
import { type SystemFolder, sandboxArguments } from "./sandbox-arguments.ts";

/** What all runs of a workspace share. */
export interface RunContext {
  readonly programs: { readonly bubblewrap: string; readonly prlimit: string };
  readonly hostRoot: string;
  readonly temporary: string;
  readonly pipes: NamedPipes;
  readonly etc: string;
  readonly filter?: string;
  readonly node?: string;
  readonly system: readonly SystemFolder[];
  readonly readOnly: readonly string[];
  readonly mounts: readonly Mount[];
  readonly limits: Limits;
  readonly uid?: number;
  /** Groups that are free; absent where the host lets none be made. */
  readonly groups?: { take(): ControlGroup; give(group: ControlGroup): void };
  /** Bounds processes of the blocked program where neither a group nor a user of its own does. */
  readonly boundProcesses?: (pid: number) => Promise<void>;
}

const sharedMemoryBytes = 64 * 1024 * 1024;
const maxOpenFiles = 1024;

/** Processes of bubblewrap itself that count as the run's. */
export const processesOfItsOwn = 2;

/** Runs one program in bubblewrap. */
export async function launchRun(
  context: RunContext,
  argv: readonly string[],
  start: StartOptions,
  interactive: boolean,
): Promise<SandboxProcess> {
  const streams = await standardStreams(context.pipes, programInput(interactive, start.stdin));
  const { limits, groups } = context;
  const command = start.terminal === true ? terminalCommand(argv) : argv;
  const group = groups?.take();
  const killsBefore = group?.memoryKills() ?? 0;
  const waits = group !== undefined || context.boundProcesses !== undefined;
  const filter = context.filter === undefined ? undefined : openSync(context.filter, "r");
  // Descriptors inside: 3 the filter, 4 the status, 5 the arguments, 6 what the program waits for.
  const { stdio, done } = withoutInherited([...streams.entries, filter ?? "ignore", "pipe", "pipe", waits ? "pipe" : "ignore"]);
  const child = spawn(
    context.programs.prlimit,
    [...processLimits(context), "--", context.programs.bubblewrap, "--args", "5", "--", ...command],
    {
      cwd: "/",
      env: {},
      detached: true,
      ...(context.uid !== undefined && { uid: context.uid, gid: context.uid }),
      stdio,
    },
  );
  if (filter !== undefined) closeSync(filter);
  const outputs = streams.attach(child);
  done();

  const pipes: readonly unknown[] = child.stdio;
  const statusPipe = pipes[4] as Readable;
  const argumentPipe = pipes[5] as Writable;
  const gate = pipes[6] as Writable | null;
  for (const pipe of [gate, argumentPipe]) pipe?.on("error", () => undefined);
  argumentPipe.end(
    sandboxArguments({
      ...context,
      folders: readdirSync(context.hostRoot, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name),
      sharedMemoryBytes,
      env: start.env ?? {},
      cwd: start.cwd ?? "work",
      descriptors: { status: 4, ...(filter !== undefined && { seccomp: 3 }), ...(waits && { block: 6 }) },
    })
      .map((argument) => `${argument}\0`)
      .join(""),
  );

  let ended = false;
  let unbounded: unknown;
  const end = (): void => {
    ended = true;
    // The first process inside takes the whole tree with it and leaves nothing to reap; bubblewrap follows.
    const inner = status.childPid();
    if (inner === undefined) child.kill("SIGKILL");
    else if (status.exitCode() === undefined) kill(inner);
  };
  const status = readStatus(statusPipe, (pid) => {
    if (ended) return kill(pid);
    if (!waits) return;
    bound(pid).then(
      () => gate?.end("go"),
      (error: unknown) => {
        // A program without its limits is not let go; one that has ended meanwhile needs none.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") unbounded = error;
        end();
      },
    );
  });
  const bound = async (pid: number): Promise<void> => {
    group?.join(pid);
    await context.boundProcesses?.(pid);
  };

  const supervised = superviseProcess({
    child,
    ...outputs,
    alsoUntil: [statusPipe],
    ...(interactive && start.stdin !== undefined && { stdin: start.stdin }),
    timeoutMs: start.timeoutMs ?? limits.runTimeoutMs,
    maxOutputBytes: start.maxOutputBytes ?? limits.maxOutputBytes,
    maxTotalOutputBytes: limits.maxTotalOutputBytes,
    ...(start.onOutput && { onOutput: start.onOutput }),
    ...(start.signal && { signal: start.signal }),
    watch: async () => {
      if (group !== undefined && group.memoryKills() > killsBefore) return "memory-limit";
      return (await spaceUsed(context)) > limits.maxWorkspaceBytes ? "disk-limit" : undefined;
    },
    end,
    startFault: (error) => sandboxFailed(error.message),
    conclude: (_exit, stderr) => {
      const code = status.exitCode();
      if (unbounded !== undefined) throw sandboxFailed(`its limits could not be set (${String(unbounded)})`);
      if (code === undefined) return concludeFailure(stderr, argv[0] ?? "");
      if (code !== 0 && group !== undefined && group.memoryKills() > killsBefore) return { exitCode: code, reason: "memory-limit" };
      return code > 128 && code <= 192 ? concludeSignal(code - 128) : { exitCode: code, reason: "exited" };
    },
  });
  if (groups !== undefined && group !== undefined) {
    const give = (): void => groups.give(group);
    supervised.exited.then(give, give);
  }
  return supervised;
}

async function spaceUsed(context: RunContext): Promise<number> {
  const enough = context.limits.maxWorkspaceBytes;
  return (await folderUsage(context.hostRoot, enough)) + (await folderUsage(context.temporary, enough));
}

function processLimits(context: RunContext): string[] {
  const { limits } = context;
  return [
    // Written memory, not address space: WebAssembly and garbage collectors reserve far more than they use. A group counts what is used.
    ...(context.groups === undefined ? [`--data=${limits.maxMemoryBytes}`] : []),
    `--cpu=${Math.max(1, Math.ceil(limits.runCpuMs / 1000))}:${Math.ceil(limits.runCpuMs / 1000) + 2}`,
    `--fsize=${limits.maxFileBytes}`,
    `--nofile=${maxOpenFiles}`,
    "--core=0",
    ...(context.uid === undefined || context.groups !== undefined ? [] : [`--nproc=${limits.maxProcesses + processesOfItsOwn}`]),
  ];
}

/** Bubblewrap ended without a program's exit code: either the program could not be started, or the sandbox could not be made. */
function concludeFailure(stderr: string, program: string): Conclusion {
  const execution = /^bwrap: execvp .*: (.*)$/m.exec(stderr)?.[1];
  if (execution !== undefined) {
    const reason = /No such file/.test(execution)
      ? `no such program in the sandbox (it shows the host's /usr and the workspace)`
      : execution.toLowerCase();
    return { exitCode: null, reason: "start-failed", stderr: `${program}: ${reason}` };
  }
  const folder = /^bwrap: Can't chdir to (.*): /m.exec(stderr)?.[1];
  if (folder !== undefined) return { exitCode: null, reason: "start-failed", stderr: `There is no folder ${folder} in the workspace.` };
  throw sandboxFailed(stderr.trim().slice(0, 500) || "it ended without a word");
}

function sandboxFailed(reason: string): SkillError {
  return new SkillError("sandbox-failed", `bubblewrap could not make the sandbox: ${reason}`, { hint: hintFor(reason) });
}

function hintFor(reason: string): string {
  if (/namespace|uid map|Operation not permitted|EPERM|No permissions/i.test(reason)) {
    return "User namespaces are not allowed here. On Ubuntu 24.04 and later, allow them for bwrap with an AppArmor profile; in a container, start it with a seccomp profile that allows them; or use another sandbox.";
  }
  return "Run `skillwright doctor` to see what this machine allows, or use another sandbox.";
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
