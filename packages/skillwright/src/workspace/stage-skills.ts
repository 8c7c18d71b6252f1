import { type Digest, digestOf, type Limits, normalizeRelativePath, SkillError, throwIfAborted, treeDigestOf } from "../core/index.ts";
import type { Workspace, WorkspaceEntry, WorkspaceFile } from "./sandbox.ts";
import type { SkillToStage, StagedSkill } from "./skill-workspace.ts";
import { layout, safeFolderName, workingFolder } from "./workspace-layout.ts";

/** What a {@link SkillStage} works on. */
export interface SkillStageOptions {
  readonly workspace: Workspace;
  readonly limits: Limits;
  /** Whether runs cannot change what was staged; otherwise it is looked over before every reuse. */
  readonly readOnly: boolean;
  /** Told when a staged copy had been changed by a run and is replaced. */
  readonly onTampered?: (skill: string) => void;
}

/** Puts skills into a workspace: content that has not changed is not copied, calls for one skill never overlap. */
export interface SkillStage {
  stage(skill: SkillToStage, signal?: AbortSignal): Promise<StagedSkill & { readonly folder: string }>;
}

interface Staged {
  readonly name: string;
  readonly key: string;
  readonly treeDigest: Digest;
  readonly digests: ReadonlyMap<string, string>;
  /** What a listing of the staged folder looked like. */
  readonly seal: string;
}

/** Files read at once while staging; more only waits longer in the thread pool. */
const readsAtOnce = 16;

/** Opens a {@link SkillStage}. */
export function openSkillStage(options: SkillStageOptions): SkillStage {
  const { workspace, limits, readOnly } = options;
  const folders = new Map<string, string>();
  const staged = new Map<string, Staged>();
  const running = new Map<string, { readonly key: string; readonly done: Promise<StagedSkill & { readonly folder: string }> }>();
  let metadataWrites: Promise<void> = Promise.resolve();

  const folderOf = async (name: string): Promise<string> => {
    for (const [folder, owner] of folders) if (owner === name) return folder;
    const { folder, needsMark } = safeFolderName(name);
    // Names that differ in case alone share a folder on some file systems.
    const taken = [...folders.keys()].some((other) => other.toLowerCase() === folder.toLowerCase());
    const unique = needsMark || taken ? `${folder}-${(await digestOf(name)).slice(7, 15)}` : folder;
    folders.set(unique, name);
    return unique;
  };

  const seal = async (folder: string): Promise<string> => {
    const entries = await workspace.list(`${layout.skills}/${folder}`, { maxEntries: limits.maxFiles * 4 });
    return entries
      .map((entry) => `${entry.path}\0${entry.kind}\0${entry.kind === "directory" ? "" : `${entry.mode & 0o777}\0${entry.stamp}`}`)
      .join("\n");
  };

  const writeMetadata = (): Promise<void> => {
    metadataWrites = metadataWrites
      .catch(() => undefined)
      .then(() => {
        const skills = [...staged]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([folder, skill]) => ({ folder, name: skill.name, treeDigest: skill.treeDigest, files: skill.digests.size }));
        const text = `${JSON.stringify({ version: 1, skills }, null, 2)}\n`;
        return workspace.writeFiles([{ path: layout.metadata, data: new TextEncoder().encode(text) }]);
      });
    return metadataWrites;
  };

  const copy = async (
    skill: SkillToStage,
    folder: string,
    signal: AbortSignal | undefined,
  ): Promise<{ staged: Staged; reused: boolean }> => {
    const root = `${layout.skills}/${folder}`;
    const previous = staged.get(folder);
    const files = await readSkill(skill, limits, signal);
    const treeDigest = await treeDigestOf(files);
    const intact = previous !== undefined && (readOnly || (await seal(folder)) === previous.seal);
    if (intact && previous.treeDigest === treeDigest) return { staged: { ...previous, key: skill.key }, reused: true };

    const digests = new Map(files.map((file) => [file.path, `${file.mode & 0o111 ? "x" : "-"}${file.digest}`]));
    // Until it is done, nothing is known to stand there.
    staged.delete(folder);
    if (!intact) await workspace.remove(root);
    if (!intact && previous !== undefined) options.onTampered?.(skill.name);
    // A running script keeps the files that did not change.
    const vanished = intact ? [...previous.digests.keys()].filter((path) => !digests.has(path)) : [];
    for (const path of vanished) await workspace.remove(`${root}/${path}`);
    const changed = intact ? files.filter((file) => previous.digests.get(file.path) !== digests.get(file.path)) : files;
    await workspace.writeFiles(
      changed.map((file) => ({ path: `${root}/${file.path}`, data: file.data, mode: file.mode & 0o111 ? 0o755 : 0o644 })),
      signal ? { signal } : {},
    );
    await linkWorkingFolder(workspace, folder, topLevel(digests.keys()), topLevel(previous?.digests.keys() ?? []));
    return { staged: { name: skill.name, key: skill.key, treeDigest, digests, seal: readOnly ? "" : await seal(folder) }, reused: false };
  };

  const stageOnce = async (
    skill: SkillToStage,
    folder: string,
    signal: AbortSignal | undefined,
  ): Promise<StagedSkill & { readonly folder: string }> => {
    const answer = (treeDigest: Digest, reused: boolean): StagedSkill & { readonly folder: string } => ({
      dir: `${workspace.root}/${layout.skills}/${folder}`,
      workDir: `${workspace.root}/${workingFolder(folder)}`,
      treeDigest,
      reused,
      folder,
    });
    const previous = staged.get(folder);
    if (previous?.key === skill.key && (readOnly || (await seal(folder)) === previous.seal)) return answer(previous.treeDigest, true);
    const result = await copy(skill, folder, signal);
    staged.set(folder, result.staged);
    if (!result.reused) await writeMetadata();
    return answer(result.staged.treeDigest, result.reused);
  };

  return {
    async stage(skill, signal) {
      throwIfAborted(signal);
      const folder = await folderOf(skill.name);
      const current = running.get(folder);
      if (current?.key === skill.key) {
        // Who stops waiting must not stop the others.
        return current.done.catch((error) => (SkillError.is(error, "aborted") ? this.stage(skill, signal) : Promise.reject(error)));
      }
      const done = (current?.done ?? Promise.resolve()).then(
        () => stageOnce(skill, folder, signal),
        () => stageOnce(skill, folder, signal),
      );
      const entry = { key: skill.key, done };
      running.set(folder, entry);
      try {
        return await done;
      } finally {
        if (running.get(folder) === entry) running.delete(folder);
      }
    },
  };
}

interface ReadFile {
  readonly path: string;
  readonly mode: number;
  readonly data: Uint8Array;
  readonly digest: Digest;
}

/** Reads every file of a skill within the limits. */
async function readSkill(skill: SkillToStage, limits: Limits, signal: AbortSignal | undefined): Promise<ReadFile[]> {
  const tooLarge = (what: string): SkillError =>
    new SkillError("limit-exceeded", `The skill ${JSON.stringify(skill.name.slice(0, 100))} cannot be staged: it has ${what}.`, {
      hint: "Make the skill smaller, or raise limits.maxFiles and limits.maxSkillBytes.",
    });
  if (skill.files.length > limits.maxFiles) throw tooLarge(`more than ${limits.maxFiles} files`);
  let total = 0;
  const read = async (file: { readonly path: string; readonly mode: number }): Promise<ReadFile> => {
    const path = normalizeRelativePath(file.path);
    if (path === undefined) {
      throw new SkillError(
        "path-outside-root",
        `The skill ${JSON.stringify(skill.name.slice(0, 100))} lists a file outside its folder: ${JSON.stringify(file.path.slice(0, 200))}.`,
        {
          hint: "Paths of a source are relative to the skill's folder and never climb.",
        },
      );
    }
    const data = await skill.read(file.path);
    total += data.length;
    if (total > limits.maxSkillBytes) throw tooLarge(`more than ${limits.maxSkillBytes} bytes`);
    return { path, mode: file.mode, data, digest: await digestOf(data) };
  };
  const results: ReadFile[] = [];
  for (let start = 0; start < skill.files.length; start += readsAtOnce) {
    throwIfAborted(signal);
    results.push(...(await Promise.all(skill.files.slice(start, start + readsAtOnce).map(read))));
  }
  return results;
}

/** Makes the working directory with links to each top-level entry of the skill and to the inputs; what a run made there stays. */
async function linkWorkingFolder(
  workspace: Workspace,
  folder: string,
  entries: ReadonlySet<string>,
  before: ReadonlySet<string>,
): Promise<void> {
  const working = workingFolder(folder);
  const present = new Map<string, WorkspaceEntry["kind"]>();
  for (const entry of await workspace.list(working, { maxEntries: 10_000 })) {
    const name = entry.path.slice(working.length + 1);
    if (!name.includes("/")) present.set(name, entry.kind);
  }
  for (const name of before) {
    if (!entries.has(name) && present.get(name) === "link") await workspace.remove(`${working}/${name}`);
  }
  const links: WorkspaceFile[] = [{ path: `${working}/` }];
  const link = (name: string, target: string): void => {
    if ((present.get(name) ?? "link") === "link") links.push({ path: `${working}/${name}`, link: target });
  };
  for (const name of entries) link(name, `../../../${layout.skills}/${folder}/${name}`);
  if (!entries.has("inputs")) link("inputs", "../../inputs");
  await workspace.writeFiles(links);
}

function topLevel(paths: Iterable<string>): Set<string> {
  const names = new Set<string>();
  for (const path of paths) names.add(path.split("/", 1)[0] ?? path);
  return names;
}
