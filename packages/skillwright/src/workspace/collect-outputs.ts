import { digestOf, type Limits, SkillError } from "../core/index.ts";
import { globMatcher } from "./glob.ts";
import { mediaTypeOf, textOf } from "./media-type.ts";
import type { Redactor } from "./redact-grants.ts";
import type { Workspace, WorkspaceEntry } from "./sandbox.ts";
import type { OutputFile } from "./skill-workspace.ts";
import { freeName, layout } from "./workspace-layout.ts";

/** Longer texts are named, not shown. */
const inlineTextBytes = 16 * 1024;

/** How many entries of a working directory are compared before and after a run. */
const maxCompared = 20_000;

/** Folders that tools fill on the side; what is in them is no result of a run. */
const byproducts = /(^|\/)(__pycache__|node_modules|\.git|\.venv|\.cache)(\/|$)/;

/** What stood in a folder before a run, to tell afterwards what changed. */
export type Snapshot = ReadonlyMap<string, string>;

/** Remembers a folder. */
export async function takeSnapshot(workspace: Workspace, folder: string): Promise<Snapshot> {
  const entries = await workspace.list(folder, { maxEntries: maxCompared });
  return new Map(entries.map((entry) => [entry.path, `${entry.kind}\0${entry.stamp}`]));
}

/** What is collected after a run. */
export interface CollectRequest {
  readonly workspace: Workspace;
  readonly limits: Limits;
  readonly redactor: Redactor;
  readonly runId: string;
  /** The folder whose changes count. */
  readonly working: string;
  readonly before: Snapshot;
  /** Globs from the root. */
  readonly patterns: readonly string[];
  /** Paths below `out/` that are taken; what is published is added. */
  readonly published: Set<string>;
}

/** Publishes what a run wrote to its output folder, and names what it changed in its working directory; links are never followed. */
export async function collectOutputs(
  request: CollectRequest,
): Promise<{ readonly outputs: readonly OutputFile[]; readonly warnings: readonly string[] }> {
  const { workspace, limits, redactor, published } = request;
  const outputs: OutputFile[] = [];
  const warnings: string[] = [];
  const outFolder = `${layout.runs}/${request.runId}/out`;
  const candidates = await findCandidates(request, outFolder, warnings);

  if (candidates.length > limits.maxOutputFiles) {
    warnings.push(
      `${candidates.length - limits.maxOutputFiles} more files were written than the ${limits.maxOutputFiles} that are collected from one run.`,
    );
  }
  let total = 0;
  for (const entry of candidates.slice(0, limits.maxOutputFiles)) {
    if (entry.bytes > limits.maxFileBytes || total + entry.bytes > limits.maxWorkspaceBytes) {
      warnings.push(`${entry.path} was left out: ${entry.bytes} bytes are more than may be collected.`);
      continue;
    }
    const data = await readOutput(workspace, entry, limits, warnings);
    if (data === undefined) continue;
    total += data.length;
    let path = entry.path;
    if (path.startsWith(`${outFolder}/`)) {
      path = freeName(`${layout.out}${path.slice(outFolder.length)}`, (taken) => published.has(taken));
      published.add(path);
      await workspace.writeFiles([{ path, data }]);
    }
    const text = data.length <= inlineTextBytes ? textOf(data) : undefined;
    outputs.push({
      path,
      bytes: data.length,
      mediaType: mediaTypeOf(path, data),
      digest: await digestOf(data),
      ...(text !== undefined && { text: redactor.redact(text) }),
    });
  }
  return { outputs, warnings };
}

async function findCandidates(request: CollectRequest, outFolder: string, warnings: string[]): Promise<WorkspaceEntry[]> {
  const { workspace, working, before, patterns } = request;
  const found = new Map<string, WorkspaceEntry>();
  const consider = (entry: WorkspaceEntry): void => {
    if (entry.kind === "directory") return;
    const reason = unsuitable(entry);
    if (reason === undefined) found.set(entry.path, entry);
    else warnings.push(`${entry.path} was left out: ${reason}.`);
  };

  for (const entry of await workspace.list(outFolder, { maxEntries: maxCompared })) consider(entry);
  const after = await workspace.list(working, { maxEntries: maxCompared });
  if (after.length >= maxCompared) warnings.push(`${working} holds more than ${maxCompared} entries; only these were compared.`);
  for (const entry of after) {
    if (before.get(entry.path) === `${entry.kind}\0${entry.stamp}` || byproducts.test(entry.path.slice(working.length))) continue;
    consider(entry);
  }
  for (const pattern of patterns) {
    const matches = globMatcher(pattern);
    for (const entry of await workspace.list(pattern.split("/", 1)[0] ?? ".", { maxEntries: maxCompared })) {
      if (entry.kind !== "directory" && matches(entry.path) && !found.has(entry.path)) consider(entry);
    }
  }
  return [...found.values()];
}

function unsuitable(entry: WorkspaceEntry): string | undefined {
  if (entry.kind === "link") return "it is a link, and links are not followed";
  if (entry.kind === "other") return "it is not a regular file";
  return (entry.links ?? 1) > 1 ? "it is a hard link" : undefined;
}

async function readOutput(
  workspace: Workspace,
  entry: WorkspaceEntry,
  limits: Limits,
  warnings: string[],
): Promise<Uint8Array | undefined> {
  try {
    return await workspace.read(entry.path, { maxBytes: limits.maxFileBytes });
  } catch (error) {
    if (!SkillError.is(error)) throw error;
    warnings.push(`${entry.path} was left out: ${error.message}`);
    return undefined;
  }
}
