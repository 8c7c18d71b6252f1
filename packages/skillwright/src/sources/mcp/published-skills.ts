import type { Client } from "@modelcontextprotocol/client";
import {
  type Skill as SkillEntry,
  type SkillResourceEntry,
  SkillsClient,
  SkillVerificationError,
} from "@modelcontextprotocol/client/ext/skills";
import type { SourceCandidate, SourceContext, SourceEntry, SourceFile } from "../../catalog/index.ts";
import { type BlobStore, type Diagnostic, type Digest, digestOf, type Limits, SkillError, throwIfAborted } from "../../core/index.ts";
import { entryHeader } from "./entry-header.ts";
import { fileNotFound, fromServer, tooLarge } from "./server-failure.ts";
import { fileOf, fileUri, modeOf, pathOf, rootOf } from "./skill-address.ts";
import { type Locate, type SkillReader, skillFile } from "./skill-reader.ts";

/** Options of {@link publishedSkills}. */
export interface ReaderOptions {
  readonly locate: Locate;
  readonly timeoutMs: number;
  readonly blobs: BlobStore;
}

/** Entries as they were last seen, by path; they outlive a connection. */
export type HeldEntries = Map<string, SkillEntry>;

/** Skills by the skills extension: listed as entries, fetched file by file, each checked against the entry's digest before it is used. */
export function publishedSkills(client: Client, held: HeldEntries, checked: Set<string>, options: ReaderOptions): SkillReader {
  const { locate, timeoutMs, blobs } = options;
  const skills = new SkillsClient(client, { skipInvalid: true });
  const requestOf = ({ signal }: SourceContext) => ({ timeout: timeoutMs, ...(signal ? { signal } : {}) });

  async function refetch(path: string, context: SourceContext): Promise<SkillEntry> {
    const { skill } = await skills.get(`${rootOf(path)}/${skillFile}`, requestOf(context));
    held.set(path, skill);
    return skill;
  }

  async function fetched(entry: SkillEntry, file: string, context: SourceContext & { readonly maxBytes: number }): Promise<Uint8Array> {
    const root = rootOf(pathOf(entry.uri));
    const where = locate(pathOf(entry.uri), file);
    if (entry.resources === "dynamic") {
      const { bytes } = await skills.read(entry, fileUri(root, file), requestOf(context));
      if (bytes.length > context.maxBytes) throw tooLarge(where, bytes.length, context.maxBytes);
      return bytes;
    }
    const listed = entry.resources.find((resource) => fileOf(root, resource.uri) === file);
    if (listed === undefined) throw fileNotFound(where, file);
    if (listed.size > context.maxBytes) throw tooLarge(where, listed.size, context.maxBytes);
    // A SKILL.md is kept for the frontmatter that it was compared with: another entry must not borrow the check.
    const check = file === skillFile ? `${listed.digest}\n${JSON.stringify(entry.frontmatter)}` : undefined;
    const kept = check === undefined || checked.has(check) ? await keptBytes(blobs, listed) : undefined;
    if (kept !== undefined) return kept;
    const { bytes } = await skills.read(entry, listed.uri, requestOf(context));
    if (check !== undefined) checked.add(check);
    await blobs.put(bytes);
    return bytes;
  }

  return {
    async list({ known, limits, ...context }) {
      const { skills: entries, invalid } = await skills.list({}, requestOf({ limits, ...context }));
      const refusals = new Map(entries.map((entry) => [entry, refusal(entry, locate(pathOf(entry.uri)), limits)] as const));
      held.clear();
      for (const [entry, refused] of refusals) if (refused === undefined) held.set(pathOf(entry.uri), entry);
      const found = Array.from(refusals, async ([entry, refused]): Promise<SourceEntry> => {
        const path = pathOf(entry.uri);
        if (refused !== undefined) return { path, refused };
        const candidate = await candidateOf(entry);
        return known?.get(path) === candidate.stamp ? { path, unchanged: true } : candidate;
      });
      const unusable = invalid.map(({ uri, index, reason }) => invalidEntry(locate(uri === undefined ? "" : pathOf(uri)), index, reason));
      return [...(await Promise.all(found)), ...unusable];
    },

    async files(path, context) {
      const entry = held.get(path);
      if (entry === undefined) return { files: [], diagnostics: [] };
      return entry.resources === "dynamic"
        ? { files: await liveFiles(skills, rootOf(path), context, requestOf(context)), diagnostics: [] }
        : listedFiles(entry.resources, path, locate);
    },

    async read(path, file, context) {
      const where = locate(path, file);
      try {
        const entry = held.get(path) ?? (await refetch(path, context));
        try {
          return await fetched(entry, file, context);
        } catch (error) {
          if (!(error instanceof SkillVerificationError)) throw error;
          // Most likely it changed after it was listed: what it is now has an entry of its own.
          return await fetched(await refetch(path, context), file, context);
        }
      } catch (error) {
        throwIfAborted(context.signal);
        if (error instanceof SkillVerificationError) throw notAsPublished(where, error);
        throw fromServer(error, where, file);
      }
    },

    async find(name, context) {
      const path = encodeURIComponent(name);
      try {
        const entry = await refetch(path, context);
        return refusal(entry, locate(path), context.limits) === undefined ? candidateOf(entry) : undefined;
      } catch (error) {
        throwIfAborted(context.signal);
        const failure = fromServer(error, locate(path), skillFile);
        if (SkillError.is(failure, "file-not-found")) return undefined;
        throw failure;
      }
    },
  };
}

async function candidateOf(entry: SkillEntry): Promise<SourceCandidate> {
  const header = entryHeader(entry.frontmatter);
  const manifest = entry.resources === "dynamic" ? undefined : entry.resources.find((resource) => resource.uri === entry.uri);
  return {
    path: pathOf(entry.uri),
    file: skillFile,
    header,
    // The header is made of the entry and never the whole file, however small that is.
    size: Math.max(manifest?.size ?? 0, header.length + 1),
    stamp: manifest?.digest ?? (await digestOf(header)),
  };
}

async function keptBytes(blobs: BlobStore, { digest, size }: SkillResourceEntry): Promise<Uint8Array | undefined> {
  const bytes = await blobs.get(digest as Digest);
  // A store may lie where others can write: what it gives back is checked like what the server sends.
  return bytes !== undefined && bytes.length === size && (await digestOf(bytes)) === digest ? bytes : undefined;
}

function listedFiles(
  resources: readonly SkillResourceEntry[],
  path: string,
  locate: Locate,
): { readonly files: readonly SourceFile[]; readonly diagnostics: readonly Diagnostic[] } {
  const files: SourceFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { uri, size, digest } of resources) {
    const file = fileOf(rootOf(path), uri);
    if (file !== undefined) files.push({ path: file, bytes: size, mode: modeOf(file), stamp: digest });
    else diagnostics.push(unusableName(locate(path), uri));
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), diagnostics };
}

/** The files of a skill that is made anew each time: what its folders hold now, where the server tells. */
async function liveFiles(
  skills: SkillsClient,
  root: string,
  { limits }: SourceContext,
  request: { readonly timeout: number; readonly signal?: AbortSignal },
): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const folders = [root];
  for (let folder = folders.shift(); folder !== undefined && skills.directoryRead; folder = folders.shift()) {
    for (const { uri, mimeType, size } of (await skills.readDirectory(folder, request)).resources) {
      const path = fileOf(root, uri);
      if (path === undefined || files.length >= limits.maxFiles) continue;
      if (mimeType !== "inode/directory") files.push({ path, bytes: Number(size ?? 0), mode: modeOf(path), stamp: crypto.randomUUID() });
      else if (path.split("/").length < limits.maxDepth) folders.push(uri);
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function refusal({ resources }: SkillEntry, location: string, limits: Limits): Diagnostic | undefined {
  if (resources === "dynamic") return undefined;
  const bytes = resources.reduce((sum, { size }) => sum + size, 0);
  if (resources.length <= limits.maxFiles && bytes <= limits.maxSkillBytes) return undefined;
  return {
    severity: "error",
    code: "skill-too-large",
    message: `The skill has ${resources.length} files and ${bytes} bytes; ${limits.maxFiles} files and ${limits.maxSkillBytes} bytes are allowed.`,
    location,
    hint: "Ask the server's owner to split it, or raise the limits maxFiles and maxSkillBytes.",
  };
}

function invalidEntry(location: string, index: number, reason: string): Diagnostic {
  return {
    severity: "error",
    code: "mcp-entry-invalid",
    message: `Entry ${index + 1} of skills/list is not used: ${reason}`,
    location,
    hint: "The server's owner has to correct it.",
  };
}

function unusableName(location: string, uri: string): Diagnostic {
  return {
    severity: "warning",
    code: "mcp-file-name",
    message: `The file ${JSON.stringify(uri.slice(0, 200))} has a name that is no path here; it is left out.`,
    location,
    hint: "The server's owner has to rename it.",
  };
}

function notAsPublished(location: string, error: SkillVerificationError): SkillError {
  return new SkillError("digest-mismatch", `${location} is not what the server published: ${error.message}`, {
    hint: "It is not used. Tell the server's owner; if the skill was just changed, refresh and try again.",
    data: { reason: error.reason },
    cause: error,
  });
}
