import * as fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import { normalizeRelativePath, SkillError, throwIfAborted } from "../../core/index.ts";
import type { Workspace, WorkspaceEntry, WorkspaceFile } from "../../workspace/index.ts";
import { batch, codeOf, maxDepth, type OpenFolder, openFolder, throughDescriptors } from "./open-folder.ts";
import { removeEntry } from "./remove-tree.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

/** How much is listed where the caller names no bound. */
const defaultMaxEntries = 100_000;

/** Options of {@link confinedFolder}. */
export interface ConfinedFolderOptions {
  /** Who owns what is written; the process itself where absent. */
  readonly ownerOf?: (path: string) => number | undefined;
  /** Host folders that stand at other places: the longest matching prefix wins. */
  readonly mounts?: readonly { readonly path: string; readonly hostPath: string; readonly readOnly: boolean }[];
}

/** The file half of a {@link Workspace}. */
export type FolderAccess = Pick<Workspace, "read" | "writeFiles" | "list" | "remove">;

/**
 * Reads, writes, lists and removes below a folder in which hostile programs may be at work: every step opens the next folder without
 * following links, so a planted link is an error and never a way out. Calls are synchronous inside, in batches: a system call on a
 * local disk takes microseconds, a round through the thread pool ten times that.
 */
export function confinedFolder(root: string, options: ConfinedFolderOptions = {}): FolderAccess {
  const ownerOf = options.ownerOf ?? (() => undefined);
  const mounts = [...(options.mounts ?? [])].sort((a, b) => b.path.length - a.path.length);

  const place = (path: string): Place => {
    const relative = path === "." || path === "" ? "" : normalizeRelativePath(path);
    if (relative === undefined) throw outside(path);
    const mount = mounts.find((candidate) => relative === candidate.path || relative.startsWith(`${candidate.path}/`));
    const rest = mount === undefined ? relative : relative.slice(mount.path.length + 1);
    const parts = rest === "" ? [] : rest.split("/");
    return { base: mount?.hostPath ?? root, at: mount?.path ?? "", parts, readOnly: mount?.readOnly ?? false, shown: path };
  };

  /** Opens a folder step by step; undefined when it is not there. */
  const enter = (to: Place, create: boolean): OpenFolder | undefined => {
    let folder = openFolder(to.base, true);
    let walked = to.at;
    for (const part of to.parts) {
      walked = walked === "" ? part : `${walked}/${part}`;
      try {
        const next = step(folder, part, create ? ownerOf(walked) : undefined, create, to.shown);
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
      const { folder: to, name } = parentOf(place(path));
      const folder = name === undefined ? undefined : enter(to, false);
      if (folder === undefined) throw missing(path);
      try {
        return readRegular(`${folder.path}/${name}`, path, maxBytes);
      } finally {
        folder.close();
      }
    },

    async writeFiles(files, writeOptions) {
      // One open folder at a time: files of one folder follow one another.
      const sorted = files.map((file) => writing(file, place(file.path))).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
      let open: { readonly key: string; readonly folder: OpenFolder } | undefined;
      try {
        for (const [index, { file, folder: to, name, key }] of sorted.entries()) {
          if (index % batch === batch - 1) await setImmediate();
          throwIfAborted(writeOptions?.signal);
          if (open?.key !== key) {
            open?.folder.close();
            open = undefined;
            const folder = enter(to, true);
            if (folder === undefined) throw missing(file.path);
            open = { key, folder };
          }
          if (name !== undefined) writeEntry(open.folder.path, name, file, ownerOf(`${key}${name}`));
        }
      } finally {
        open?.folder.close();
      }
    },

    async list(path, listOptions) {
      const maxEntries = listOptions?.maxEntries ?? defaultMaxEntries;
      const to = place(path);
      const top = enter(to, false);
      if (top === undefined) return [];
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
        await walk(top, prefixOf(to), 0);
      } finally {
        top.close();
      }
      return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
    },

    async remove(path) {
      const { folder: to, name } = parentOf(place(path));
      if (name === undefined || to.readOnly) throw outside(path);
      const folder = enter(to, false);
      if (folder === undefined) return;
      try {
        await removeEntry(folder, name, to.base);
      } finally {
        folder.close();
      }
    },
  };
}

/** A path, resolved: below which host folder, where that stands in the workspace, and the names on the way. */
interface Place {
  readonly base: string;
  readonly at: string;
  readonly parts: readonly string[];
  readonly readOnly: boolean;
  readonly shown: string;
}

function parentOf(to: Place): { readonly folder: Place; readonly name: string | undefined } {
  return { folder: { ...to, parts: to.parts.slice(0, -1) }, name: to.parts.at(-1) };
}

/** What a path begins with in the workspace when it stands below a place; empty for the root. */
function prefixOf(to: Place): string {
  return [to.at, ...to.parts]
    .filter((part) => part !== "")
    .map((part) => `${part}/`)
    .join("");
}

interface Writing {
  readonly file: WorkspaceFile;
  readonly folder: Place;
  /** Absent for a folder that is only to be there. */
  readonly name: string | undefined;
  readonly key: string;
}

function writing(file: WorkspaceFile, to: Place): Writing {
  if (to.readOnly) throw outside(file.path);
  if (file.path.endsWith("/")) return { file, folder: to, name: undefined, key: prefixOf(to) };
  const { folder, name } = parentOf(to);
  if (name === undefined) throw outside(file.path);
  return { file, folder, name, key: prefixOf(folder) };
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
function writeEntry(folder: string, name: string, file: WorkspaceFile, owner: number | undefined): void {
  const target = `${folder}/${name}`;
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
