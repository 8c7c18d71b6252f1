import type { FileKind } from "./skill-library.ts";

const byFolder: ReadonlyMap<string, FileKind> = new Map([
  ["references", "reference"],
  ["reference", "reference"],
  ["assets", "asset"],
  ["scripts", "script"],
]);
const scriptExtensions: ReadonlySet<string> = new Set([
  "bash",
  "bat",
  "cjs",
  "cmd",
  "js",
  "mjs",
  "mts",
  "pl",
  "ps1",
  "py",
  "r",
  "rb",
  "sh",
  "ts",
  "zsh",
]);

/** What a file of a skill is for: by the folder the format names for it, else a script by its extension or because it may be executed. */
export function fileKindOf(path: string, mode: number): FileKind {
  const named = byFolder.get(path.slice(0, Math.max(0, path.indexOf("/"))));
  if (named !== undefined) return named;
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return scriptExtensions.has(extension) || (mode & 0o111) !== 0 ? "script" : "other";
}
