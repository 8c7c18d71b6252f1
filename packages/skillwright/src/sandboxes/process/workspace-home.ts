import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "./remove-tree.ts";

/** How long a workspace may lie about whose owner cannot be asked after, because it lived in another container or before a reboot. */
const maxAgeMs = 24 * 60 * 60 * 1000;

/** Programs that root starts as another user pass through to their workspace, and list nothing on the way; otherwise nobody else enters. */
const passable = process.getuid?.() === 0 ? 0o711 : 0o700;

/** A workspace's place on the host's disk. */
export interface WorkspaceHome {
  /** What programs see as the workspace. */
  readonly root: string;
  /** What only the host sees. */
  readonly host: string;
  remove(): Promise<void>;
}

/** When each folder was last looked through for what crashed hosts left. */
const lookedAt = new Map<string, number>();
const lookEveryMs = 10 * 60 * 1000;

/**
 * Makes a new workspace's place below `directory`, and removes what crashed hosts left there. Nobody else enters its root but the group
 * of `user`, as whom root starts the programs.
 * @default directory a folder of this user in the system's temporary folder
 */
export async function openWorkspaceHome(directory: string | undefined, user?: number): Promise<WorkspaceHome> {
  const base = directory ?? (await ownBase());
  await mkdir(base, { recursive: true, mode: passable });
  if (Date.now() - (lookedAt.get(base) ?? 0) > lookEveryMs) {
    lookedAt.set(base, Date.now());
    await removeStale(base);
  }
  const home = await mkdtemp(join(base, "ws-"));
  await chmod(home, passable);
  await writeFile(join(home, "owner.json"), JSON.stringify(identify(process.pid)), { mode: 0o600 });
  const root = join(home, "root");
  await mkdir(root, { mode: 0o700 });
  if (user !== undefined) {
    await chown(root, 0, user);
    await chmod(root, 0o750);
  }
  await mkdir(join(home, "host"), { mode: 0o700 });
  return { root, host: join(home, "host"), remove: () => removeFolder(home) };
}

/** A folder of this user alone; somebody else's of that name is not used. */
async function ownBase(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const base = join(tmpdir(), `skillwright-${uid}`);
  await mkdir(base, { mode: passable }).catch(() => undefined);
  const found = await lstat(base);
  const own = found.isDirectory() && (process.getuid === undefined || found.uid === uid) && (found.mode & 0o022) === 0;
  return own ? base : mkdtemp(`${base}-`);
}

interface Owner {
  readonly pid: number;
  /** Tells a process from a later one of the same number. */
  readonly startedAt: string;
  /** Which process table the number belongs to. */
  readonly table: string;
}

function identify(pid: number): Owner {
  return { pid, startedAt: startOf(pid) ?? "", table: processTable() };
}

/** When a process began; undefined when it is gone, or dead and only not yet reaped. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function processTable(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return process.platform;
  }
}

async function removeStale(base: string): Promise<void> {
  for (const name of readdirSync(base)) {
    if (!name.startsWith("ws-")) continue;
    const home = join(base, name);
    try {
      if (await isStale(home)) await removeFolder(home);
    } catch {
      // Another start removes it at the same time, or it is somebody else's.
    }
  }
}

async function isStale(home: string): Promise<boolean> {
  const age = Date.now() - (await stat(home)).mtimeMs;
  let owner: Owner;
  try {
    owner = JSON.parse(await readFile(join(home, "owner.json"), "utf8")) as Owner;
  } catch {
    // No owner yet: it is being made, or its making was cut short.
    return age > 60_000;
  }
  if (owner.table !== processTable()) return age > maxAgeMs;
  return isGone(owner);
}

function isGone(owner: Owner): boolean {
  if (process.platform === "linux") return startOf(owner.pid) !== owner.startedAt;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
