import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import type { Trust } from "../../catalog/index.ts";

/** A root that exists. Everything is reached by its real path, and shown by the path it was given as. */
export interface Root extends ShownRoot {
  readonly real: string;
  readonly trust: Trust;
}

/** A root as people know it. */
export interface ShownRoot {
  readonly path: string;
  /** The path with a slash at its end. */
  readonly prefix: string;
}

/** Why something below a root may not be used; a diagnostic without its location. */
export interface Refusal {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** What stands at a path, told without opening it. */
export type Place =
  /** A regular file or a folder; `path` leads to it, and where it was reached through a link it is its real path. */
  | { readonly kind: "file" | "folder"; readonly path: string; readonly stats: Stats; readonly linked: boolean }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly refusal: Refusal };

const missing: Place = { kind: "missing" };
const quiet = { throwIfNoEntry: false } as const;
// Should the file have turned into a link or a pipe since it was looked at, opening neither follows nor waits. Windows has neither flag.
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The one boundary of a directory source, first half: says what stands at a path, so that only regular files are ever opened.
 * Links are followed; where the root is untrusted, those that leave it are refused.
 */
export function placeAt(root: Root, path: string): Place {
  try {
    const stats = lstatSync(path, quiet);
    if (stats === undefined) return missing;
    if (!stats.isSymbolicLink()) return placeOf(path, stats, false);
    const target = realpathSync.native(path);
    if (root.trust === "untrusted" && !isInside(target, root.real)) return { kind: "refused", refusal: linkOutside(target) };
    return placeOf(target, statSync(target), true);
  } catch (error) {
    return { kind: "refused", refusal: refusalOf(error) };
  }
}

/** As {@link placeAt}, for a path of which any part may be a link. */
export function resolvedPlaceAt(root: Root, path: string): Place {
  try {
    const target = realpathSync.native(path);
    if (root.trust === "untrusted" && !isInside(target, root.real)) return { kind: "refused", refusal: linkOutside(target) };
    return placeOf(target, statSync(target), target !== path);
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return placeAt(root, path);
    return { kind: "refused", refusal: refusalOf(error) };
  }
}

/**
 * The boundary's second half: opens a regular file and, where the root is untrusted, proves by the real path of what was opened
 * that it lies inside, whatever happened to the path since it was looked at. The caller closes the descriptor.
 */
export function openInside(root: Root, path: string): number | Refusal {
  let descriptor: number;
  try {
    descriptor = openSync(path, openFlags);
  } catch (error) {
    return refusalOf(error);
  }
  if (root.trust === "trusted") return descriptor;
  try {
    const real = realPathOf(descriptor, path);
    if (real !== undefined && isInside(real, root.real) && fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    return linkOutside(real ?? path);
  } catch (error) {
    closeSync(descriptor);
    return refusalOf(error);
  }
}

/** The whole of an opened file, or undefined where it changed while it was read, or has grown beyond `maxBytes`. */
export function readWhole(descriptor: number, maxBytes: number): Uint8Array | undefined {
  const before = fstatSync(descriptor);
  if (before.size > maxBytes) return undefined;
  const bytes = new Uint8Array(before.size);
  let length = 0;
  while (length < before.size) {
    const count = readSync(descriptor, bytes, length, before.size - length, length);
    if (count === 0) return undefined;
    length += count;
  }
  const after = fstatSync(descriptor);
  return after.size === before.size && after.mtimeMs === before.mtimeMs ? bytes : undefined;
}

/** Whether a real path is another one or lies below it; a sibling with the same beginning does not. */
function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(prefixOf(folder));
}

/** What the paths of everything in a folder begin with. */
export function prefixOf(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}

const stampFields = new Float64Array(3);
const stampBytes = Buffer.from(stampFields.buffer);

/**
 * Opaque text that differs when a file was written, replaced or renamed over: unlike the time of writing, that of change cannot be set.
 * One flat string of 32 characters: joined from its numbers it would take five times the memory.
 */
export function stampOf({ size, ctimeMs, ino }: Stats): string {
  stampFields[0] = size;
  stampFields[1] = ctimeMs;
  stampFields[2] = ino;
  return stampBytes.toString("base64url");
}

/** Why an operation of the file system failed, for people. */
export function refusalOf(error: unknown): Refusal {
  if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) {
    return {
      severity: "warning",
      code: "link-broken",
      message: "The link leads nowhere.",
      hint: "Remove the link, or restore what it points to.",
    };
  }
  if (hasCode(error, "ELOOP")) {
    return { severity: "warning", code: "link-cycle", message: "The link leads back to itself.", hint: "Remove the link." };
  }
  if (hasCode(error, "EACCES") || hasCode(error, "EPERM")) {
    return {
      severity: "error",
      code: "unreadable",
      message: "Permission to read it is denied.",
      hint: "Give the user that runs this permission to read it.",
    };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { severity: "error", code: "unreadable", message: `It cannot be read: ${reason}.`, hint: "Check the disk and the permissions." };
}

function placeOf(path: string, stats: Stats, linked: boolean): Place {
  if (stats.isFile()) return { kind: "file", path, stats, linked };
  if (stats.isDirectory()) return { kind: "folder", path, stats, linked };
  const kind = stats.isFIFO() ? "a pipe" : stats.isSocket() ? "a socket" : "a device";
  return {
    kind: "refused",
    refusal: {
      severity: "warning",
      code: "special-file",
      message: `It is ${kind}, which is never opened.`,
      hint: "Replace it by a regular file, or remove it.",
    },
  };
}

function linkOutside(target: string): Refusal {
  return {
    severity: "warning",
    code: "link-outside-root",
    message: `The link leads out of an untrusted root, to ${target}.`,
    hint: "Copy what it points to into the root, or trust the root.",
  };
}

/** The real path of what is open, from the kernel where it tells; else the path's, if it still leads to the same file. */
function realPathOf(descriptor: number, path: string): string | undefined {
  if (process.platform === "linux") {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // No /proc here: compare identities instead.
    }
  }
  const real = realpathSync.native(path);
  const opened = fstatSync(descriptor);
  const found = statSync(real);
  return opened.ino === found.ino && opened.dev === found.dev ? real : undefined;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
