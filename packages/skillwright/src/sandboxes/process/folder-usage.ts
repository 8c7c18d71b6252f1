import * as fs from "node:fs";
import { setImmediate } from "node:timers/promises";

const batch = 512;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;

/** How much disk the files below a folder take, links not followed; stops counting beyond `enough`. Linux only, elsewhere 0. */
export async function folderUsage(folder: string, enough: number): Promise<number> {
  if (process.platform !== "linux") return 0;
  let used = 0;
  let handled = 0;
  const walk = async (path: string, depth: number): Promise<void> => {
    let descriptor: number;
    try {
      descriptor = fs.openSync(path, O_RDONLY | O_DIRECTORY | (depth === 0 ? 0 : O_NOFOLLOW));
    } catch {
      return;
    }
    try {
      for (const name of fs.readdirSync(`/proc/self/fd/${descriptor}`)) {
        if (used > enough) return;
        if (++handled % batch === 0) await setImmediate();
        const stat = fs.lstatSync(`/proc/self/fd/${descriptor}/${name}`, { throwIfNoEntry: false });
        used += (stat?.blocks ?? 0) * 512;
        if (stat?.isDirectory() && depth < 64) await walk(`/proc/self/fd/${descriptor}/${name}`, depth + 1);
      }
    } catch {
      // Changed while it was looked at.
    } finally {
      fs.closeSync(descriptor);
    }
  };
  await walk(folder, 0);
  return used;
}
