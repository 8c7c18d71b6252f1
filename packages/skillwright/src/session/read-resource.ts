import { type Digest, nearestNames, normalizeRelativePath, SkillError } from "../core/index.ts";
import type { Outcome } from "../dialects/index.ts";
import type { Resource, SkillFile } from "../library/index.ts";
import { fault, findSkill, notLoaded, type OperationCall, type SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";
import type { Media } from "./skill-tool.ts";

/** A file read for the model: the outcome, and its bytes where they are not text. */
export interface ReadOutcome {
  readonly outcome: Outcome;
  readonly media?: Media;
}

/** Reads one file of a skill, at the version this session holds. */
export async function readResource(context: SessionContext, call: OperationCall): Promise<ReadOutcome> {
  const wanted = String(call.args.skill ?? "");
  const found = findSkill(context, wanted);
  if ("kind" in found && !context.library.searchesElsewhere) return { outcome: found };
  const held = "kind" in found ? undefined : found.loaded;
  const name = "kind" in found ? wanted : (found.skill?.name ?? found.loaded?.name ?? wanted);
  const requested = String(call.args.path ?? "");
  const path = normalizeRelativePath(requested);
  if (path === undefined) {
    return { outcome: fault(context, "resource-path-invalid", requested, { skill: name, retryable: true }) };
  }
  try {
    const resource = await readHeld(context, name, held, path, call.signal);
    const tokens = resource.text === undefined ? 0 : context.library.countTokens(resource.text);
    context.emit({ type: "resource-read", sessionId: context.id, skill: name, path, bytes: resource.size, tokens });
    const outcome: Outcome = {
      kind: "resource",
      skill: name,
      path,
      mediaType: resource.mediaType,
      size: resource.size,
      ...(resource.text === undefined ? {} : { text: resource.text }),
    };
    if (resource.text !== undefined) return { outcome };
    return { outcome, media: { name: path, mediaType: resource.mediaType, data: resource.bytes } };
  } catch (error) {
    return { outcome: await readFault(context, error, name, path, held) };
  }
}

async function readFault(
  context: SessionContext,
  error: unknown,
  skill: string,
  path: string,
  loaded: LoadedFact | undefined,
): Promise<Outcome> {
  if (SkillError.is(error, "limit-exceeded")) {
    return fault(context, "resource-too-large", path, { skill, detail: error.message, retryable: false });
  }
  if (SkillError.is(error, "path-outside-root")) {
    return fault(context, "resource-path-invalid", path, { skill, detail: error.message, retryable: false });
  }
  if (SkillError.is(error, "skill-not-found") || SkillError.is(error, "registry-failed")) return notLoaded(context, skill, error);
  if (!SkillError.is(error, "file-not-found")) throw error;
  const files = await fileNames(context, skill, loaded);
  return fault(context, "resource-not-found", path, {
    skill,
    nearest: nearestNames(path, files),
    ...(files.length <= 30 ? { available: files } : {}),
  });
}

async function fileNames(context: SessionContext, skill: string, loaded: LoadedFact | undefined): Promise<string[]> {
  let files: readonly SkillFile[] = loaded?.files ?? [];
  if (loaded === undefined) {
    try {
      files = (await context.library.load(skill)).files;
    } catch (error) {
      if (!SkillError.is(error)) throw error;
    }
  }
  return files.map((file) => file.path);
}

/** What a session keeps of a file it has read or staged. */
interface FileFact {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly text: boolean;
}

/**
 * Reads a file of a skill. Of a pinned skill, a file once read stays what it was:
 * its bytes are kept by digest, so that a stored session replays byte for byte.
 */
export async function readHeld(
  context: SessionContext,
  name: string,
  loaded: LoadedFact | undefined,
  path: string,
  signal?: AbortSignal,
): Promise<Resource> {
  const pinned = loaded !== undefined && context.options.pin !== "latest";
  const key = `${loaded?.digest ?? ""}/${name}/${path}`;
  if (pinned) {
    const kept = (await context.facts.read("file", key)) as unknown as FileFact | undefined;
    const bytes = kept === undefined ? undefined : await context.library.blobs.get(kept.digest);
    if (kept !== undefined && bytes !== undefined) {
      return {
        path,
        mediaType: kept.mediaType,
        size: bytes.byteLength,
        bytes,
        ...(kept.text ? { text: new TextDecoder().decode(bytes) } : {}),
      };
    }
  }
  const resource = await context.library.read(name, path, signal === undefined ? {} : { signal });
  if (pinned) {
    const digest = await context.library.blobs.put(resource.bytes);
    await context.facts.write("file", key, { digest, mediaType: resource.mediaType, text: resource.text !== undefined });
  }
  return resource;
}
