import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chown, mkdir, realpath, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { throwIfAborted } from "../core/index.ts";
import type { OpenWorkspaceOptions, Sandbox, SandboxProcess, SandboxPromises, StartOptions, Workspace } from "../workspace/index.ts";
import { takeHostUser } from "./bubblewrap/host-user.ts";
import { confinedFolder } from "./process/confined-folder.ts";
import { diskWorkspace } from "./process/disk-workspace.ts";
import { folderUsage } from "./process/folder-usage.ts";
import { withoutInherited } from "./process/inherited-descriptors.ts";
import { namedPipes } from "./process/named-pipes.ts";
import { probeSandbox } from "./process/probe-sandbox.ts";
import { signalGroup } from "./process/process-tree.ts";
import { programInput, standardStreams } from "./process/standard-streams.ts";
import { type Conclusion, concludeSignal, superviseProcess } from "./process/supervise-process.ts";
import { openWorkspaceHome } from "./process/workspace-home.ts";
import { explainRefusal } from "./shell/start-refusal.ts";
import { fileRules } from "./srt/file-rules.ts";
import { takeSandboxManager } from "./srt/sandbox-manager.ts";
import { startLine, startVariables } from "./srt/start-script.ts";

/** Options of {@link srtSandbox}. */
export interface SrtSandboxOptions {
  /** Where workspaces are made. @default a folder of this user in the system's temporary folder */
  readonly directory?: string;
}

/**
 * Runs programs through `@anthropic-ai/sandbox-runtime`: bubblewrap with proxies on Linux, Seatbelt on macOS. The sandbox to choose on a
 * Mac, and for runs that may reach some hosts and no others. Needs bubblewrap, socat and ripgrep on Linux.
 */
export function srtSandbox(options: SrtSandboxOptions = {}): Sandbox {
  const sandbox: Sandbox = {
    id: "srt",
    isolation: "process",
    promises: promisesHere(),
    probe: (probeOptions) => probeSandbox(sandbox, "the sandbox runtime, with an allow-list for the network", probeOptions?.signal),
    open: (request) => openSrt(options, request),
  };
  return sandbox;
}

function promisesHere(): SandboxPromises {
  const linux = process.platform === "linux";
  return {
    writesConfined: true,
    // On a Mac only the folders where people's files lie are hidden.
    readsConfined: linux,
    network: "allow-list",
    environmentHidden: true,
    // Bounded for each process, but not for all of a run together.
    memoryLimited: false,
    // The kernel counts by user, so it takes a user of the workspace's own.
    processesLimited: linux && process.getuid?.() === 0,
    cpuLimited: true,
    fileSizeLimited: true,
    workspaceSizeLimited: false,
    treeKilled: linux,
    diesWithHost: linux,
    skillsReadOnly: true,
    interactive: true,
    terminal: false,
  };
}

async function openSrt(options: SrtSandboxOptions, request: OpenWorkspaceOptions): Promise<Workspace> {
  throwIfAborted(request.signal);
  const { limits, mounts = [], readOnly = [] } = request;
  const runtime = await takeSandboxManager();
  const user = takeHostUser();
  try {
    const home = await openWorkspaceHome(options.directory, user?.uid);
    const root = await realpath(home.root);
    const own = { home: join(dirname(root), "home"), temporary: join(dirname(root), "tmp") };
    for (const folder of Object.values(own)) {
      await mkdir(folder, { mode: 0o700 });
      if (user !== undefined) await chown(folder, user.uid, user.uid);
    }
    const isReadOnly = (path: string): boolean => readOnly.some((folder) => path === folder || path.startsWith(`${folder}/`));
    const files = confinedFolder(root, { mounts, ownerOf: (path) => (isReadOnly(path) ? undefined : user?.uid) });
    await files.writeFiles([...readOnly, "work"].map((path) => ({ path: `${path}/` })));
    for (const mount of mounts) {
      await mkdir(join(root, dirname(mount.path)), { recursive: true });
      await symlink(mount.hostPath, join(root, mount.path));
    }
    const allowed = request.policy.network === "none" ? [] : request.policy.network.allow;
    const rules = fileRules({ root, own: Object.values(own), readOnly, mounts, needs: runtime.needs });
    const pipes = namedPipes(home.host);
    let running = 0;
    const spaceUsed = async (): Promise<number> => {
      const used = await Promise.all([root, ...Object.values(own)].map((folder) => folderUsage(folder, limits.maxWorkspaceBytes)));
      return used.reduce((total, each) => total + each, 0);
    };

    const launch = async (argv: readonly string[], start: StartOptions, interactive: boolean): Promise<SandboxProcess> => {
      const folder = start.cwd ?? "work";
      const token = randomUUID();
      // What binds a connection to this run's hosts: nobody else may guess it.
      const commandId = randomBytes(24).toString("base64url");
      const wrapped = await runtime.manager.wrapWithSandboxArgv(startLine, undefined, { filesystem: rules }, undefined, root, {
        commandId,
      });
      if (allowed.length > 0) runtime.manager.registerCommandNetworkLists(commandId, { allowedDomains: [...allowed] });
      const streams = await standardStreams(pipes, programInput(interactive, start.stdin));
      const { stdio, done } = withoutInherited(streams.entries);
      const [program = "", ...rest] = wrapped.argv;
      const carried = startVariables([
        token,
        root,
        join(root, folder),
        own.temporary,
        allowed.length > 0 ? "allow-list" : "none",
        String(Math.max(1, Math.ceil(limits.runCpuMs / 1000))),
        String(Math.ceil(limits.maxFileBytes / 512)),
        String(Math.ceil(limits.maxMemoryBytes / 1024)),
        String(user === undefined ? 0 : limits.maxProcesses + ownProcesses),
        ...argv,
      ]);
      running++;
      const child = spawn(program, rest, {
        cwd: root,
        detached: true,
        stdio,
        env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", HOME: own.home, LANG: "C.UTF-8", ...start.env, ...carried },
        ...(user !== undefined && { uid: user.uid, gid: user.uid }),
      });
      const outputs = streams.attach(child);
      done();
      const supervised = superviseProcess({
        child,
        ...outputs,
        ...(interactive && start.stdin !== undefined && { stdin: start.stdin }),
        timeoutMs: start.timeoutMs ?? limits.runTimeoutMs,
        maxOutputBytes: start.maxOutputBytes ?? limits.maxOutputBytes,
        maxTotalOutputBytes: limits.maxTotalOutputBytes,
        ...(start.onOutput && { onOutput: start.onOutput }),
        ...(start.signal && { signal: start.signal }),
        watch: async () => ((await spaceUsed()) > limits.maxWorkspaceBytes ? "disk-limit" : undefined),
        end: () => {
          if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
        },
        conclude: ({ code }, stderr) => conclude(code ?? 137, stderr, { token, program: argv[0] ?? "", folder }),
      });
      const after = (): void => {
        runtime.manager.unregisterCommandNetworkLists(commandId);
        // The runtime's mount points are shared by runs at the same time.
        if (--running === 0) runtime.manager.cleanupAfterCommand();
      };
      supervised.exited.then(after, after);
      return supervised;
    };

    return diskWorkspace({
      root,
      files,
      launch,
      onClose: async () => {
        user?.release();
        await runtime.release();
        await home.remove();
      },
    });
  } catch (error) {
    user?.release();
    await runtime.release();
    throw error;
  }
}

/** The runtime's own processes beside the program: shells, relays, and what waits for them. */
const ownProcesses = 12;

function conclude(
  code: number,
  stderr: string,
  run: { readonly token: string; readonly program: string; readonly folder: string },
): Conclusion {
  if (stderr.startsWith(`${run.token} `)) {
    const word = stderr.slice(run.token.length + 1).trim();
    return { exitCode: null, reason: "start-failed", stderr: explainRefusal(word, run.program, run.folder) };
  }
  return code > 128 && code <= 192 ? concludeSignal(code - 128) : { exitCode: code, reason: "exited" };
}
