import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Files and folders to make: text, bytes, a link, or a folder of the same. */
export interface Tree {
  readonly [name: string]: string | Uint8Array | Link | Tree;
}

/** A symbolic link, to a path as it is written. */
export interface Link {
  readonly link: string;
}

/** Makes a folder that is gone when the test is; its real path. */
export function makeTree(tree: Tree = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "skills-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  addTree(root, tree);
  return root;
}

/** Adds files and folders to a folder; names may hold slashes. */
export function addTree(folder: string, tree: Tree): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, entry] of Object.entries(tree)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (typeof entry === "string" || entry instanceof Uint8Array) writeFileSync(path, entry);
    else if (isLink(entry)) symlinkSync(entry.link, path);
    else addTree(path, entry);
  }
}

/** A SKILL.md. */
export function skillText(name: string, description = `Does ${name} things when asked.`, body = `How to do ${name}.\n`): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;
}

/** Folders of plain skills, one for each name. */
export function skillFolders(...names: string[]): Tree {
  return Object.fromEntries(names.map((name) => [name, { "SKILL.md": skillText(name) }]));
}

/** Takes away the permission to read, and gives it back when the test is over. */
export function makeUnreadable(path: string): void {
  chmodSync(path, 0);
  onTestFinished(() => chmodSync(path, 0o755));
}

function isLink(entry: Link | Tree): entry is Link {
  return typeof entry.link === "string" && Object.keys(entry).length === 1;
}
