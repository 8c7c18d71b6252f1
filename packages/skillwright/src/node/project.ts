import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readSmallFile } from "./small-file.ts";
import { realPathOf } from "./user-paths.ts";

/** The project that a working directory belongs to. */
export interface Project {
  /** The root of the git checkout, or the working directory where there is none. */
  readonly root: string;
  /** What trust in it is kept under: its real path; for a git worktree that of the main checkout. */
  readonly trustKey: string;
  /** The working directory and every folder above it up to the root, nearest first. */
  readonly folders: readonly string[];
}

/** Finds the project of a working directory. `.git` may be a folder, or the file of a worktree or submodule. */
export function findProject(workingFolder: string): Project {
  const start = realPathOf(workingFolder) ?? resolve(workingFolder);
  const folders: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(folder);
    const kind = gitKind(folder);
    if (kind !== undefined) return { root: folder, trustKey: (kind === "file" && mainCheckout(folder)) || folder, folders };
    if (dirname(folder) === folder) return { root: start, trustKey: start, folders: [start] };
  }
}

function gitKind(folder: string): "folder" | "file" | undefined {
  const stats = statSync(join(folder, ".git"), { throwIfNoEntry: false });
  if (stats?.isDirectory()) return "folder";
  return stats?.isFile() ? "file" : undefined;
}

/**
 * The main checkout of a worktree. Both sides must say so: a folder that merely claims to be a worktree of a trusted project would share
 * its trust, so the main checkout's own record has to name the folder as well.
 */
function mainCheckout(worktree: string): string | undefined {
  const link = join(worktree, ".git");
  const claimed = /^gitdir:\s*(.+)$/m.exec(smallText(link) ?? "")?.[1]?.trim();
  const record = claimed && realPathOf(resolve(worktree, claimed));
  if (!record) return undefined;
  const common = realPathOf(resolve(record, smallText(join(record, "commondir"))?.trim() || "."));
  if (common === undefined || dirname(record) !== join(common, "worktrees")) return undefined;
  const named = smallText(join(record, "gitdir"))?.trim();
  if (!named || realPathOf(resolve(record, named)) !== realPathOf(link)) return undefined;
  return basename(common) === ".git" ? dirname(common) : common;
}

function smallText(path: string): string | undefined {
  const file = readSmallFile(path, { maxBytes: 4_096, links: false });
  return "text" in file ? file.text : undefined;
}
