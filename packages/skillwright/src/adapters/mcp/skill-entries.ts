import { type Resource as McpResource, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import {
  DIRECTORY_MIME_TYPE,
  SKILL_LIMITS,
  type Skill as SkillEntry,
  type SkillReadResult,
  type SkillSource,
  skillEntry,
} from "@modelcontextprotocol/server/ext/skills";
import type { Skill } from "../../catalog/index.ts";
import { digestOf, SkillError } from "../../core/index.ts";
import type { Library, LoadedSkill, Resource, SkillFile } from "../../library/index.ts";
import { readSkillUri, skillUri } from "./skill-uri.ts";

/** The name that a skill's own file has on the wire, whatever it is called in its folder. */
const manifestFile = "SKILL.md";
const pageSize = 50;
/** Entries made at once: each holds the files of its skill while they are hashed. */
const atOnce = 4;
/** `resources/list` is not paged; what is beyond this is reached through `skills/list`. */
const maxListed = 1_000;

interface KeptEntry {
  readonly key: string;
  readonly entry: Promise<SkillEntry | undefined>;
}

/**
 * A library as the SDK serves it: entries with a digest for every file, made when they are asked for and kept until a stamp changes.
 * A skill that the protocol does not take (its name, its frontmatter, its size) has no entry; why is reported once.
 */
export function skillEntries(library: Library): SkillSource {
  const kept = new Map<string, KeptEntry>();

  async function entryOf(name: string): Promise<SkillEntry | undefined> {
    const loaded = await found(library.load(name));
    // An alias leads to a skill that has a URI of its own.
    if (loaded === undefined || loaded.skill.name !== name) return undefined;
    const key = await keyOf(loaded);
    const before = kept.get(name);
    if (before?.key === key) return before.entry;
    const entry = makeEntry(library, loaded);
    kept.set(name, { key, entry });
    entry.catch(() => kept.delete(name));
    return entry;
  }

  return {
    async list({ cursor }) {
      const names = library.catalog.skills.map((skill) => skill.name).sort();
      const start = cursor === undefined ? 0 : names.findIndex((name) => name > cursor);
      if (start <= 0) for (const name of kept.keys()) if (library.catalog.get(name)?.name !== name) kept.delete(name);
      const page = start < 0 ? [] : names.slice(start, start + pageSize);
      const skills: SkillEntry[] = [];
      for (let at = 0; at < page.length; at += atOnce) {
        const entries = await Promise.all(page.slice(at, at + atOnce).map((name) => entryOf(name).catch(leftOut)));
        skills.push(...entries.filter((entry) => entry !== undefined));
      }
      const last = page.at(-1);
      return last !== undefined && start + pageSize < names.length ? { skills, nextCursor: last } : { skills };
    },

    async get(uri) {
      const place = readSkillUri(uri);
      return place?.path === manifestFile ? entryOf(place.name) : undefined;
    },

    async read(uri) {
      const place = readSkillUri(uri);
      if (place === undefined || place.path === "") return undefined;
      const skill = library.catalog.get(place.name);
      if (skill !== undefined && skill.name !== place.name) return undefined;
      const file = place.path === manifestFile ? (skill?.file ?? manifestFile) : place.path;
      const resource = await found(library.read(place.name, file, { maxBytes: SKILL_LIMITS.bytes }));
      return resource && toContents(resource);
    },

    async readDirectory(uri) {
      const place = readSkillUri(uri);
      const loaded = place && (await found(library.load(place.name)));
      if (place === undefined || loaded === undefined || loaded.skill.name !== place.name) return undefined;
      const resources = childrenOf(loaded, place.path);
      return resources.length === 0 ? undefined : { resources };
    },

    async listResources() {
      return library.catalog.skills.slice(0, maxListed).map(({ name, description }) => ({
        uri: skillUri(name, manifestFile),
        name,
        ...(description === "" ? {} : { description }),
        mimeType: "text/markdown",
      }));
    },
  };
}

/** Undefined for what is not there, and an error of the protocol that says what is wrong for everything else. */
function found<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  return promise.catch(notServed);
}

function notServed(error: unknown): undefined {
  if (!SkillError.is(error)) throw error;
  if (["skill-not-found", "file-not-found", "path-outside-root"].includes(error.code)) return undefined;
  throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
}

/** One skill that cannot be read hides no other. */
function leftOut(error: unknown): undefined {
  if (!SkillError.is(error) && !ProtocolError.isInstance(error)) throw error;
}

async function keyOf({ text, files }: LoadedSkill): Promise<string> {
  return [await digestOf(text), ...files.map((file) => `${file.path}\0${file.bytes}\0${file.stamp}`)].join("\n");
}

async function makeEntry(library: Library, { skill, files }: LoadedSkill): Promise<SkillEntry | undefined> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length >= SKILL_LIMITS.files || bytes > SKILL_LIMITS.bytes) {
    const limit = `${SKILL_LIMITS.files} files and ${SKILL_LIMITS.bytes} bytes`;
    report(library, skill, `it has ${files.length + 1} files and ${bytes} bytes; hosts take up to ${limit}`);
    return undefined;
  }
  try {
    return await skillEntry(skill.name, await contentsOf(library, skill, files));
  } catch (error) {
    if (SkillError.is(error, "aborted")) throw error;
    report(library, skill, problemOf(error));
    return undefined;
  }
}

async function contentsOf(library: Library, skill: Skill, files: readonly SkillFile[]): Promise<Record<string, Uint8Array>> {
  const read = async (path: string): Promise<Uint8Array> => (await library.read(skill.name, path, { maxBytes: SKILL_LIMITS.bytes })).bytes;
  const contents: Record<string, Uint8Array> = Object.create(null);
  contents[manifestFile] = await read(skill.file);
  for (const { path } of files) contents[path] = await read(path);
  return contents;
}

function problemOf(error: unknown): string {
  const { problems } = error as { problems?: readonly { readonly message: string }[] };
  if (problems !== undefined) return problems.map((problem) => problem.message).join("; ");
  return error instanceof Error ? error.message : String(error);
}

function report(library: Library, skill: Skill, problem: string): void {
  library.onEvent({
    type: "diagnostic",
    diagnostic: {
      severity: "warning",
      code: "skill-not-published",
      message: `The skill "${skill.name}" is served by the tools alone, not by skills/list: ${problem}.`,
      location: skill.location,
      hint: "Correct its SKILL.md (`skillwright validate --strict` says where), or make it smaller.",
    },
  });
}

const withMark = new TextDecoder("utf-8", { ignoreBOM: true });

/** Text as text, a byte order mark included, so that it encodes to the bytes that the digest is of; everything else as bytes. */
function toContents({ bytes, text, mediaType: mimeType }: Resource): SkillReadResult {
  return text === undefined ? { bytes, mimeType } : { text: withMark.decode(bytes), mimeType };
}

/** The direct children of a folder of a skill: files, and folders that hold some. */
function childrenOf({ skill, files }: LoadedSkill, folder: string): McpResource[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const children = new Map<string, McpResource>();
  const manifest = { path: manifestFile, bytes: undefined };
  for (const { path, bytes } of [...(folder === "" ? [manifest] : []), ...files]) {
    if (!path.startsWith(prefix)) continue;
    const [name = "", ...below] = path.slice(prefix.length).split("/");
    const uri = skillUri(skill.name, `${prefix}${name}`);
    if (below.length > 0) children.set(name, { uri, name, mimeType: DIRECTORY_MIME_TYPE });
    else children.set(name, { uri, name, ...(bytes === undefined ? {} : { size: bytes }) });
  }
  return [...children.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}
