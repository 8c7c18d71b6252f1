import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Options of {@link readSmallFile}. */
interface ReadSmallFileOptions {
  readonly maxBytes: number;
  /** Whether the file may be a link. @default true */
  readonly links?: boolean;
}

/** What {@link readSmallFile} found: text, nothing there, or something that is not to be read. */
export type SmallFile = { readonly text: string } | { readonly missing: true } | { readonly refused: string };

/** Reads a file that may have been put there by anyone: never a pipe or a device, never more than `maxBytes`. */
export function readSmallFile(path: string, { maxBytes, links = true }: ReadSmallFileOptions): SmallFile {
  let descriptor: number;
  try {
    const noFollow = links ? 0 : (constants.O_NOFOLLOW ?? 0);
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
    return { refused: code === "ELOOP" ? "it is a link" : `it cannot be opened (${code})` };
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return { refused: "it is not a regular file" };
    if (stats.size > maxBytes) return { refused: `it has ${stats.size} bytes, and ${maxBytes} are allowed` };
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, length);
    }
    return { text: bytes.toString("utf8", 0, length) };
  } catch (error) {
    return { refused: `it cannot be read (${codeOf(error)})` };
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
