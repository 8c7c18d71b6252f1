import { closeSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve, sep } from "node:path";
import type { SkillSource, SourceContext, Trust } from "../catalog/index.ts";
import { type Diagnostic, normalizeRelativePath, SkillError } from "../core/index.ts";
import {
  openInside,
  prefixOf,
  type Refusal,
  type Root,
  readWhole,
  refusalOf,
  resolvedPlaceAt,
  type ShownRoot,
} from "./directory/boundary.ts";
import { listFiles } from "./directory/list-files.ts";
import { locationOf } from "./directory/skill-file.ts";
import { walkSkills } from "./directory/walk.ts";
import { type FolderWatch, watchFolders } from "./directory/watch-folders.ts";

/** Options of {@link directorySource}. */
export interface DirectorySourceOptions {
  /** @default the root's absolute path */
  readonly id?: string;
  /** What a root that does not exist is: a mistake of whoever named it, or a default place that happens to be unused. @default "warning" */
  readonly missing?: "warning" | "info";
}

const readAttempts = 3;

/**
 * Skills in folders of a disk. The root is a folder of skills, one skill's folder, or a SKILL.md, and may be a link.
 * Folders are searched to the depth of `limits.maxDepth`; `.git`, `node_modules` and dot folders below the root are skipped.
 * Pipes, sockets and devices are never opened. Links are followed where the root is trusted; else only inside it.
 */
export function directorySource(root: string, options: DirectorySourceOptions = {}): SkillSource {
  const absolute = resolve(root);
  const native = basename(absolute).toLowerCase() === "skill.md" ? dirname(absolute) : absolute;
  const path = sep === "/" ? native : native.replaceAll(sep, "/");
  const shown: ShownRoot = { path, prefix: prefixOf(path) };
  const watches = new Set<FolderWatch>();

  function opened(trust: Trust): Root | Diagnostic {
    try {
      const real = realpathSync.native(native);
      if (statSync(real).isDirectory()) return { ...shown, real: sep === "/" ? real : real.replaceAll(sep, "/"), trust };
      return {
        severity: "warning",
        code: "root-invalid",
        message: "The root is not a folder.",
        location: path,
        hint: "Name a folder of skills.",
      };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.code !== "link-broken") return { ...refusal, code: "root-unreadable", location: path };
      return {
        severity: options.missing ?? "warning",
        code: "root-missing",
        message: "The root does not exist.",
        location: path,
        hint: "Create the folder, or correct the path.",
      };
    }
  }

  function existing(context: SourceContext): Root {
    const found = opened(context.trust);
    if ("real" in found) return found;
    throw new SkillError("file-not-found", `${path}: ${found.message}`, { hint: found.hint ?? "Refresh the library." });
  }

  return {
    id: options.id ?? path,
    origin: "local",
    list(context) {
      const found = opened(context.trust);
      const folders: string[] = [];
      const onEnd = (): void => {
        for (const watch of watches) watch.update(folders);
      };
      if (!("real" in found)) {
        onEnd();
        return [found];
      }
      const onFolder = watches.size === 0 ? undefined : (real: string) => folders.push(real);
      return walkSkills(found, { ...context, foldsCase: foldsCase(found.real), onFolder, onEnd });
    },
    files: async (skill, context) => listFiles(existing(context), skill, context),
    read: async (skill, file, context) => readFile(existing(context), skill, file, context.maxBytes),
    locate: (skill, file) => locationOf(shown, skill, file),
    watch(onChange) {
      const watch = watchFolders(native, onChange);
      watches.add(watch);
      return () => {
        watches.delete(watch);
        watch.close();
      };
    },
  };
}

function readFile(root: Root, skill: string, file: string, maxBytes: number): Uint8Array {
  const location = locationOf(root, skill, file);
  const relative = normalizeRelativePath(file);
  if (relative === undefined) {
    throw new SkillError("path-outside-root", `${JSON.stringify(file)} is not a path inside the skill.`, {
      hint: "Name a file by its path relative to the skill's folder, without `..`.",
      data: { path: file },
    });
  }
  for (let attempt = 0; attempt < readAttempts; attempt++) {
    const place = resolvedPlaceAt(root, `${prefixOf(root.real)}${skill === "" ? "" : `${skill}/`}${relative}`);
    if (place.kind === "refused") throw refusedRead(place.refusal, location, file);
    if (place.kind !== "file") {
      const message = place.kind === "folder" ? `${location} is a folder.` : `${location} does not exist.`;
      throw new SkillError("file-not-found", message, { hint: "Read one of the files that the skill lists.", data: { path: file } });
    }
    if (place.stats.size > maxBytes) {
      throw new SkillError("limit-exceeded", `${location} has ${place.stats.size} bytes; ${maxBytes} are allowed.`, {
        hint: "Read a smaller file, or raise the limit.",
        data: { path: file, size: place.stats.size, maxBytes },
      });
    }
    const descriptor = openInside(root, place.path);
    if (typeof descriptor !== "number") throw refusedRead(descriptor, location, file);
    try {
      const bytes = readWhole(descriptor, maxBytes);
      if (bytes !== undefined) return bytes;
    } finally {
      closeSync(descriptor);
    }
  }
  throw new SkillError("source-failed", `${location} keeps changing while it is read.`, { hint: "Try again when it is written." });
}

function refusedRead(refusal: Refusal, location: string, file: string): SkillError {
  const outside = refusal.code === "link-outside-root";
  const code = outside ? "path-outside-root" : refusal.code === "unreadable" ? "source-failed" : "file-not-found";
  return new SkillError(code, `${location}: ${refusal.message}`, { hint: refusal.hint, data: { path: file } });
}

/** Whether the file system that holds a folder ignores case in names, told by the folder's own name in the other case. */
function foldsCase(real: string): boolean {
  const name = basename(real);
  const upper = name.toUpperCase();
  const other = upper === name ? name.toLowerCase() : upper;
  if (other === name) return process.platform === "darwin" || process.platform === "win32";
  try {
    const own = statSync(real);
    const twin = statSync(`${dirname(real)}/${other}`, { throwIfNoEntry: false });
    return twin !== undefined && twin.ino === own.ino && twin.dev === own.dev;
  } catch {
    return false;
  }
}
