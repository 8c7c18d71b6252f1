import { type Digest, type JsonObject, SkillError } from "../core/index.ts";
import { type Manifest, parseSkill } from "../format/index.ts";
import type { LoadedSkill, SkillFile } from "../library/index.ts";
import type { SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";

/** A skill's content at the version that a session holds. */
export interface HeldSkill {
  readonly name: string;
  readonly manifest: Manifest;
  /** The whole SKILL.md as loaded. */
  readonly text: string;
  /** The instructions as they were given. */
  readonly body: string;
  readonly digest: Digest;
  readonly files: readonly SkillFile[];
  readonly location: string;
  readonly trusted: boolean;
}

const decoder = new TextDecoder();

/** The content of an active skill at the version it was loaded at, from the blob store. */
export async function holdSkill(context: SessionContext, fact: LoadedFact): Promise<HeldSkill> {
  const key = `${fact.text} ${fact.filled ?? ""}`;
  const kept = context.held.get(key);
  if (kept !== undefined) return kept;
  const text = decoder.decode(await pinned(context, fact, fact.text));
  const manifest = manifestOf(fact.name, text);
  const body = fact.filled === undefined ? manifest.body : decoder.decode(await pinned(context, fact, fact.filled));
  const { name, digest, files, location, trusted } = fact;
  const held: HeldSkill = { name, manifest: manifest.manifest, text, body, digest, files, location, trusted };
  if (context.held.size > maxHeld) context.held.clear();
  context.held.set(key, held);
  return held;
}

/** Parsed versions kept at once; a session has few active skills. */
const maxHeld = 64;

async function pinned(context: SessionContext, fact: LoadedFact, digest: Digest): Promise<Uint8Array> {
  const bytes = await context.library.blobs.get(digest);
  if (bytes !== undefined) return bytes;
  throw new SkillError("blob-not-found", `The loaded text of skill "${fact.name}" (${digest}) is not in the blob store.`, {
    hint: "Give every process that continues a session the same blob store (`blobs`).",
  });
}

function manifestOf(name: string, text: string): { readonly manifest: Manifest; readonly body: string } {
  const parsed = parseSkill(text, { folder: name, rules: { requireDescription: false, requireFrontmatter: false } });
  const empty: Manifest = { name, description: "", allowedTools: [], metadata: {}, metadataText: {}, extra: {}, repaired: false };
  return { manifest: parsed.manifest ?? empty, body: parsed.body };
}

/** A skill as the library just loaded it. */
export function heldNow(loaded: LoadedSkill): HeldSkill {
  const { skill, text, body, bodyDigest, files } = loaded;
  return {
    name: skill.name,
    manifest: skill.manifest,
    text,
    body,
    digest: bodyDigest,
    files,
    location: skill.location,
    trusted: skill.trust === "trusted",
  };
}

/** The frontmatter as JSON, with the field's own key names. */
export function frontmatterOf(manifest: Manifest): JsonObject {
  return {
    name: manifest.name,
    description: manifest.description,
    ...(manifest.license === undefined ? {} : { license: manifest.license }),
    ...(manifest.compatibility === undefined ? {} : { compatibility: manifest.compatibility }),
    ...(manifest.allowedTools.length === 0 ? {} : { "allowed-tools": manifest.allowedTools.join(" ") }),
    ...(Object.keys(manifest.metadata).length === 0 ? {} : { metadata: { ...manifest.metadata } }),
    ...manifest.extra,
  };
}
