import { readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import type Docker from "dockerode";
import { SkillError } from "../../core/index.ts";
import type { OpenWorkspaceOptions } from "../../workspace/index.ts";
import type { Engine } from "./connect-engine.ts";
import { type EngineExec, type ExecRequest, startExec } from "./engine-exec.ts";
import { hostIdentity, isGoneHost, labels } from "./host-identity.ts";

/** Where the workspace is mounted. */
export const workspaceRoot = "/workspace";

/** Processes beyond the limit of a run: the container's own, and those by which the host reads, writes and ends. */
const spareProcesses = 64;

/** The container's own processes while nothing runs: the shell and what it waits for. */
const idleProcesses = 2;

/** The user that owns what runs only read; it has no capability. Nothing of a run can end its processes. */
export const rootUser = "0:0";

/** How a container is made. */
export interface ContainerSettings {
  readonly image: string;
  readonly runtime: string | undefined;
  readonly cpus: number;
}

/** What one short command of the host answered. */
export interface CommandOutput {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/** A running container that belongs to one session and to this process. */
export interface SessionContainer {
  start(request: ExecRequest): Promise<EngineExec>;
  /** Runs a short command of the host's own to its end. */
  command(
    argv: readonly string[],
    options: { readonly user: string; readonly stdin?: Uint8Array; readonly maxBytes?: number },
  ): Promise<CommandOutput>;
  /** Names of the variables that the image and the engine set for every program. */
  readonly ownVariables: readonly string[];
  /** Whether the kernel counts no process but the container's own and root's; undefined where it cannot be asked from here. */
  isIdle(): boolean | undefined;
  /** How many processes the kernel has ended for want of memory. */
  outOfMemoryKills(): Promise<number>;
  /** Ends everything in it and removes it; the reason is told to whoever uses it afterwards. */
  remove(reason?: string): Promise<void>;
}

/**
 * Starts a session's container. Its main process reads from a connection that this process holds: when this process ends, however it
 * ends, the engine closes that input, the main process ends, and with it everything in the container, which the engine then removes.
 * @throws SkillError `sandbox-unavailable`
 */
export async function openContainer(engine: Engine, settings: ContainerSettings, request: OpenWorkspaceOptions): Promise<SessionContainer> {
  const container = await createContainer(engine, settings, request);
  let removedFor: string | undefined;
  let removing: Promise<void> | undefined;
  let lifeline: Duplex | undefined;

  const remove = (reason = "it was closed"): Promise<void> => {
    removedFor ??= reason;
    removing ??= container
      .remove({ force: true, v: true })
      .catch((error: unknown) => {
        // Already gone, or going by itself.
        if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
      })
      .finally(() => {
        lifeline?.destroy();
      });
    return removing;
  };

  const lost = (error: unknown): SkillError =>
    new SkillError("sandbox-failed", `The session's container cannot be used: ${removedFor ?? messageOf(error)}.`, {
      hint: "Open a new session; what was in the workspace is gone. If it happens again, look at the engine's log.",
      cause: error,
    });

  /** The host's own programs as root that go on between questions. */
  let residents = 0;

  const start = async (exec: ExecRequest): Promise<EngineExec> => {
    const resides = exec.user === rootUser && exec.stdin === true;
    if (resides) residents++;
    const leave = (): void => {
      if (resides) residents--;
    };
    try {
      const started = await startExec(container, exec);
      started.ended.then(leave, leave);
      return {
        ...started,
        ended: started.ended.catch((error: unknown) => {
          throw lost(error);
        }),
      };
    } catch (error) {
      leave();
      throw lost(error);
    }
  };

  const command: SessionContainer["command"] = async (argv, { user, stdin, maxBytes = 1024 * 1024 }) => {
    const kept: Uint8Array[] = [];
    let bytes = 0;
    let stderr = "";
    const exec = await start({
      argv,
      user,
      stdin: stdin !== undefined,
      onOutput: (stream, chunk) => {
        if (stream === "stderr") stderr = (stderr + Buffer.from(chunk).toString()).slice(0, 4096);
        else if (bytes < maxBytes) {
          kept.push(chunk.subarray(0, maxBytes - bytes));
          bytes += chunk.length;
        }
      },
    });
    if (stdin !== undefined) {
      // Not waited for: a command that refuses its input still says why.
      exec.write(stdin).then(exec.closeStdin, () => undefined);
    }
    return { code: await exec.ended, stdout: Buffer.concat(kept), stderr };
  };

  try {
    lifeline = (await container.attach({ stream: true, stdin: true, stdout: false, stderr: false, hijack: true })) as Duplex;
    lifeline.on("error", () => undefined);
    await container.start();
    const state = await container.inspect();
    const ownVariables = await prepare(command, request);
    return {
      start,
      command,
      ownVariables,
      isIdle: idleTest(state.State.Pid, container.id, () => residents),
      outOfMemoryKills: async () => {
        const counters = "cat /sys/fs/cgroup/memory/memory.oom_control /sys/fs/cgroup/memory.events 2>/dev/null";
        const { stdout } = await command(["sh", "-c", counters], { user: rootUser });
        return Number(/^oom_kill (\d+)$/m.exec(Buffer.from(stdout).toString())?.[1] ?? 0);
      },
      remove,
    };
  } catch (error) {
    await remove("it could not be started").catch(() => undefined);
    throw notStarted(settings.image, error);
  }
}

/** Removes containers of processes that are gone: those that an engine could not remove itself. */
export async function removeStaleContainers(engine: Engine): Promise<void> {
  const found = await engine.docker.listContainers({ all: true, filters: { label: [labels.host] } });
  const stale = found.filter((each) => isGoneHost(each.Labels[labels.host] ?? ""));
  await Promise.all(
    stale.map((each) =>
      engine.docker
        .getContainer(each.Id)
        .remove({ force: true, v: true })
        .catch(() => undefined),
    ),
  );
}

async function createContainer(engine: Engine, settings: ContainerSettings, request: OpenWorkspaceOptions): Promise<Docker.Container> {
  const { limits, mounts = [] } = request;
  // Files in memory count as memory; smaller shares keep the main process alive when a run fills them.
  const memory = limits.maxMemoryBytes;
  const shares = { workspace: Math.min(limits.maxWorkspaceBytes, Math.floor(memory / 2)), temporary: Math.floor(memory / 8) };
  const cpuSeconds = Math.ceil(limits.runCpuMs / 1000);
  try {
    return await engine.docker.createContainer({
      Image: settings.image,
      // A shell that waits for a child also takes leave of every orphan, so no init is needed.
      Entrypoint: ["sh", "-c", "cat >/dev/null; exit 0"],
      Cmd: [],
      User: rootUser,
      WorkingDir: "/",
      AttachStdin: true,
      AttachStdout: false,
      AttachStderr: false,
      OpenStdin: true,
      StdinOnce: true,
      Labels: { [labels.host]: hostIdentity(), [labels.session]: request.sessionId },
      HostConfig: {
        AutoRemove: true,
        NetworkMode: "none",
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        ...(settings.runtime !== undefined && { Runtime: settings.runtime }),
        Memory: memory,
        MemorySwap: memory,
        NanoCpus: Math.round(settings.cpus * 1e9),
        PidsLimit: limits.maxProcesses + spareProcesses,
        ShmSize: Math.floor(memory / 16),
        Tmpfs: {
          [workspaceRoot]: `rw,exec,nosuid,nodev,size=${shares.workspace},mode=1777`,
          "/tmp": `rw,exec,nosuid,nodev,size=${shares.temporary},mode=1777`,
        },
        Binds: mounts.map((mount) => `${mount.hostPath}:${workspaceRoot}/${mount.path}:${mount.readOnly ? "ro" : "rw"}`),
        LogConfig: { Type: "none", Config: {} },
        Ulimits: [
          { Name: "core", Soft: 0, Hard: 0 },
          { Name: "cpu", Soft: cpuSeconds, Hard: cpuSeconds + 5 },
          { Name: "fsize", Soft: limits.maxFileBytes, Hard: limits.maxFileBytes },
          { Name: "nofile", Soft: 1024, Hard: 1024 },
          { Name: "nproc", Soft: 4096, Hard: 4096 },
        ],
      },
    });
  } catch (error) {
    throw notCreated(engine, settings.image, error);
  }
}

/** Makes the folders and learns which variables every program gets. A volume in memory belongs to root and is closed to others at first. */
async function prepare(command: SessionContainer["command"], request: OpenWorkspaceOptions): Promise<string[]> {
  const closed = request.readOnly ?? [];
  // What holds a closed folder keeps its entries where they are; everything else is open to every user of the session.
  const holding = new Set(closed.flatMap(foldersAbove));
  const shared = ["work", ...(request.mounts ?? []).flatMap((mount) => foldersAbove(mount.path))].filter((folder) => !holding.has(folder));
  const script = `
set -e
chmod 1777 ${workspaceRoot} /tmp
mkdir -p /tmp/home
chmod 0777 /tmp/home
cd ${workspaceRoot}
mode=
for argument do
  case $argument in
    mode=*) mode=\${argument#mode=} ;;
    *) mkdir -p "./$argument"; chmod "$mode" "./$argument" ;;
  esac
done
for tool in tar find head id; do command -v $tool >/dev/null || { echo "the image has no $tool" >&2; exit 9; }; done
env`;
  const folders = ["mode=0755", ...closed, "mode=1777", ...holding, "mode=0777", ...shared];
  const { code, stdout, stderr } = await command(["sh", "-c", script, "sh", ...folders], { user: rootUser });
  if (code !== 0) throw new Error(`the workspace could not be prepared (exit code ${code}): ${stderr || Buffer.from(stdout).toString()}`);
  const names = Buffer.from(stdout)
    .toString()
    .split("\n")
    .map((line) => line.slice(0, Math.max(0, line.indexOf("="))));
  return names.filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== "PATH");
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Asks the kernel how many processes there are, where the engine runs on this kernel and an idle container counts as it should. */
function idleTest(pid: number, id: string, residents: () => number): () => boolean | undefined {
  const file = pidsFile(pid, id);
  const count = (): number | undefined => {
    try {
      return file === undefined ? undefined : Number(readFileSync(file, "utf8"));
    } catch {
      return undefined;
    }
  };
  if (count() !== idleProcesses) return () => undefined;
  return () => {
    const now = count();
    return now === undefined ? undefined : now === idleProcesses + residents();
  };
}

function pidsFile(pid: number, id: string): string | undefined {
  try {
    for (const line of readFileSync(`/proc/${pid}/cgroup`, "utf8").split("\n")) {
      const [, controllers, path] = line.split(":");
      if (path === undefined || !path.includes(id)) continue;
      if (controllers === "") return `/sys/fs/cgroup${path}/pids.current`;
      if (controllers?.split(",").includes("pids")) return `/sys/fs/cgroup/pids${path}/pids.current`;
    }
  } catch {
    // Another kernel, or none that can be asked.
  }
  return undefined;
}

function notCreated(engine: Engine, image: string, cause: unknown): SkillError {
  return new SkillError("sandbox-unavailable", `${engine.name} made no container of ${image}: ${messageOf(cause)}`, {
    hint:
      statusOf(cause) === 404
        ? `Fetch the image once: docker pull ${image}`
        : "Look at the engine's message; limits and runtimes differ between engines.",
    cause,
  });
}

function notStarted(image: string, cause: unknown): SkillError {
  return new SkillError("sandbox-unavailable", `A container of ${image} could not be started: ${messageOf(cause)}`, {
    hint: "Start the same image by hand (docker run --rm IMAGE sh -c true) to see what the engine says.",
    cause,
  });
}

function statusOf(error: unknown): number | undefined {
  return (error as { readonly statusCode?: number } | undefined)?.statusCode;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}
