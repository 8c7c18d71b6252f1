import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, realpath, symlink } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { setTimeout } from "node:timers/promises";
import { SkillError, throwIfAborted } from "../core/index.ts";
import type { OpenWorkspaceOptions, Sandbox, SandboxProcess, SandboxPromises, StartOptions, Workspace } from "../workspace/index.ts";
import { confinedFolder } from "./process/confined-folder.ts";
import { diskWorkspace } from "./process/disk-workspace.ts";
import { withoutInherited } from "./process/inherited-descriptors.ts";
import { namedPipes } from "./process/named-pipes.ts";
import { probeSandbox } from "./process/probe-sandbox.ts";
import { endMarked, runMark, signalGroup } from "./process/process-tree.ts";
import { refusedLaunch } from "./process/refused-launch.ts";
import { programInput, standardStreams } from "./process/standard-streams.ts";
import { superviseProcess } from "./process/supervise-process.ts";
import { hasTerminals, terminalCommand } from "./process/terminal-command.ts";
import { openWorkspaceHome } from "./process/workspace-home.ts";

/** Between the request to end and the end by force. */
const graceMs = 500;

/** Time stamps of files tick; a change within the same tick as the writing would not show. */
const stampTickMs = 10;

/** Options of {@link localSandbox}. */
export interface LocalSandboxOptions {
  /** Where workspaces are made. @default a folder of this user in the system's temporary folder */
  readonly directory?: string;
}

const promises: SandboxPromises = {
  writesConfined: false,
  readsConfined: false,
  network: "open",
  environmentHidden: false,
  memoryLimited: false,
  processesLimited: false,
  cpuLimited: false,
  fileSizeLimited: false,
  workspaceSizeLimited: false,
  treeKilled: false,
  diesWithHost: false,
  skillsReadOnly: false,
  interactive: true,
  terminal: hasTerminals,
};

/**
 * Runs programs on the host with nothing in between: for code you trust, chosen by name only. Programs get their own environment and
 * folder, wall time and output are bounded, and the process tree is ended as far as it can be found; everything else is open to them.
 */
export function localSandbox(options: LocalSandboxOptions = {}): Sandbox {
  const sandbox: Sandbox = {
    id: "local",
    isolation: "none",
    promises,
    probe: (probeOptions) => probeSandbox(sandbox, "programs run on the host without isolation", probeOptions?.signal),
    open: (openOptions) => openLocal(options, openOptions),
  };
  return sandbox;
}

async function openLocal(options: LocalSandboxOptions, request: OpenWorkspaceOptions): Promise<Workspace> {
  throwIfAborted(request.signal);
  const home = await openWorkspaceHome(options.directory);
  const mounts = request.mounts ?? [];
  for (const folder of [...(request.readOnly ?? []), "work"]) await mkdir(join(home.root, folder), { recursive: true });
  for (const mount of mounts) {
    await mkdir(join(home.root, dirname(mount.path)), { recursive: true });
    await symlink(mount.hostPath, join(home.root, mount.path));
  }
  const own = { home: join(home.host, "home"), temporary: join(home.host, "tmp") };
  await mkdir(own.home);
  await mkdir(own.temporary);
  const files = confinedFolder(home.root, { mounts });
  const root = await realpath(home.root);
  const pipes = namedPipes(home.host);
  let writtenAt = 0;

  const launch = async (argv: readonly string[], start: StartOptions, interactive: boolean): Promise<SandboxProcess> => {
    const cwd = await realpath(join(root, start.cwd ?? "work")).catch(() => undefined);
    if (cwd === undefined) return refusedLaunch(`There is no folder ${start.cwd ?? "work"} in the workspace.`);
    if (cwd !== root && !cwd.startsWith(root + sep) && !mounts.some((mount) => cwd.startsWith(mount.hostPath))) {
      throw new SkillError("path-outside-root", `The folder ${start.cwd} leads outside the workspace.`, {
        hint: "Run in a folder of the workspace.",
      });
    }
    const sinceWrite = performance.now() - writtenAt;
    if (sinceWrite < stampTickMs) await setTimeout(stampTickMs - sinceWrite);
    const mark = randomUUID();
    const [program = "", ...rest] = start.terminal === true ? terminalCommand(argv) : argv;
    const streams = await standardStreams(pipes, programInput(interactive, start.stdin));
    const { stdio, done } = withoutInherited(streams.entries);
    const child = spawn(program, rest, {
      cwd,
      stdio,
      detached: true,
      windowsHide: true,
      env: {
        PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
        HOME: own.home,
        TMPDIR: own.temporary,
        LANG: "C.UTF-8",
        ...start.env,
        [runMark]: mark,
      },
    });
    const outputs = streams.attach(child);
    done();
    const group = child.pid;
    let patience: NodeJS.Timeout | undefined;
    const force = (): void => {
      clearTimeout(patience);
      if (group === undefined) return;
      signalGroup(group, "SIGKILL");
      endMarked(mark, group);
    };
    return superviseProcess({
      child,
      ...outputs,
      ...(interactive && start.stdin !== undefined && { stdin: start.stdin }),
      timeoutMs: start.timeoutMs ?? request.limits.runTimeoutMs,
      maxOutputBytes: start.maxOutputBytes ?? request.limits.maxOutputBytes,
      maxTotalOutputBytes: request.limits.maxTotalOutputBytes,
      ...(start.onOutput && { onOutput: start.onOutput }),
      ...(start.signal && { signal: start.signal }),
      end: () => {
        if (group !== undefined) signalGroup(group, "SIGTERM");
        patience = globalThis.setTimeout(force, graceMs);
      },
      sweep: force,
    });
  };

  return diskWorkspace({
    root,
    files: {
      ...files,
      writeFiles: async (list, writeOptions) => {
        await files.writeFiles(list, writeOptions);
        writtenAt = performance.now();
      },
    },
    launch,
    onClose: () => home.remove(),
  });
}
