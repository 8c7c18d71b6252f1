import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { batch, codeOf, maxDepth, type OpenFolder, openFolder } from "./open-folder.ts";

/** Removes a folder and everything in it without following a link, however deep it is. */
export async function removeFolder(path: string): Promise<void> {
  const parent = openFolder(dirname(path), true);
  try {
    await removeEntry(parent, basename(path), dirname(path));
  } finally {
    parent.close();
  }
}

/** Removes what stands in an open folder under a name; names are bytes here, since programs make names that are no UTF-8. */
export async function removeEntry(folder: OpenFolder, name: string, root: string): Promise<void> {
  const pending: { readonly folder: OpenFolder; readonly name: Buffer }[] = [{ folder, name: Buffer.from(name) }];
  let handled = 0;
  const remove = async (parent: OpenFolder, entry: Buffer, depth: number): Promise<void> => {
    if (++handled % batch === 0) await setImmediate();
    const path = below(parent, entry);
    if (unlinkFile(path)) return;
    if (depth > maxDepth) {
      // Too deep to hold every folder on the way open: it goes on from the top.
      const moved = `.${crypto.randomUUID()}.gone`;
      fs.renameSync(path, `${root}/${moved}`);
      pending.push({ folder: { path: root, close: () => undefined }, name: Buffer.from(moved) });
      return;
    }
    const inner = openToEmpty(path);
    if (inner === undefined) return;
    try {
      for (const child of fs.readdirSync(inner.path, { encoding: "buffer" })) await remove(inner, child, depth + 1);
    } finally {
      inner.close();
    }
    fs.rmdirSync(path);
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) await remove(next.folder, next.name, 0);
}

function below(folder: OpenFolder, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder.path}/`), name]);
}

/** Removes anything but a folder; false when it is one. */
function unlinkFile(path: Buffer): boolean {
  try {
    if (fs.lstatSync(path).isDirectory()) return false;
    fs.unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  return true;
}

/** Opens a folder whose content is about to go, even when its mode forbids that. */
function openToEmpty(path: Buffer): OpenFolder | undefined {
  try {
    const inner = openFolder(path, false);
    if ((fs.statSync(inner.path).mode & 0o700) !== 0o700) fs.chmodSync(inner.path, 0o700);
    return inner;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    if (code !== "EACCES") throw error;
  }
  fs.chmodSync(path, 0o700);
  return openFolder(path, false);
}
