import { randomInt } from "node:crypto";
import { SkillError, throwIfAborted } from "../core/index.ts";
import type { OpenWorkspaceOptions, Sandbox, SandboxPromises, Workspace } from "../workspace/index.ts";
import { buildImage } from "./container/build-image.ts";
import { connectEngine, type Engine } from "./container/connect-engine.ts";
import { containerFiles } from "./container/container-files.ts";
import { containerRuns, maxSlots } from "./container/container-runs.ts";
import { openContainer, removeStaleContainers, workspaceRoot } from "./container/open-container.ts";
import { diskWorkspace } from "./process/disk-workspace.ts";
import { probeSandbox } from "./process/probe-sandbox.ts";

const defaultImage = "docker.io/library/python:3.13-slim";

/** Options of {@link containerSandbox}. */
export interface ContainerSandboxOptions {
  /** The engine's socket or address. @default `DOCKER_HOST`, else the first usual socket of Docker or Podman that answers */
  readonly socket?: string;
  /** An image that the engine has; it needs `sh`, `tar`, `find` and `head`. @default python:3.13-slim */
  readonly image?: string;
  /** A folder with a `Dockerfile` to build the image from, once for each content. */
  readonly build?: string;
  /** Another runtime of the engine: `runsc` for gVisor. @default the engine's own */
  readonly runtime?: string;
  /** How many processors a session may keep busy. @default 1 */
  readonly cpus?: number;
  /** The user's number that programs run as, for mounted folders that belong to it. @default a number of its own for each session */
  readonly user?: number;
}

const promises: SandboxPromises = {
  writesConfined: true,
  readsConfined: true,
  network: "none",
  environmentHidden: true,
  memoryLimited: true,
  processesLimited: true,
  cpuLimited: true,
  fileSizeLimited: true,
  workspaceSizeLimited: true,
  treeKilled: true,
  diesWithHost: true,
  skillsReadOnly: true,
  interactive: true,
  terminal: true,
};

/** Whether another runtime keeps the limits of control groups and of volumes in memory is its configuration's choice, which the engine does not tell. */
const runtimePromises: SandboxPromises = { ...promises, memoryLimited: false, processesLimited: false, workspaceSizeLimited: false };

/**
 * Runs programs in a container of Docker or Podman, one warm container for each session: no network, a read-only root, no capabilities,
 * no new privileges, a user without rights, and the session's limits. The workspace is kept in memory and counts as such: at most half of
 * `maxMemoryBytes`. Everything ends with this process, even when that is killed.
 */
export function containerSandbox(options: ContainerSandboxOptions = {}): Sandbox {
  let engine: Promise<Engine> | undefined;
  let image: Promise<string> | undefined;

  const connect = (): Promise<Engine> => {
    engine ??= connectEngine(options.socket).then(async (connected) => {
      // What cannot be removed now is in nobody's way.
      await removeStaleContainers(connected).catch(() => undefined);
      return connected;
    });
    engine.catch(() => {
      engine = undefined;
    });
    return engine;
  };
  const provide = (connected: Engine): Promise<string> => {
    const { build } = options;
    image ??= build === undefined ? Promise.resolve(options.image ?? defaultImage) : buildImage(connected, build);
    image.catch(() => {
      image = undefined;
    });
    return image;
  };

  const sandbox: Sandbox = {
    id: "container",
    isolation: "container",
    promises: options.runtime === undefined ? promises : runtimePromises,
    async probe(probeOptions) {
      const connected = await connect().catch((error: unknown) => error);
      const name = (connected as Partial<Engine>).name ?? "no engine";
      const runtime = options.runtime === undefined ? "" : ` with ${options.runtime}`;
      return probeSandbox(sandbox, `${name}${runtime}, ${options.build ?? options.image ?? defaultImage}`, probeOptions?.signal);
    },
    async open(request) {
      throwIfAborted(request.signal);
      if (request.policy.network !== "none" && request.policy.network.allow.length > 0) {
        throw new SkillError("configuration-invalid", "containerSandbox gives runs no network, and the policy asks for some.", {
          hint: 'Use policy { network: "none" }, or a sandbox whose promises say network "allow-list".',
        });
      }
      const connected = await connect();
      return openWorkspace(connected, await provide(connected), options, request);
    },
  };
  return sandbox;
}

async function openWorkspace(
  engine: Engine,
  image: string,
  options: ContainerSandboxOptions,
  request: OpenWorkspaceOptions,
): Promise<Workspace> {
  // A user that no other session has, because the kernel counts processes by user across containers.
  const user = options.user ?? 10_000 + randomInt(700) * maxSlots;
  const container = await openContainer(engine, { image, runtime: options.runtime, cpus: options.cpus ?? 1 }, request);
  const runs = containerRuns(container, user, request.limits);
  return diskWorkspace({
    root: workspaceRoot,
    files: containerFiles(container, `${user}:${user}`, request.readOnly ?? [], request.mounts ?? []),
    launch: runs.launch,
    onClose: () => container.remove(),
  });
}
