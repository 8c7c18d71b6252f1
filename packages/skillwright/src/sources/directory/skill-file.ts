import { closeSync, lstatSync, readSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { RefusedCandidate, SourceEntry } from "../../catalog/index.ts";
import type { Diagnostic } from "../../core/index.ts";
import { openInside, placeAt, type Refusal, type Root, refusalOf, stampOf } from "./boundary.ts";

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
   * The candidate of a folder, or why its file is refused; undefined where the folder has no file of that name.
   * What is to be said beside goes to `notes`.
   */
  look(folder: Folder, file: string, notes: Diagnostic[]): SourceEntry | undefined;
}

/** The name a skill's file has; any other case of it is found too. */
export const skillFileName = "SKILL.md";

const headerBytes = 4096;
const notAFile: Refusal = {
  severity: "error",
  code: "skill-file-invalid",
  message: "It is a folder, not a file.",
  hint: "Make it a regular file.",
};
const quiet = { throwIfNoEntry: false } as const;

/** Reads the beginnings of SKILL.md files of a root into one shared buffer; a file whose stamp is known is not opened. */
export function createSkillFiles(
  root: Root,
  known: ReadonlyMap<string, string> | undefined,
  onFolder: ((real: string) => void) | undefined,
): SkillFiles {
  const rootLinked = root.real !== root.path;
  const buffer = new Uint8Array(headerBytes);
  const views: Uint8Array[] = [];

  /** The first bytes of the buffer. Views cost more than the rest of a candidate, so each is made once. */
  function viewOf(length: number): Uint8Array {
    const known = views[length];
    if (known !== undefined) return known;
    const view = buffer.subarray(0, length);
    views[length] = view;
    return view;
  }

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
      const length = readSync(descriptor, buffer, 0, headerBytes, 0);
      const header = length === headerBytes ? buffer : viewOf(length);
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
    look(folder, file, notes) {
      const path = `${folder.real}/${file}`;
      let stats: Stats | undefined;
      try {
        stats = lstatSync(path, quiet);
      } catch (error) {
        return { ...refused(refusalOf(error), locationOf(root, folder.path)), code: "folder-unreadable" };
      }
      if (stats === undefined) return undefined;
      if (stats.isFile()) return read(folder, file, path, stats);
      const place = placeAt(root, path);
      if (place.kind === "missing") return undefined;
      if (place.kind !== "file") return refusedFile(folder, file, place.kind === "refused" ? place.refusal : notAFile);
      onFolder?.(dirname(place.path));
      notes.push({
        severity: "info",
        code: "link-followed",
        message: `${file} is a link to ${place.path}.`,
        location: locationOf(root, folder.path, file),
      });
      return read(folder, file, place.path, place.stats);
    },
  };
}

/** A place below a root as a person can find it. */
export function locationOf(root: Pick<Root, "path">, path: string, file?: string): string {
  const folder = path === "" ? root.path : `${root.path}/${path}`;
  return file === undefined ? folder : `${folder}/${file}`;
}

/** A refusal at a place. */
export function refused(refusal: Refusal, location: string): Diagnostic {
  return { ...refusal, location };
}
