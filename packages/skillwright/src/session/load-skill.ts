import { type Digest, type JsonObject, SkillError } from "../core/index.ts";
import type { LoadedOutcome, Outcome } from "../dialects/index.ts";
import { type Manifest, parseSkill } from "../format/index.ts";
import type { LoadedSkill, SkillFile } from "../library/index.ts";
import { chosenDocuments, newDocuments, type RequestedDocuments, requestedDocuments } from "./documents.ts";
import { fault, findSkill, mayModelLoad, type OperationCall, type SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";

/** A skill's content at the version that this session holds. */
export interface HeldSkill {
  readonly name: string;
  readonly manifest: Manifest;
  readonly text: string;
  readonly body: string;
  readonly digest: Digest;
  readonly files: readonly SkillFile[];
  readonly location: string;
  readonly trusted: boolean;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Loads a skill: its body once, a short note while the context still holds it, a helpful fault otherwise. */
export async function loadSkill(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const wanted = String(call.args.skill ?? "");
  const found = findSkill(context, wanted);
  if ("kind" in found) return found;
  if (found.skill !== undefined && !mayModelLoad(found.skill)) {
    return fault(context, "skill-not-invocable", wanted, { detail: "Only the user can start this skill.", retryable: false });
  }
  const documents = await requestedDocuments(context, call, found.skill?.name ?? wanted, found.loaded);
  if (documents !== undefined && "kind" in documents) return documents;
  const held = found.loaded;
  if (held !== undefined) return loadAgain(context, held, call, documents);
  if (found.skill === undefined) return fault(context, "skill-removed", wanted, { retryable: false });
  return activateSkill(context, found.skill.name, {
    callId: call.callId,
    ...(documents === undefined ? {} : { documents: documents.selection }),
    ...(call.signal ? { signal: call.signal } : {}),
  });
}

/** What an activation takes beside the name. */
export interface ActivateOptions {
  readonly callId?: string;
  readonly documents?: readonly string[] | "all";
  readonly preloaded?: boolean;
  readonly signal?: AbortSignal;
}

/** Loads a skill that is not active, pins its content, and records it. */
export async function activateSkill(context: SessionContext, name: string, options: ActivateOptions = {}): Promise<Outcome> {
  let loaded: LoadedSkill;
  try {
    loaded = await context.library.load(name, options.signal ? { signal: options.signal } : {});
  } catch (error) {
    if (SkillError.is(error, "aborted") || !SkillError.is(error)) throw error;
    return fault(context, "skill-removed", name, { detail: error.message, retryable: false });
  }
  const textDigest = await context.library.blobs.put(encoder.encode(loaded.text));
  const order = await context.facts.nextOrder();
  const fact: LoadedFact = {
    name: loaded.skill.name,
    text: textDigest,
    digest: loaded.bodyDigest,
    order,
    used: order,
    turn: context.turn,
    documents: options.documents ?? [],
    lifecycle: lifecycleOf(context, loaded.skill.name),
    preloaded: options.preloaded ?? false,
    sent: false,
    location: loaded.skill.location,
    trusted: loaded.skill.trust === "trusted",
    files: loaded.files,
  };
  // Of two calls in one turn the first one carries the body; the other is a note.
  if (!(await context.facts.claim(fact))) return { kind: "already-loaded", name: fact.name, digest: fact.digest };
  const released = await releaseOverCap(context, fact.name);
  const held: HeldSkill = {
    name: fact.name,
    manifest: loaded.skill.manifest,
    text: loaded.text,
    body: loaded.body,
    digest: fact.digest,
    files: loaded.files,
    location: fact.location,
    trusted: fact.trusted,
  };
  return recordLoad(context, held, fact, { ...options, released, repeated: false, notices: [] });
}

async function loadAgain(
  context: SessionContext,
  before: LoadedFact,
  call: OperationCall,
  documents: RequestedDocuments | undefined,
): Promise<Outcome> {
  const fact = documents === undefined ? before : { ...before, documents: documents.selection };
  const order = await context.facts.nextOrder();
  const options = { callId: call.callId, released: [], repeated: true };
  if (context.options.pin === "latest" && context.library.catalog.get(fact.name) !== undefined) {
    const latest = await context.library.load(fact.name, call.signal ? { signal: call.signal } : {});
    if (latest.bodyDigest !== fact.digest) {
      const textDigest = await context.library.blobs.put(encoder.encode(latest.text));
      const change = { text: textDigest, digest: latest.bodyDigest, files: latest.files, used: order, turn: context.turn };
      await context.facts.update(fact.name, change);
      const held = { ...heldFrom(fact, latest.text), digest: latest.bodyDigest, files: latest.files };
      return recordLoad(context, held, { ...fact, ...change }, { ...options, notices: ["changed"] });
    }
  }
  if (context.options.pin === "latest" && context.library.catalog.get(fact.name) === undefined) {
    await context.facts.drop(fact.name);
    context.emit({ type: "skill-unloaded", sessionId: context.id, skill: fact.name, reason: "removed" });
    return fault(context, "skill-removed", fact.name, { retryable: false });
  }
  await context.facts.update(fact.name, { used: order, turn: context.turn, documents: fact.documents });
  if (fact.preloaded || context.inContext.has(fact.name)) {
    const added = documents === undefined ? [] : await newDocuments(context, before, fact);
    return { kind: "already-loaded", name: fact.name, digest: fact.digest, ...(added.length === 0 ? {} : { documents: added }) };
  }
  return recordLoad(context, await holdSkill(context, fact), fact, { ...options, notices: [] });
}

async function recordLoad(
  context: SessionContext,
  held: HeldSkill,
  fact: LoadedFact,
  options: {
    readonly callId?: string;
    readonly released: readonly string[];
    readonly repeated: boolean;
    readonly notices: readonly string[];
    readonly preloaded?: boolean;
  },
): Promise<LoadedOutcome> {
  if (!options.preloaded) context.inContext.add(held.name);
  if (options.callId !== undefined)
    await context.facts.write("load-call", options.callId, { name: held.name, digest: held.digest, order: fact.order });
  const tokens = context.library.countTokens(held.body);
  context.emit({ type: "skill-loaded", sessionId: context.id, skill: held.name, digest: held.digest, tokens, repeated: options.repeated });
  return {
    kind: "loaded",
    name: held.name,
    description: held.manifest.description,
    text: held.text,
    body: held.body,
    frontmatter: frontmatterOf(held.manifest),
    // Runs find the staged folder in this variable, whatever it is called and wherever the sandbox keeps it.
    dir: context.workspace === undefined ? held.location : "$SKILL_DIR",
    files: held.files.map(({ path, bytes, kind }) => ({ path, bytes, kind })),
    digest: held.digest,
    documents: await chosenDocuments(context, fact),
    notices: options.notices,
    released: options.released,
    ephemeral: fact.lifecycle === "ephemeral",
    placement: options.preloaded ? "instructions" : (context.options.placement ?? "tool-result"),
  };
}

/** The content of an active skill at the version it was loaded at, from the blob store. */
export async function holdSkill(context: SessionContext, fact: LoadedFact): Promise<HeldSkill> {
  const bytes = await context.library.blobs.get(fact.text);
  if (bytes === undefined) {
    throw new SkillError("blob-not-found", `The loaded text of skill "${fact.name}" (${fact.text}) is not in the blob store.`, {
      hint: "Give every process that continues a session the same blob store (`blobs`).",
    });
  }
  return heldFrom(fact, decoder.decode(bytes));
}

function heldFrom(fact: LoadedFact, text: string): HeldSkill {
  const parsed = parseSkill(text, { folder: fact.name, rules: { requireDescription: false, requireFrontmatter: false } });
  const manifest: Manifest = parsed.manifest ?? {
    name: fact.name,
    description: "",
    allowedTools: [],
    metadata: {},
    metadataText: {},
    extra: {},
    repaired: false,
  };
  return {
    name: fact.name,
    manifest,
    text,
    body: parsed.body,
    digest: fact.digest,
    files: fact.files,
    location: fact.location,
    trusted: fact.trusted,
  };
}

function lifecycleOf(context: SessionContext, name: string): LoadedFact["lifecycle"] {
  const { lifecycle } = context.options;
  const overrides = lifecycle?.overrides;
  return (overrides && Object.hasOwn(overrides, name) ? overrides[name] : lifecycle?.mode) ?? "persistent";
}

/** Releases the least recently used bounded skills beyond the cap; the one just loaded stays. */
async function releaseOverCap(context: SessionContext, justLoaded: string): Promise<string[]> {
  const cap = context.options.lifecycle?.maxActive;
  if (cap === undefined) return [];
  const bounded = context.facts.loaded.filter((fact) => fact.lifecycle === "bounded");
  const leaving = bounded
    .filter((fact) => fact.name !== justLoaded)
    .sort((a, b) => a.used - b.used)
    .slice(0, Math.max(0, bounded.length - cap));
  for (const fact of leaving) await releaseSkill(context, fact.name, "evicted");
  return leaving.map((fact) => fact.name);
}

/** Takes a skill out of the active set. */
export async function releaseSkill(
  context: SessionContext,
  name: string,
  reason: "asked" | "evicted" | "expired" | "turn-ended" | "removed",
): Promise<boolean> {
  const dropped = await context.facts.drop(name);
  context.inContext.delete(name);
  if (dropped) context.emit({ type: "skill-unloaded", sessionId: context.id, skill: name, reason });
  return dropped;
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
