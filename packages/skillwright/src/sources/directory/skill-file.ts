import { closeSync, lstatSync, readSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { RefusedCandidate, SourceEntry } from "../../catalog/index.ts";
import type { Diagnostic } from "../../core/index.ts";
import { openInside, placeAt, type Refusal, type Root, refusalOf, type ShownRoot, stampOf } from "./boundary.ts";

/** A folder of a walk. */
export interface Folder {
  /** Where it really lies. */
  readonly real: string;
  /** Where it was found, `/`-separated, relative to the root. */
  readonly path: string;
  readonly depth: number;
  /** Whether it was reached through a link. */
  readonly linked: boolean;
}

/** Looks for the SKILL.md of folders, one after the other. */
export interface SkillFiles {
  /**
   * Whether a folder has a file of that name; if so, its candidate, or why it is refused, is added to what was found.
   * Headers share a buffer: that of a candidate holds until {@link heldHeaders} more have been found.
   */
  look(folder: Folder, file: string, found: SourceEntry[]): boolean;
}

/** The name a skill's file has; any other case of it is found too. */
export const skillFileName = "SKILL.md";

const headerBytes = 4096;
/** How many headers are held at once. */
export const heldHeaders = 8;
const notAFile: Refusal = {
  severity: "error",
  code: "skill-file-invalid",
  message: "It is a folder, not a file.",
  hint: "Make it a regular file.",
};
const quiet = { throwIfNoEntry: false } as const;

/**
 * Reads the beginnings of SKILL.md files of a root; a file whose stamp is known is not opened. A few headers are held at once, so that
 * reading and what is done with them can take turns: done by turns for each single file, both run markedly slower.
 */
export function createSkillFiles(
  root: Root,
  known: ReadonlyMap<string, string> | undefined,
  onFolder: ((real: string) => void) | undefined,
): SkillFiles {
  const rootLinked = root.real !== root.path;
  // Not filled with zeros: nobody sees more of it than was read.
  const buffer = new Uint8Array(Buffer.allocUnsafeSlow(heldHeaders * headerBytes).buffer);
  let held = 0;

  /** A SKILL.md that is not read is a skill that is missed: an error, whatever else the same fault would be. */
  function refusedFile(folder: Folder, file: string, refusal: Refusal): RefusedCandidate {
    return { path: folder.path, refused: { ...refusal, severity: "error", location: locationOf(root, folder.path, file) } };
  }

  function read(folder: Folder, file: string, path: string, stats: Stats): SourceEntry {
    const stamp = stampOf(stats);
    if (known !== undefined && known.get(folder.path) === stamp) return { path: folder.path, unchanged: true };
    const descriptor = openInside(root, path);
    if (typeof descriptor !== "number") return refusedFile(folder, file, descriptor);
    try {
      const start = (held++ % heldHeaders) * headerBytes;
      const header = buffer.subarray(start, start + readSync(descriptor, buffer, start, headerBytes, 0));
      // The change time moves with every write and nobody can set it back.
      const found = { path: folder.path, file, header, size: stats.size, stamp, modifiedMs: stats.ctimeMs };
      return folder.linked || rootLinked ? { ...found, realPath: folder.real } : found;
    } catch (error) {
      return refusedFile(folder, file, refusalOf(error));
    } finally {
      closeSync(descriptor);
    }
  }

  return {
    look(folder, file, found) {
      const path = `${folder.real}/${file}`;
      let stats: Stats | undefined;
      try {
        stats = lstatSync(path, quiet);
      } catch (error) {
        found.push({ ...refused(refusalOf(error), locationOf(root, folder.path)), code: "folder-unreadable" });
        return true;
      }
      if (stats === undefined) return false;
      if (stats.isFile()) {
        found.push(read(folder, file, path, stats));
        return true;
      }
      const place = placeAt(root, path);
      if (place.kind === "missing") return false;
      if (place.kind === "file") {
        onFolder?.(dirname(place.path));
        const location = locationOf(root, folder.path, file);
        found.push({ severity: "info", code: "link-followed", message: `${file} is a link to ${place.path}.`, location });
        found.push(read(folder, file, place.path, place.stats));
      } else {
        found.push(refusedFile(folder, file, place.kind === "refused" ? place.refusal : notAFile));
      }
      return true;
    },
  };
}

/** A place below a root as a person can find it. */
export function locationOf(root: ShownRoot, path: string, file?: string): string {
  if (file === undefined) return path === "" ? root.path : root.prefix + path;
  return path === "" ? root.prefix + file : `${root.prefix}${path}/${file}`;
}

/** A refusal at a place. */
export function refused(refusal: Refusal, location: string): Diagnostic {
  return { ...refusal, location };
}

/** Says that a folder holds SKILL.md in several cases; the first of the names is the one that is read. */
export function twinWarning(root: ShownRoot, path: string, [file = "", ...twins]: readonly string[]): Diagnostic {
  return {
    severity: "warning",
    code: "skill-file-twice",
    message: `${file} and ${twins.join(", ")} stand in one folder; ${file} is read.`,
    location: locationOf(root, path, twins[0]),
    hint: `Remove ${twins.join(", ")}: the names are one where file names ignore case.`,
  };
}
