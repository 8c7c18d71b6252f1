import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { UsageError } from "./usage-error.ts";

/** A file that a person hands in. */
export interface InputFile {
  /** Its name without folders. */
  readonly name: string;
  readonly data: Uint8Array;
}

/** Reads a file that a person handed in; what cannot be read is wrong use. */
export async function readInput(path: string): Promise<InputFile> {
  try {
    return { name: basename(path), data: await readFile(path) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const why = code === "ENOENT" ? "does not exist" : code === "EISDIR" ? "is a folder; name a file" : `cannot be read (${code})`;
    throw new UsageError(`The file "${path}" ${why}.`, { cause: error });
  }
}
