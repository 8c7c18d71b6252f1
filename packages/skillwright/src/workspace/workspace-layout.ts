import { SkillError } from "../core/index.ts";

/** The folders of a workspace, relative to its root. */
export const layout: Readonly<Record<"skills" | "work" | "inputs" | "workingFolders" | "runs" | "out" | "metadata", string>> =
  Object.freeze({
    skills: "skills",
    work: "work",
    inputs: "work/inputs",
    workingFolders: "work/skills",
    runs: "runs",
    out: "out",
    metadata: "metadata.json",
  });

/** Folders that runs only read: staged skills, and what earlier runs published. */
export const readOnlyFolders: readonly string[] = [layout.skills, layout.out];

/** What of one run the layout and its environment depend on. */
export interface RunPlace {
  /** The root as programs see it. */
  readonly root: string;
  readonly runId: string;
  readonly skill?: { readonly name: string; readonly folder: string };
}

/** The folder variables of a run, as the programs see them. */
export function placeVariables(place: RunPlace): Record<string, string> {
  const { root, runId, skill } = place;
  return {
    WORKSPACE_DIR: root,
    SKILLS_DIR: `${root}/${layout.skills}`,
    WORK_DIR: `${root}/${layout.work}`,
    INPUTS_DIR: `${root}/${layout.inputs}`,
    RUN_DIR: `${root}/${layout.runs}/${runId}`,
    OUTPUT_DIR: `${root}/${layout.runs}/${runId}/out`,
    ...(skill && { SKILL_NAME: skill.name.replaceAll("\0", ""), SKILL_DIR: `${root}/${layout.skills}/${skill.folder}` }),
  };
}

/** The working directory of a skill's runs, relative to the root. */
export function workingFolder(skillFolder: string | undefined): string {
  return skillFolder === undefined ? layout.work : `${layout.workingFolders}/${skillFolder}`;
}

/**
 * Resolves a working directory as a model or a SKILL.md names it to a path relative to the root: `$WORK_DIR/x`, a path from the
 * root (`skills/x`, `work/x`, `out`), an absolute path inside, or a path below the default; `..` may climb, but not out.
 * @throws SkillError `path-outside-root`
 */
export function resolveFolder(named: string | undefined, place: RunPlace): string {
  const base = workingFolder(place.skill?.folder);
  const text = (named ?? "").trim().replaceAll("\\", "/");
  if (text === "" || text === ".") return base;
  const outside = (): SkillError =>
    new SkillError("path-outside-root", `The working directory ${JSON.stringify(text.slice(0, 200))} is outside the workspace.`, {
      hint: "Name a folder below the skill's working directory, or begin with $WORK_DIR, $SKILL_DIR, $INPUTS_DIR or $OUTPUT_DIR.",
    });

  if (text.includes("\0") || /^[a-zA-Z]:/.test(text)) throw outside();
  const expanded = expandVariable(text, placeVariables(place));
  if (expanded.startsWith("$") || expanded.startsWith("~")) throw outside();
  const inside = fromRoot(expanded, place.root);
  if (expanded.startsWith("/") && inside === undefined) throw outside();
  const relative = inside ?? (startsAtTop(expanded) ? expanded : `${base}/${expanded}`);
  const resolved = foldClimbs(relative);
  if (resolved === undefined) throw outside();
  return resolved;
}

/** Resolves a file as people and models name it: from the root, `inputs/x`, or as an absolute path inside; undefined when it is outside. */
export function resolveFile(named: string, root: string): string | undefined {
  const text = named.trim().replaceAll("\\", "/");
  if (text.includes("\0")) return undefined;
  const inside = fromRoot(text, root);
  if (text.startsWith("/") && inside === undefined) return undefined;
  const relative = foldClimbs(inside ?? text.replace(/^workspace:\/\//, ""));
  if (relative === undefined || relative === ".") return undefined;
  return relative === "inputs" || relative.startsWith("inputs/") ? `${layout.work}/${relative}` : relative;
}

/** A file name that is safe in every file system, from whatever a user or a message called it. */
export function safeFileName(name: string): string {
  const last = name.normalize("NFC").replaceAll("\\", "/").split("/").at(-1) ?? "";
  const clean = last
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed.
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069"'`$*?<>|:;&!(){}[\]#~%^=\s]+/g, "_")
    .replace(/^[.\-_]+(?=.)/, "");
  return shorten(clean === "" || clean === "." || clean === "_" ? "file" : clean, 120);
}

/** The folder of a skill; names that are no plain file names are rewritten, so `needsMark` asks for something that keeps them apart. */
export function safeFolderName(name: string): { readonly folder: string; readonly needsMark: boolean } {
  const clean = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+|[.-]+$/g, "");
  const folder = shorten(clean === "" ? "skill" : clean, 64);
  return { folder, needsMark: folder !== name };
}

/** `report.csv` to `report-2.csv`, until nothing has that name. */
export function freeName(path: string, taken: (path: string) => boolean): string {
  if (!taken(path)) return path;
  const extension = /(?<=[^/])(?:\.tar)?\.[^./]+$/.exec(path)?.[0] ?? "";
  const stem = path.slice(0, path.length - extension.length);
  for (let number = 2; ; number++) {
    const candidate = `${stem}-${number}${extension}`;
    if (!taken(candidate)) return candidate;
  }
}

function expandVariable(text: string, variables: Readonly<Record<string, string>>): string {
  const match = /^\$(?:\{([A-Z_]+)\}|([A-Z_]+))(?=\/|$)/.exec(text);
  const value = match && variables[match[1] ?? match[2] ?? ""];
  return match && value !== undefined ? value + text.slice(match[0].length) : text;
}

function fromRoot(path: string, root: string): string | undefined {
  if (path === root) return ".";
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

function startsAtTop(path: string): boolean {
  const first = path.split("/", 1)[0] ?? "";
  return first === layout.skills || first === layout.work || first === layout.runs || first === layout.out;
}

function foldClimbs(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? "." : parts.join("/");
}

/** Cuts a name to a number of UTF-8 bytes, between characters, keeping a short extension. */
function shorten(name: string, maxBytes: number): string {
  const encoder = new TextEncoder();
  if (encoder.encode(name).length <= maxBytes) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  let stem = "";
  for (const character of name.slice(0, name.length - extension.length)) {
    if (encoder.encode(stem + character + extension).length > maxBytes) break;
    stem += character;
  }
  return stem + extension;
}
