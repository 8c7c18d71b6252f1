import { existsSync, lstatSync, readlinkSync, statSync } from "node:fs";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { normalizeRelativePath, SkillError, throwIfAborted } from "../core/index.ts";
import type { OpenWorkspaceOptions, Sandbox, SandboxPromises, Workspace } from "../workspace/index.ts";
import { boundProcesses, processesCountedInside } from "./bubblewrap/bound-processes.ts";
import { type ControlGroup, type ControlGroups, findControlGroups } from "./bubblewrap/control-group.ts";
import { takeHostUser } from "./bubblewrap/host-user.ts";
import { launchRun, processesOfItsOwn, type RunContext } from "./bubblewrap/launch-run.ts";
import { type SystemFolder, workspaceRoot } from "./bubblewrap/sandbox-arguments.ts";
import { seccompFilter } from "./bubblewrap/seccomp-filter.ts";
import { confinedFolder, type FolderAccess } from "./process/confined-folder.ts";
import { diskWorkspace } from "./process/disk-workspace.ts";
import { namedPipes } from "./process/named-pipes.ts";
import { probeSandbox } from "./process/probe-sandbox.ts";
import { hasTerminals } from "./process/terminal-command.ts";
import { openWorkspaceHome, type WorkspaceHome } from "./process/workspace-home.ts";

/** Options of {@link bubblewrapSandbox}. */
export interface BubblewrapSandboxOptions {
  /** Where workspaces are made. @default a folder of this user in the system's temporary folder */
  readonly directory?: string;
}

/**
 * Runs programs in Linux namespaces of their own through bubblewrap: they see the host's /usr, read-only, and their workspace; no
 * network, no other process, no host file, no variable. Started by root it changes to a user that nothing else runs under.
 */
export function bubblewrapSandbox(options: BubblewrapSandboxOptions = {}): Sandbox {
  const groups = findControlGroups();
  const sandbox: Sandbox = {
    id: "bubblewrap",
    isolation: "process",
    promises: promisesWith(groups),
    probe: (probeOptions) => probeSandbox(sandbox, describe(groups), probeOptions?.signal),
    open: (openOptions) => openBubblewrap(options, groups, openOptions),
  };
  return sandbox;
}

function promisesWith(groups: ControlGroups | undefined): SandboxPromises {
  return {
    writesConfined: true,
    readsConfined: true,
    network: "none",
    environmentHidden: true,
    // Without a control group memory is bounded for each process, but not for all of a run together.
    memoryLimited: groups !== undefined,
    processesLimited: groups !== undefined || isRoot() || processesCountedInside,
    cpuLimited: true,
    fileSizeLimited: true,
    workspaceSizeLimited: false,
    treeKilled: true,
    diesWithHost: true,
    skillsReadOnly: true,
    interactive: true,
    terminal: hasTerminals,
  };
}

function describe(groups: ControlGroups | undefined): string {
  const user = isRoot() ? "under a user of its own" : "under your user";
  const bounds = groups === undefined ? "limits per process" : `limits per run (control groups v${groups.version})`;
  const filter = architecture() === undefined ? "no call filter on this processor" : "call filter";
  return `namespaces, ${filter}, ${bounds}, ${user}`;
}

async function openBubblewrap(
  options: BubblewrapSandboxOptions,
  controlGroups: ControlGroups | undefined,
  request: OpenWorkspaceOptions,
): Promise<Workspace> {
  if (request.policy.network !== "none") {
    throw new SkillError("configuration-invalid", "bubblewrapSandbox gives runs no network, and the policy asks for some.", {
      hint: 'Use policy { network: "none" }, or a sandbox whose promises say network "allow-list".',
    });
  }
  throwIfAborted(request.signal);
  const readOnly = request.readOnly ?? [];
  const mounts = request.mounts ?? [];
  checkPlaces([...readOnly, ...mounts.map((mount) => mount.path)]);
  const programs = { bubblewrap: findProgram("bwrap", "bubblewrap"), prlimit: findProgram("prlimit", "util-linux") };
  const user = takeHostUser();
  const home = await openWorkspaceHome(options.directory, user?.uid);
  try {
    const { files, context, groups } = await prepareHome(home, user?.uid, programs, controlGroups, request);
    return diskWorkspace({
      root: workspaceRoot,
      files,
      launch: (argv, start, interactive) => launchRun(context, argv, start, interactive),
      onClose: async () => {
        await Promise.all(groups.map((group) => group.remove()));
        await home.remove();
        user?.release();
      },
    });
  } catch (error) {
    await home.remove();
    user?.release();
    throw error;
  }
}

/** Makes everything that the runs of a workspace share. */
async function prepareHome(
  home: WorkspaceHome,
  owner: number | undefined,
  programs: RunContext["programs"],
  controlGroups: ControlGroups | undefined,
  request: OpenWorkspaceOptions,
): Promise<{ readonly files: FolderAccess; readonly context: RunContext; readonly groups: readonly ControlGroup[] }> {
  const { limits, readOnly = [], mounts = [] } = request;
  const notTheirs = [...readOnly, ...mounts.map((mount) => mount.path)];
  // What is read-only or mounted stays the host's.
  const ownerOf = (path: string): number | undefined =>
    notTheirs.some((folder) => path === folder || path.startsWith(`${folder}/`)) ? undefined : owner;
  // Before anything is mounted, so that mounts find a place to stand on.
  const places = [...notTheirs, "work", ".home"];
  await confinedFolder(home.root, { ownerOf }).writeFiles(places.map((path) => ({ path: `${path}/` })));

  const temporary = join(dirname(home.root), "tmp");
  const etc = join(dirname(home.root), "etc");
  await mkdir(temporary, { mode: 0o700 });
  await mkdir(etc, { mode: 0o755 });
  if (owner !== undefined) await chown(temporary, owner, owner);
  for (const [name, text] of Object.entries(etcFiles)) await writeFile(join(etc, name), text, { mode: 0o644 });
  const machine = architecture();
  const filter = join(home.host, "filter");
  if (machine !== undefined) await writeFile(filter, seccompFilter(machine));

  const free: ControlGroup[] = [];
  const groups: ControlGroup[] = [];
  const processes = limits.maxProcesses + processesOfItsOwn;
  const makeGroup = (made: ControlGroups): ControlGroup => {
    const group = made.create({ memoryBytes: limits.maxMemoryBytes, processes });
    groups.push(group);
    return group;
  };
  const context: RunContext = {
    programs,
    hostRoot: home.root,
    temporary,
    pipes: namedPipes(home.host),
    etc,
    ...(machine !== undefined && { filter }),
    ...nodeOutsideUsr(owner !== undefined),
    system: ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"].flatMap(systemFolder),
    readOnly,
    mounts,
    limits,
    ...(owner !== undefined && { uid: owner }),
    ...(controlGroups && { groups: { take: () => free.pop() ?? makeGroup(controlGroups), give: (group) => free.push(group) } }),
    ...(owner === undefined &&
      controlGroups === undefined &&
      processesCountedInside && { boundProcesses: (pid) => boundProcesses(programs.prlimit, pid, processes) }),
  };
  return { files: confinedFolder(home.root, { mounts, ownerOf }), context, groups };
}

function checkPlaces(paths: readonly string[]): void {
  for (const path of paths) {
    if (normalizeRelativePath(path) === path) continue;
    throw new SkillError("configuration-invalid", `${JSON.stringify(path)} is no place in a workspace.`, {
      hint: "Name mounts and read-only folders relative to the workspace's root, without `..` and a slash at the end.",
    });
  }
}

const etcFiles: Readonly<Record<string, string>> = {
  passwd: `root:x:0:0:root:/root:/usr/sbin/nologin\nsandbox:x:65534:65534:sandbox:${workspaceRoot}/.home:/bin/sh\n`,
  group: "root:x:0:\nsandbox:x:65534:\n",
  hosts: "127.0.0.1 localhost sandbox\n::1 localhost\n",
};

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function architecture(): "x64" | "arm64" | undefined {
  return process.arch === "x64" || process.arch === "arm64" ? process.arch : undefined;
}

function findProgram(name: string, debianPackage: string): string {
  const found = ["/usr/bin", "/usr/local/bin", "/bin", "/usr/sbin"].map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new SkillError("sandbox-unavailable", `${name} is not installed.`, {
    hint:
      process.platform === "linux"
        ? `Install it: apt-get install ${debianPackage} (or your system's ${debianPackage} package).`
        : "bubblewrap runs on Linux only; use virtualSandbox or containerSandbox.",
  });
}

/** The Node that runs this, for scripts, where the sandbox would not see it. */
function nodeOutsideUsr(othersMustReach: boolean): { readonly node?: string } {
  const path = process.execPath;
  if (path.startsWith("/usr/") || basename(path) !== "node") return {};
  return othersMustReach && !reachableByOthers(path) ? {} : { node: path };
}

function reachableByOthers(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function systemFolder(path: string): SystemFolder[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return [stat.isSymbolicLink() ? { path, link: readlinkSync(path) } : { path }];
}
