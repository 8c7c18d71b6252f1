import { randomUUID } from "node:crypto";
import { dirname } from "node:path/posix";
import { normalizeRelativePath, SkillError, throwIfAborted } from "../../core/index.ts";
import type { Mount, Workspace, WorkspaceFile } from "../../workspace/index.ts";
import { listScript, parseListing, readScript, removeScript, scriptExit, unpackScript } from "../shell/file-scripts.ts";
import { type CommandOutput, type SessionContainer, workspaceRoot } from "./open-container.ts";
import { packTar } from "./pack-tar.ts";

/** How much is packed and sent at once. */
const batchBytes = 16 * 1024 * 1024;
const batchFiles = 500;

/** How much of a listing is read where the caller names no bound. */
const defaultMaxEntries = 100_000;

/** How many attempts a command gets that a run's own clearing up ended along with its leftovers. */
const attempts = 5;

/** The file half of a {@link Workspace}. */
export type ContainerFiles = Pick<Workspace, "read" | "writeFiles" | "list" | "remove">;

/** Reads and writes a workspace by short commands in its container: what runs may write as the user of runs, what they only read as root. */
export function containerFiles(
  container: SessionContainer,
  user: string,
  readOnly: readonly string[],
  mounts: readonly Mount[],
): ContainerFiles {
  const ownerOf = (path: string): string => (readOnly.some((folder) => isBelow(path, folder)) ? "0:0" : user);
  const refuseMounted = (path: string): void => {
    if (mounts.some((mount) => mount.readOnly && isBelow(path, mount.path))) throw outside(path);
  };

  const command = async (
    script: string,
    args: readonly string[],
    path: string,
    more: { user: string; stdin?: Uint8Array; maxBytes?: number },
  ): Promise<CommandOutput> => {
    for (let attempt = 1; ; attempt++) {
      const output = await container.command(["sh", "-c", script, "sh", workspaceRoot, ...args], more);
      if (output.code === 0) return output;
      if (output.code === scriptExit.outside) throw outside(path);
      if (output.code === scriptExit.missing) throw missing(path);
      if (output.code === 137 && attempt < attempts) continue;
      throw new SkillError(
        "sandbox-failed",
        `${JSON.stringify(path.slice(0, 200))} could not be handled in the container: ${explain(output)}.`,
        {
          hint: "Look whether the workspace is full or a folder stands where a file should be.",
          data: { exitCode: output.code },
        },
      );
    }
  };

  return {
    async read(path, { maxBytes, signal }) {
      throwIfAborted(signal);
      const relative = relativeOf(path);
      const { stdout } = await command(readScript, [relative, String(maxBytes + 1)], path, { user, maxBytes: maxBytes + 1 });
      if (stdout.length <= maxBytes) return stdout;
      throw new SkillError(
        "limit-exceeded",
        `${JSON.stringify(path.slice(0, 200))} has more than the ${maxBytes} bytes that may be read.`,
        {
          hint: "Read a part of it with a command, or raise the limit.",
          data: { maxBytes },
        },
      );
    },

    async writeFiles(files, options) {
      throwIfAborted(options?.signal);
      const groups = new Map<string, WorkspaceFile[]>();
      for (const file of files) {
        const path = relativeOf(file.path) + (file.path.endsWith("/") ? "/" : "");
        refuseMounted(path);
        const owner = ownerOf(path);
        const group = groups.get(owner) ?? [];
        groups.set(owner, group);
        group.push({ ...file, path });
      }
      for (const [owner, group] of groups) {
        for (const batch of batches(group)) {
          throwIfAborted(options?.signal);
          const archive = packTar(
            batch.map((file) => ({
              ...file,
              mode: file.link === undefined ? (file.path.endsWith("/") ? 0o775 : (file.mode ?? 0o644) & 0o777) : 0o777,
            })),
          );
          const folders = [...new Set(batch.map((file) => dirname(`${file.path}.`)))].filter((folder) => folder !== ".");
          await command(unpackScript, folders, batch[0]?.path ?? "", { user: owner, stdin: archive });
        }
      }
    },

    async list(path, options) {
      throwIfAborted(options?.signal);
      const maxEntries = options?.maxEntries ?? defaultMaxEntries;
      const relative = path === "." || path === "" ? "." : relativeOf(path);
      const word = randomUUID();
      const { stdout } = await command(listScript, [relative, word], path, { user, maxBytes: 4096 + maxEntries * 400 });
      return parseListing(stdout, word, maxEntries);
    },

    async remove(path) {
      const relative = relativeOf(path);
      refuseMounted(relative);
      await command(removeScript, [relative], path, { user: ownerOf(relative) });
    },
  };
}

function relativeOf(path: string): string {
  const relative = normalizeRelativePath(path);
  if (relative === undefined) throw outside(path);
  return relative;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
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

function explain(output: CommandOutput): string {
  if (output.code === scriptExit.denied) return "it may not be read";
  return output.stderr.trim() || `exit code ${output.code}`;
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
