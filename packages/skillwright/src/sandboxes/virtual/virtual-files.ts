import type { IFileSystem } from "just-bash";
import { normalizeRelativePath, SkillError } from "../../core/index.ts";
import type { WorkspaceEntry, WorkspaceFile } from "../../workspace/index.ts";

/** The root of the workspace as programs see it. */
export const virtualRoot = "/workspace";

/** The files of a workspace that lies in memory; links that programs made are never followed. */
export interface VirtualFiles {
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  write(files: readonly WorkspaceFile[]): Promise<void>;
  list(path: string, maxEntries: number): Promise<WorkspaceEntry[]>;
  remove(path: string): Promise<void>;
}

/** Opens {@link VirtualFiles} on a file system; `version` tells changes within one tick of the clock apart. */
export function virtualFiles(fileSystem: IFileSystem, version: (path: string) => number): VirtualFiles {
  let written = 0;
  const writes = new Map<string, number>();

  const locate = (path: string): { readonly relative: string; readonly absolute: string } => {
    const relative = path === "." || path === "" ? "" : normalizeRelativePath(path);
    if (relative === undefined) throw outside(path);
    return { relative, absolute: relative === "" ? virtualRoot : `${virtualRoot}/${relative}` };
  };
  /** What stands at a path; refuses a path that leads through a link. */
  const look = async (absolute: string, shown: string): Promise<Awaited<ReturnType<IFileSystem["lstat"]>> | undefined> => {
    const parts = absolute.split("/").slice(1);
    for (let length = 1; length < parts.length; length++) {
      const parent = await statOf(`/${parts.slice(0, length).join("/")}`);
      if (parent === undefined) return undefined;
      if (!parent.isDirectory) throw outside(shown);
    }
    return statOf(absolute);
  };
  const statOf = async (absolute: string): Promise<Awaited<ReturnType<IFileSystem["lstat"]>> | undefined> => {
    try {
      return await fileSystem.lstat(absolute);
    } catch {
      return undefined;
    }
  };

  return {
    async read(path, maxBytes) {
      const { absolute } = locate(path);
      const stat = await look(absolute, path);
      if (stat?.isSymbolicLink) throw outside(path);
      if (stat === undefined || !stat.isFile) throw missing(path);
      if (stat.size > maxBytes) {
        throw new SkillError(
          "limit-exceeded",
          `${JSON.stringify(path.slice(0, 200))} has ${stat.size} bytes; at most ${maxBytes} may be read.`,
          {
            hint: "Read a part of it with a command, or raise the limit.",
            data: { bytes: stat.size, maxBytes },
          },
        );
      }
      return fileSystem.readFileBuffer(absolute);
    },

    async write(files) {
      for (const file of files) {
        const { absolute } = locate(file.path);
        const existing = await look(absolute, file.path);
        if (file.path.endsWith("/")) {
          if (existing !== undefined && !existing.isDirectory) throw outside(file.path);
          await fileSystem.mkdir(absolute, { recursive: true });
          continue;
        }
        if (existing?.isDirectory) {
          throw new SkillError("sandbox-failed", `${JSON.stringify(file.path.slice(0, 200))} cannot be written: a folder stands there.`, {
            hint: "Remove the folder first, or write under another name.",
          });
        }
        // What stands there is replaced, not written through: it may be a link, or have a second name.
        if (existing !== undefined) await fileSystem.rm(absolute, { force: true });
        await fileSystem.mkdir(absolute.slice(0, absolute.lastIndexOf("/")), { recursive: true });
        if (file.link !== undefined) await fileSystem.symlink(file.link, absolute);
        else {
          await fileSystem.writeFile(absolute, file.data ?? new Uint8Array());
          await fileSystem.chmod(absolute, (file.mode ?? 0o644) & 0o777);
        }
        writes.set(absolute, ++written);
      }
    },

    async list(path, maxEntries) {
      const { relative, absolute } = locate(path);
      const stat = await look(absolute, path);
      if (stat === undefined) return [];
      if (!stat.isDirectory) throw outside(path);
      const entries: WorkspaceEntry[] = [];
      const walk = async (folder: string, shown: string): Promise<void> => {
        for (const name of (await fileSystem.readdir(folder)).sort()) {
          if (entries.length >= maxEntries) return;
          const child = `${folder}/${name}`;
          const found = await statOf(child);
          if (found === undefined) continue;
          const kind = found.isSymbolicLink ? "link" : found.isDirectory ? "directory" : found.isFile ? "file" : "other";
          const stamp = `${found.size} ${found.mtime.getTime()} ${found.identity ?? ""} ${version(child)} ${writes.get(child) ?? 0}`;
          entries.push({ path: shown + name, kind, bytes: kind === "file" ? found.size : 0, mode: found.mode & 0o7777, stamp });
          if (kind === "directory") await walk(child, `${shown}${name}/`);
        }
      };
      await walk(absolute, relative === "" ? "" : `${relative}/`);
      return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
    },

    async remove(path) {
      const { relative, absolute } = locate(path);
      if (relative === "") throw outside(path);
      if ((await look(absolute, path)) !== undefined) await fileSystem.rm(absolute, { recursive: true, force: true });
    },
  };
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
