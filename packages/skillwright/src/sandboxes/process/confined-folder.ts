import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { normalizeRelativePath, SkillError, throwIfAborted } from "../../core/index.ts";
import type { Workspace, WorkspaceEntry, WorkspaceFile } from "../../workspace/index.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

/** Linux alone can open an entry relative to an open folder, which no rename or link can redirect. */
const throughDescriptors = process.platform === "linux";

/** Deeper folders are listed but not entered, and are moved up before they are removed. */
const maxDepth = 64;

/** How much is listed where the caller names no bound. */
const defaultMaxEntries = 100_000;

/** Entries handled between two turns of the event loop. */
const batch = 256;

/** Options of {@link confinedFolder}. */
export interface ConfinedFolderOptions {
  /** Who owns what is written; the process itself where absent. */
  readonly ownerOf?: (path: string) => number | undefined;
  /** Host folders that stand at other places: the longest matching prefix wins. */
  readonly mounts?: readonly { readonly path: string; readonly hostPath: string; readonly readOnly: boolean }[];
}

/** The file half of a {@link Workspace}. */
export type FolderAccess = Pick<Workspace, "read" | "writeFiles" | "list" | "remove">;

/** An open folder: `path` stays valid and means the same folder until it is closed, whatever is renamed or linked meanwhile. */
interface OpenFolder {
  readonly path: string;
  close(): void;
}

/**
 * Reads, writes, lists and removes below a folder in which hostile programs may be at work: every step opens the next folder without
 * following links, so a planted link is an error and never a way out. Calls are synchronous inside, in batches: a system call on a
 * local disk takes microseconds, a round through the thread pool ten times that.
 */
export function confinedFolder(root: string, options: ConfinedFolderOptions = {}): FolderAccess {
  const ownerOf = options.ownerOf ?? (() => undefined);

  const place = (path: string): { readonly base: string; readonly parts: readonly string[]; readonly readOnly: boolean } => {
    const relative = path === "." || path === "" ? "" : normalizeRelativePath(path);
    if (relative === undefined) throw outside(path);
    const mount = [...(options.mounts ?? [])]
      .sort((a, b) => b.path.length - a.path.length)
      .find((candidate) => relative === candidate.path || relative.startsWith(`${candidate.path}/`));
    const rest = mount === undefined ? relative : relative.slice(mount.path.length + 1);
    return { base: mount?.hostPath ?? root, parts: rest === "" ? [] : rest.split("/"), readOnly: mount?.readOnly ?? false };
  };

  /** Opens a folder step by step; undefined when it is not there. */
  const enter = (path: string, create: boolean): OpenFolder | undefined => {
    const { base, parts } = place(path);
    let folder = openFolder(base, true);
    let walked = "";
    for (const part of parts) {
      walked = walked === "" ? part : `${walked}/${part}`;
      try {
        const next = step(folder, part, create ? ownerOf(walked) : undefined, create, path);
        folder.close();
        if (next === undefined) return undefined;
        folder = next;
      } catch (error) {
        folder.close();
        throw error;
      }
    }
    return folder;
  };

  return {
    async read(path, { maxBytes, signal }) {
      throwIfAborted(signal);
      const { parts } = place(path);
      const name = parts.at(-1);
      const folder = name === undefined ? undefined : enter(dirname(path), false);
      if (folder === undefined || name === undefined) throw missing(path);
      try {
        return readRegular(`${folder.path}/${name}`, path, maxBytes);
      } finally {
        folder.close();
      }
    },

    async writeFiles(files, writeOptions) {
      const signal = writeOptions?.signal;
      // One open folder at a time: files of one folder follow one another.
      const sorted = files
        .map((file) => ({ file, folder: file.path.endsWith("/") ? file.path : dirname(file.path) }))
        .sort((a, b) => (a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : 0));
      let open: { readonly name: string; readonly folder: OpenFolder } | undefined;
      try {
        for (const [index, { file, folder: name }] of sorted.entries()) {
          if (index % batch === batch - 1) await setImmediate();
          throwIfAborted(signal);
          if (place(file.path).readOnly) throw outside(file.path);
          if (open?.name !== name) {
            open?.folder.close();
            open = undefined;
            const folder = enter(name, true);
            if (folder === undefined) throw missing(name);
            open = { name, folder };
          }
          if (!file.path.endsWith("/")) writeEntry(open.folder.path, file, ownerOf(file.path));
        }
      } finally {
        open?.folder.close();
      }
    },

    async list(path, listOptions) {
      const maxEntries = listOptions?.maxEntries ?? defaultMaxEntries;
      const top = enter(path, false);
      if (top === undefined) return [];
      const prefix = path === "." || path === "" ? "" : `${normalizeRelativePath(path)}/`;
      const entries: WorkspaceEntry[] = [];
      let handled = 0;
      const walk = async (folder: OpenFolder, at: string, depth: number): Promise<void> => {
        for (const name of await readNames(folder, maxEntries - entries.length)) {
          if (entries.length >= maxEntries) return;
          if (++handled % batch === 0) {
            await setImmediate();
            throwIfAborted(listOptions?.signal);
          }
          const entry = describe(`${folder.path}/${name}`, at + name);
          entries.push(entry);
          if (entry.kind !== "directory" || depth >= maxDepth) continue;
          const inner = tryStep(folder, name);
          if (inner === undefined) continue;
          try {
            await walk(inner, `${at}${name}/`, depth + 1);
          } finally {
            inner.close();
          }
        }
      };
      try {
        await walk(top, prefix, 0);
      } finally {
        top.close();
      }
      return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
    },

    async remove(path) {
      const { base, parts, readOnly } = place(path);
      const name = parts.at(-1);
      if (name === undefined || readOnly) throw outside(path);
      const folder = enter(dirname(path), false);
      if (folder === undefined) return;
      try {
        await removeEntry(folder, name, base);
      } finally {
        folder.close();
      }
    },
  };
}

/** Removes a folder and everything in it without following a link, however deep it is. */
export async function removeFolder(path: string): Promise<void> {
  const parent = openFolder(dirname(path), true);
  try {
    await removeEntry(parent, basename(path), dirname(path));
  } finally {
    parent.close();
  }
}

function outside(path: string): SkillError {
  return new SkillError("path-outside-root", `${JSON.stringify(path.slice(0, 200))} leads outside the workspace.`, {
    hint: "Name a path below the workspace that is not behind a link.",
  });
}

function missing(path: string): SkillError {
  return new SkillError("file-not-found", `There is no file ${JSON.stringify(path.slice(0, 200))} in the workspace.`, {
    hint: "List the folder to see what is there.",
  });
}

function folderInTheWay(path: string, cause: unknown): SkillError {
  return new SkillError("sandbox-failed", `${JSON.stringify(path.slice(0, 200))} cannot be written: a folder stands there.`, {
    hint: "Remove the folder first, or write under another name.",
    cause,
  });
}

function openFolder(path: string | Buffer, follow: boolean): OpenFolder {
  if (!throughDescriptors) return { path: path.toString(), close: () => undefined };
  const descriptor = fs.openSync(path, O_RDONLY | O_DIRECTORY | (follow ? 0 : O_NOFOLLOW));
  return { path: `/proc/self/fd/${descriptor}`, close: () => fs.closeSync(descriptor) };
}

/** One step down; makes the folder where asked, undefined where it is missing. */
function step(folder: OpenFolder, name: string, owner: number | undefined, create: boolean, whole: string): OpenFolder | undefined {
  const path = `${folder.path}/${name}`;
  for (;;) {
    try {
      if (!throughDescriptors && !fs.lstatSync(path).isDirectory()) throw outside(whole);
      return openFolder(path, false);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ELOOP" || code === "ENOTDIR") throw outside(whole);
      if (code !== "ENOENT") throw error;
      if (!create) return undefined;
    }
    makeFolder(path, owner);
  }
}

function tryStep(folder: OpenFolder, name: string): OpenFolder | undefined {
  try {
    return step(folder, name, undefined, false, name);
  } catch {
    return undefined;
  }
}

function makeFolder(path: string, owner: number | undefined): void {
  try {
    fs.mkdirSync(path, 0o755);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return;
  }
  if (owner !== undefined) fs.lchownSync(path, owner, owner);
}

function readRegular(path: string, shown: string, maxBytes: number): Uint8Array {
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENXIO") throw missing(shown);
    if (code === "ELOOP") throw outside(shown);
    throw error;
  }
  try {
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile()) throw missing(shown);
    if (stat.size > maxBytes) {
      throw new SkillError(
        "limit-exceeded",
        `${JSON.stringify(shown.slice(0, 200))} has ${stat.size} bytes; at most ${maxBytes} may be read.`,
        {
          hint: "Read a part of it with a command, or raise the limit.",
          data: { bytes: stat.size, maxBytes },
        },
      );
    }
    // A file that grows meanwhile is read as long as it was.
    const data = Buffer.allocUnsafeSlow(stat.size);
    let filled = 0;
    while (filled < data.length) {
      const count = fs.readSync(descriptor, data, filled, data.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return data.subarray(0, filled);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Writes beside the place and renames, so that nobody reads half a file and a planted link is replaced, not followed. */
function writeEntry(folder: string, file: WorkspaceFile, owner: number | undefined): void {
  const target = `${folder}/${basename(file.path)}`;
  const temporary = `${folder}/.${crypto.randomUUID()}.part`;
  try {
    if (file.link !== undefined) fs.symlinkSync(file.link, temporary);
    else {
      const descriptor = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        if (file.data !== undefined && file.data.length > 0) fs.writeFileSync(descriptor, file.data);
        fs.fchmodSync(descriptor, (file.mode ?? 0o644) & 0o777);
      } finally {
        fs.closeSync(descriptor);
      }
    }
    if (owner !== undefined) fs.lchownSync(temporary, owner, owner);
    fs.renameSync(temporary, target);
  } catch (cause) {
    fs.rmSync(temporary, { force: true });
    if (codeOf(cause) !== "EISDIR" && codeOf(cause) !== "ENOTEMPTY") throw cause;
    throw folderInTheWay(file.path, cause);
  }
}

function describe(path: string, shown: string): WorkspaceEntry {
  try {
    const stat = fs.lstatSync(path);
    const kind = stat.isFile() ? "file" : stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "link" : "other";
    return {
      path: shown,
      kind,
      bytes: kind === "file" ? stat.size : 0,
      mode: stat.mode & 0o7777,
      ...(kind === "file" && { links: stat.nlink }),
      stamp: `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`,
    };
  } catch {
    // Gone meanwhile, or a name that is no UTF-8.
    return { path: shown, kind: "other", bytes: 0, mode: 0, stamp: "" };
  }
}

/** The names in a folder, sorted; a folder with more than `limit` is read no further. */
async function readNames(folder: OpenFolder, limit: number): Promise<string[]> {
  const names: string[] = [];
  const directory = fs.opendirSync(folder.path, { bufferSize: batch });
  try {
    for (let entry = directory.readSync(); entry !== null && names.length < limit; entry = directory.readSync()) {
      names.push(entry.name);
      if (names.length % (batch * 16) === 0) await setImmediate();
    }
  } finally {
    directory.closeSync();
  }
  return names.sort();
}

/** Names are bytes here: programs make names that are no UTF-8. */
async function removeEntry(folder: OpenFolder, name: string, root: string): Promise<void> {
  const pending: { readonly folder: OpenFolder; readonly name: Buffer }[] = [{ folder, name: Buffer.from(name) }];
  let handled = 0;
  const remove = async (parent: OpenFolder, entry: Buffer, depth: number): Promise<void> => {
    if (++handled % batch === 0) await setImmediate();
    const path = below(parent, entry);
    if (unlinkFile(path)) return;
    if (depth > maxDepth) {
      // Too deep to hold every folder on the way open: it goes on from the top.
      const moved = `.${crypto.randomUUID()}.gone`;
      fs.renameSync(path, `${root}/${moved}`);
      pending.push({ folder: { path: root, close: () => undefined }, name: Buffer.from(moved) });
      return;
    }
    const inner = openToEmpty(path);
    if (inner === undefined) return;
    try {
      for (const child of fs.readdirSync(inner.path, { encoding: "buffer" })) await remove(inner, child, depth + 1);
    } finally {
      inner.close();
    }
    fs.rmdirSync(path);
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) await remove(next.folder, next.name, 0);
}

function below(folder: OpenFolder, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder.path}/`), name]);
}

/** Removes anything but a folder; false when it is one. */
function unlinkFile(path: Buffer): boolean {
  try {
    if (fs.lstatSync(path).isDirectory()) return false;
    fs.unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  return true;
}

/** Opens a folder whose content is about to go, even when its mode forbids that. */
function openToEmpty(path: Buffer): OpenFolder | undefined {
  try {
    const inner = openFolder(path, false);
    if ((fs.statSync(inner.path).mode & 0o700) !== 0o700) fs.chmodSync(inner.path, 0o700);
    return inner;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    if (code !== "EACCES") throw error;
  }
  fs.chmodSync(path, 0o700);
  return openFolder(path, false);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}
