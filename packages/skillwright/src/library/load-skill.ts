import type { Skill, SourceContext, TrustedSource } from "../catalog/index.ts";
import { type Diagnostic, digestOf, type Limits, nearestNames, type ReadingRules, SkillError } from "../core/index.ts";
import { parseSkill } from "../format/index.ts";
import { fileKindOf } from "./file-kind.ts";
import { typeOf } from "./media-type.ts";
import type { LoadedSkill, Resource, SkillFile } from "./skill-library.ts";

/** A skill, and the source that holds it. */
export interface OwnedSkill {
  readonly skill: Skill;
  readonly owner: TrustedSource;
}

/** What loading and reading go by. */
export interface ReadSettings {
  readonly limits: Limits;
  readonly rules: ReadingRules;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

const utf8 = new TextDecoder();

/**
 * Reads a skill whole, as it is on disk now: its SKILL.md, and the list of its other files.
 * @throws SkillError `skill-not-found` when it is gone, `source-failed` when it cannot be read, `limit-exceeded`
 */
export async function loadSkill({ skill, owner }: OwnedSkill, settings: ReadSettings, signal?: AbortSignal): Promise<LoadedSkill> {
  const context = contextOf(owner, settings, signal);
  const [bytes, { files, diagnostics }] = await Promise.all([
    owner.source.read(skill.path, skill.file, { ...context, maxBytes: settings.limits.maxBodyBytes }).catch((error: unknown) => {
      throw SkillError.is(error, "file-not-found") ? gone(skill, error) : error;
    }),
    owner.source.files(skill.path, context),
  ]);
  for (const diagnostic of diagnostics) settings.onDiagnostic(diagnostic);
  const location = owner.source.locate(skill.path, skill.file);
  const parsed = parseSkill(bytes, {
    location,
    folder: folderOf(skill),
    rules: settings.rules,
    maxFrontmatterBytes: settings.limits.maxFrontmatterBytes,
  });
  if (parsed.manifest === undefined) throw unusable(skill, location, parsed.diagnostics);
  const place = owner.source.locate(skill.path);
  const same = place === skill.location && JSON.stringify(parsed.manifest) === JSON.stringify(skill.manifest);
  return {
    skill: same ? skill : { ...skill, location: place, description: parsed.manifest.description, manifest: parsed.manifest },
    text: utf8.decode(bytes),
    body: parsed.body,
    files: files.filter((file) => file.path !== skill.file).map((file): SkillFile => ({ ...file, kind: fileKindOf(file.path, file.mode) })),
    bodyDigest: await digestOf(parsed.body),
  };
}

/**
 * Reads one file of a skill.
 * @throws SkillError `file-not-found` with the nearest paths in `data.nearest`, `path-outside-root`, `limit-exceeded`
 */
export async function readResource(
  { skill, owner }: OwnedSkill,
  path: string,
  settings: ReadSettings & { readonly maxBytes: number },
  signal?: AbortSignal,
): Promise<Resource> {
  const context = contextOf(owner, settings, signal);
  let bytes: Uint8Array;
  try {
    bytes = await owner.source.read(skill.path, path, { ...context, maxBytes: settings.maxBytes });
  } catch (error) {
    if (!SkillError.is(error, "file-not-found")) throw error;
    const { files } = await owner.source.files(skill.path, context);
    throw noSuchFile(
      skill,
      path,
      files.map((file) => file.path),
      error,
    );
  }
  return { path, size: bytes.length, bytes, ...typeOf(path, bytes) };
}

function contextOf(owner: TrustedSource, settings: ReadSettings, signal: AbortSignal | undefined): SourceContext {
  return { trust: owner.trust, limits: settings.limits, ...(signal && { signal }) };
}

function folderOf(skill: Skill): string {
  const whole = skill.path === "" ? skill.location : skill.path;
  return whole.slice(whole.lastIndexOf("/") + 1);
}

function gone(skill: Skill, cause: unknown): SkillError {
  return new SkillError(
    "skill-not-found",
    `The skill ${JSON.stringify(skill.name)} was removed: ${skill.location} holds no ${skill.file} any more.`,
    {
      hint: "Use another skill; refresh the library to update the catalogue.",
      data: { name: skill.name, removed: true, nearest: [] },
      cause,
    },
  );
}

function unusable(skill: Skill, location: string, diagnostics: readonly Diagnostic[]): SkillError {
  const fault = diagnostics.find(({ severity }) => severity === "error");
  return new SkillError("source-failed", `The skill ${JSON.stringify(skill.name)} can no longer be read: ${fault?.message ?? location}`, {
    hint: fault?.hint ?? `Correct ${location}.`,
    data: { name: skill.name },
  });
}

function noSuchFile(skill: Skill, path: string, files: readonly string[], cause: unknown): SkillError {
  const base = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const sameBase = files.filter((file) => file.slice(file.lastIndexOf("/") + 1).toLowerCase() === base);
  const nearest = [...new Set([...sameBase, ...nearestNames(path, files)])].slice(0, 3);
  return new SkillError("file-not-found", `The skill ${JSON.stringify(skill.name)} has no file ${JSON.stringify(path)}.`, {
    hint: nearest.length > 0 ? `Did you mean ${nearest.join(", ")}?` : "Read one of the files that the skill lists.",
    data: { name: skill.name, path, nearest },
    cause,
  });
}
