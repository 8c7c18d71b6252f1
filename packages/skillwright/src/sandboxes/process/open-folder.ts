import * as fs from "node:fs";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;

/** Linux alone can open an entry relative to an open folder, which no rename or link can redirect. */
export const throughDescriptors: boolean = process.platform === "linux";

/** Deeper folders are listed but not entered, and are moved up before they are removed. */
export const maxDepth = 64;

/** Entries handled between two turns of the event loop. */
export const batch = 256;

/** An open folder: `path` stays valid and means the same folder until it is closed, whatever is renamed or linked meanwhile. */
export interface OpenFolder {
  readonly path: string;
  close(): void;
}

/** Opens a folder; `follow` lets its last name be a link. */
export function openFolder(path: string | Buffer, follow: boolean): OpenFolder {
  if (!throughDescriptors) return { path: path.toString(), close: () => undefined };
  const descriptor = fs.openSync(path, O_RDONLY | O_DIRECTORY | (follow ? 0 : O_NOFOLLOW));
  return { path: `/proc/self/fd/${descriptor}`, close: () => fs.closeSync(descriptor) };
}

/** The code of a system error. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}
