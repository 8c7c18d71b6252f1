import { randomUUID } from "node:crypto";
import { dirname } from "node:path/posix";
import { normalizeRelativePath, SkillError, throwIfAborted } from "../../core/index.ts";
import type { Workspace, WorkspaceFile } from "../../workspace/index.ts";
import { parseListing, scriptExit } from "./file-scripts.ts";
import { packTar, type TarEntry } from "./pack-tar.ts";

/** How much is packed and sent at once. */
const batchBytes = 16 * 1024 * 1024;
const batchFiles = 500;

/** What is short enough to be written without an archive. */
const shortBytes = 2_048;
const shortFiles = 16;

/** How much of a listing is read where the caller names no bound. */
const defaultMaxEntries = 100_000;

/** How a file script ended. */
export interface ScriptOutput {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/** How files of a workspace are reached where only short shell commands do. */
export interface ShellFilesOptions {
  /** Answers what the script for listings prints. */
  readonly list: (path: string, word: string, maxBytes: number) => Promise<ScriptOutput>;
  /** Answers the file's bytes, or how the script for it ended; of a file that is longer, one byte more or the code for it. */
  readonly read: (path: string, maxBytes: number) => Promise<ScriptOutput>;
  /** Unpacks an archive of files that stand below these folders and belong to one owner. */
  readonly unpack: (archive: Uint8Array, folders: readonly string[], owner: string) => Promise<ScriptOutput>;
  /** A shorter way for few and short files, where there is one; undefined where it cannot be gone this time. */
  readonly put?: (files: readonly (WorkspaceFile & { readonly mode: number })[], owner: string) => Promise<ScriptOutput | undefined>;
  readonly remove: (path: string) => Promise<ScriptOutput>;
  /** Files with the same word are written at once. */
  readonly ownerOf: (path: string) => string;
  /** Paths that the host does not write. */
  readonly isClosed: (path: string) => boolean;
}

/** The file half of a {@link Workspace}. */
export type ShellFiles = Pick<Workspace, "read" | "writeFiles" | "list" | "remove">;

/** Reads, writes, lists and removes files by scripts; what a script refuses becomes the error that the contract names. */
export function shellFiles(options: ShellFilesOptions): ShellFiles {
  const unpack = (entries: readonly TarEntry[], owner: string): Promise<ScriptOutput> => {
    const folders = new Set(entries.map((entry) => dirname(`${entry.path}.`)));
    folders.delete(".");
    return options.unpack(packTar(entries), [...folders], owner);
  };

  return {
    async read(path, { maxBytes, signal }) {
      throwIfAborted(signal);
      const output = await options.read(relativeOf(path), maxBytes);
      if (output.code === scriptExit.tooLarge || output.stdout.length > maxBytes) {
        throw new SkillError("limit-exceeded", `${shown(path)} has more than the ${maxBytes} bytes that may be read.`, {
          hint: "Read a part of it with a command, or raise the limit.",
          data: { maxBytes },
        });
      }
      return checked(output, path).stdout;
    },

    async writeFiles(files, writeOptions) {
      throwIfAborted(writeOptions?.signal);
      const groups = new Map<string, WorkspaceFile[]>();
      for (const file of files) {
        const path = relativeOf(file.path) + (file.path.endsWith("/") ? "/" : "");
        if (options.isClosed(path)) throw outside(path);
        const owner = options.ownerOf(path);
        const group = groups.get(owner) ?? [];
        groups.set(owner, group);
        group.push({ ...file, path });
      }
      for (const [owner, group] of groups) {
        for (const batch of batches(group)) {
          throwIfAborted(writeOptions?.signal);
          const entries = batch.map((file) => ({ ...file, mode: modeOf(file) }));
          const isShort = batch.length <= shortFiles && batch.reduce((bytes, file) => bytes + (file.data?.length ?? 0), 0) <= shortBytes;
          const output = (isShort ? await options.put?.(entries, owner) : undefined) ?? (await unpack(entries, owner));
          checked(output, batch[0]?.path ?? "");
        }
      }
    },

    async list(path, listOptions) {
      throwIfAborted(listOptions?.signal);
      const maxEntries = listOptions?.maxEntries ?? defaultMaxEntries;
      const relative = path === "." || path === "" ? "." : relativeOf(path);
      const word = randomUUID();
      const output = await options.list(relative, word, 4096 + maxEntries * 400);
      return parseListing(checked(output, path).stdout, word, maxEntries);
    },

    async remove(path) {
      const relative = relativeOf(path);
      if (options.isClosed(relative)) throw outside(path);
      checked(await options.remove(relative), path);
    },
  };
}

/** Whether a path is a folder or below it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path === `${folder}/` || path.startsWith(`${folder}/`);
}

function checked(output: ScriptOutput, path: string): ScriptOutput {
  switch (output.code) {
    case 0:
      return output;
    case scriptExit.outside:
      throw outside(path);
    case scriptExit.missing:
      throw new SkillError("file-not-found", `There is no file ${shown(path)} in the workspace.`, {
        hint: "List the folder to see what is there.",
      });
    default: {
      const reason = output.code === scriptExit.denied ? "it may not be read" : output.stderr.trim() || `exit code ${output.code}`;
      throw new SkillError("sandbox-failed", `${shown(path)} could not be handled in the sandbox: ${reason}.`, {
        hint: "Look whether the workspace is full, or a folder stands where a file should be.",
        data: { exitCode: output.code },
      });
    }
  }
}

function modeOf(file: WorkspaceFile): number {
  if (file.link !== undefined) return 0o777;
  return file.path.endsWith("/") ? 0o775 : (file.mode ?? 0o644) & 0o777;
}

function* batches(files: readonly WorkspaceFile[]): Generator<WorkspaceFile[]> {
  let batch: WorkspaceFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length > 0 && (batch.length >= batchFiles || bytes + (file.data?.length ?? 0) > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.data?.length ?? 0;
  }
  if (batch.length > 0) yield batch;
}

function relativeOf(path: string): string {
  const relative = normalizeRelativePath(path);
  if (relative === undefined) throw outside(path);
  return relative;
}

function outside(path: string): SkillError {
  return new SkillError("path-outside-root", `${shown(path)} leads outside the workspace.`, {
    hint: "Name a path below the workspace that is not behind a link.",
  });
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
