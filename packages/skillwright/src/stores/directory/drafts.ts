import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** A draft this old was left by a process that died; none takes this long to write. */
const abandonedAfterMs = 3_600_000;

/** Answers a function that gives new paths for drafts, below `<dir>/drafts`; the first call removes those that a crash left. */
export function draftsIn(dir: string): () => Promise<string> {
  const folder = join(dir, "drafts");
  let ready: Promise<void> | undefined;
  return async () => {
    ready ??= sweep(folder).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    await ready;
    return join(folder, randomUUID());
  };
}

async function sweep(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
}
