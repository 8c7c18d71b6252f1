import { SkillError } from "../core/index.ts";
import type { LoadedOutcome, Notice, Outcome } from "../dialects/index.ts";
import type { LoadedSkill } from "../library/index.ts";
import { chosenDocuments, newDocuments, type RequestedDocuments, requestedDocuments } from "./documents.ts";
import { forkSkill } from "./fork-skill.ts";
import { frontmatterOf, type HeldSkill, heldNow, holdSkill } from "./held-skill.ts";
import { fillArguments } from "./inject-state.ts";
import { lifecycleOf, releaseOverCap, releaseSkill } from "./lifecycle.ts";
import { prepareBody } from "./prepare-body.ts";
import { readHeld } from "./read-resource.ts";
import { findSection, splitSections } from "./sections.ts";
import {
  elsewhere,
  fault,
  findSkill,
  mayModelLoad,
  notLoaded,
  type OperationCall,
  type SessionContext,
  servesMany,
  skillNotFound,
} from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";

const encoder = new TextEncoder();

/** Loads a skill: its body once, a short note while the context still holds it, a helpful fault otherwise. */
export async function loadSkill(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const wanted = String(call.args.skill ?? "");
  const found = findSkill(context, wanted);
  if ("kind" in found) return elsewhere(context, found, () => activateSkill(context, wanted, { call }));
  if (found.skill !== undefined && !mayModelLoad(found.skill)) {
    return fault(context, "skill-not-invocable", wanted, { detail: "Only the user can start this skill.", retryable: false });
  }
  const documents = await requestedDocuments(context, call, found.skill?.name ?? wanted, found.loaded);
  if (documents !== undefined && "kind" in documents) return documents;
  if (found.loaded !== undefined) {
    const { section } = call.args;
    return section === undefined
      ? loadAgain(context, found.loaded, call, documents)
      : loadSection(context, found.loaded, String(section), call);
  }
  if (found.skill === undefined) return fault(context, "skill-removed", wanted, { retryable: false });
  return activateSkill(context, found.skill.name, {
    call,
    ...(documents === undefined ? {} : { documents: documents.selection }),
  });
}

/** What an activation takes beside the name. */
export interface ActivateOptions {
  /** The model's call; absent when the host or the user activates. */
  readonly call?: OperationCall;
  /** Under which id the result is found in the history. */
  readonly callId?: string;
  /** What the user wrote after "/name". */
  readonly args?: string;
  readonly documents?: readonly string[] | "all";
  readonly preloaded?: boolean;
}

/** Loads a skill that is not active, pins its content, and records it. */
export async function activateSkill(context: SessionContext, name: string, options: ActivateOptions = {}): Promise<Outcome> {
  const signal = options.call?.signal;
  let loaded: LoadedSkill;
  try {
    loaded = await context.library.load(name, signal ? { signal } : {});
  } catch (error) {
    return notLoaded(context, name, error);
  }
  if (options.call !== undefined && !mayModelLoad(loaded.skill)) return skillNotFound(context, name);
  const now = heldNow(loaded);
  const prepared = await prepareBody(context, { ...now, readText: async (path) => (await readOptional(context, name, path))?.text });
  if ("kind" in prepared) return prepared;
  const { extensions, notices } = prepared;
  const body = extensions.takesArguments ? fillArguments(prepared.body, options.args ?? "", extensions.argumentNames) : prepared.body;
  const held: HeldSkill = { ...now, body };
  if (extensions.fork !== undefined && options.call !== undefined) {
    const apart = loadedOutcome(context, held, { documents: [], notices, released: [], ephemeral: false, placement: "tool-result" });
    const { text: content } = context.words.present(apart, context.wording(), options.call.input);
    return forkSkill(context, held, content, extensions, options.call);
  }
  if (
    extensions.model !== undefined &&
    context.options.hosts?.models !== undefined &&
    !(await context.options.hosts.models(extensions.model))
  ) {
    return fault(context, "hub-missing", name, { detail: `Its model "${extensions.model}" is not known to this host.`, retryable: false });
  }
  const text = await context.library.blobs.put(encoder.encode(held.text));
  const order = await context.facts.nextOrder();
  const fact: LoadedFact = {
    name: held.name,
    text,
    digest: held.digest,
    ...(body === now.body ? {} : { filled: await context.library.blobs.put(encoder.encode(body)) }),
    ...(extensions.model === undefined ? {} : { model: extensions.model }),
    order,
    used: order,
    turn: context.turn,
    documents: options.documents ?? [],
    lifecycle: lifecycleOf(context, held.name),
    preloaded: options.preloaded ?? false,
    sent: false,
    location: held.location,
    trusted: held.trusted,
    files: held.files,
  };
  // Of two calls in one turn the first one carries the body; the other is a note.
  const first = await context.facts.claim(fact);
  if (!first && !servesMany(context)) return { kind: "already-loaded", name: fact.name, digest: fact.digest };
  const expired = [...context.expired].filter((other) => other !== fact.name);
  context.expired.clear();
  const released = [...expired, ...(await releaseOverCap(context, fact.name))];
  return recordLoad(context, held, fact, { callId: options.callId ?? options.call?.callId, notices, released, repeated: !first });
}

async function readOptional(context: SessionContext, name: string, path: string): Promise<{ readonly text?: string } | undefined> {
  try {
    return await readHeld(context, name, undefined, path);
  } catch (error) {
    if (SkillError.is(error)) return undefined;
    throw error;
  }
}

async function loadAgain(
  context: SessionContext,
  before: LoadedFact,
  call: OperationCall,
  documents: RequestedDocuments | undefined,
): Promise<Outcome> {
  if (context.options.pin === "latest") {
    const followed = await follow(context, before, call, documents);
    if (followed !== undefined) return followed;
  }
  const fact = documents === undefined ? before : { ...before, documents: documents.selection };
  const order = await context.facts.nextOrder();
  await context.facts.update(fact.name, { used: order, turn: context.turn, documents: fact.documents });
  if (fact.preloaded || context.inContext.has(fact.name)) {
    const added = documents === undefined ? [] : await newDocuments(context, before, fact);
    return { kind: "already-loaded", name: fact.name, digest: fact.digest, ...(added.length === 0 ? {} : { documents: added }) };
  }
  return recordLoad(context, await holdSkill(context, fact), fact, { callId: call.callId, notices: [], released: [], repeated: true });
}

/** Of a session that follows the files: the new version where there is one, a clear answer where the skill is gone. */
async function follow(
  context: SessionContext,
  before: LoadedFact,
  call: OperationCall,
  documents: RequestedDocuments | undefined,
): Promise<Outcome | undefined> {
  if (context.library.catalog.get(before.name) === undefined && !context.library.searchesElsewhere) {
    await releaseSkill(context, before.name, "removed");
    return fault(context, "skill-removed", before.name, { retryable: false });
  }
  const latest = await context.library.load(before.name, call.signal ? { signal: call.signal } : {});
  if (latest.bodyDigest === before.digest) return undefined;
  await context.facts.drop(before.name);
  const outcome = await activateSkill(context, before.name, { call, documents: documents?.selection ?? before.documents });
  return outcome.kind === "loaded" ? { ...outcome, notices: [{ kind: "changed" }, ...outcome.notices] } : outcome;
}

/** A body above the host's limit: its opening, and the headings by which the rest is loaded. */
function opened(context: SessionContext, body: string): Pick<LoadedOutcome, "body" | "sections"> {
  const { maxBodyTokens } = context.options;
  if (maxBodyTokens === undefined || context.library.countTokens(body) <= maxBodyTokens) return { body };
  const { opening, sections } = splitSections(body);
  return sections.length === 0 ? { body } : { body: opening, sections: sections.map((section) => section.heading) };
}

async function loadSection(context: SessionContext, fact: LoadedFact, wanted: string, call: OperationCall): Promise<Outcome> {
  const held = await holdSkill(context, fact);
  const { sections } = splitSections(held.body);
  const found = findSection(sections, wanted);
  if ("nearest" in found) {
    const available = sections.map((section) => section.heading);
    return fault(context, "section-not-found", wanted, { skill: fact.name, nearest: found.nearest, available });
  }
  const outcome = await recordLoad(context, held, fact, { callId: call.callId, notices: [], released: [], repeated: true });
  const { sections: _listed, ...rest } = outcome;
  return { ...rest, body: found.text, documents: [] };
}

interface LoadRecord {
  readonly callId: string | undefined;
  readonly notices: readonly Notice[];
  readonly released: readonly string[];
  readonly repeated: boolean;
}

async function recordLoad(context: SessionContext, held: HeldSkill, fact: LoadedFact, record: LoadRecord): Promise<LoadedOutcome> {
  if (!fact.preloaded && !servesMany(context)) context.inContext.add(held.name);
  const placement = fact.preloaded ? "instructions" : (context.options.placement ?? "tool-result");
  if (record.callId !== undefined && placement === "tool-result" && !servesMany(context)) {
    await context.facts.write("load-call", record.callId, { name: held.name, digest: held.digest, order: fact.order });
  }
  const tokens = context.library.countTokens(held.body);
  const { repeated, notices, released } = record;
  context.emit({ type: "skill-loaded", sessionId: context.id, skill: held.name, digest: held.digest, tokens, repeated });
  const documents = await chosenDocuments(context, fact);
  return loadedOutcome(context, held, { documents, notices, released, ephemeral: fact.lifecycle === "ephemeral", placement });
}

function loadedOutcome(
  context: SessionContext,
  held: HeldSkill,
  facts: Pick<LoadedOutcome, "documents" | "notices" | "released" | "ephemeral" | "placement">,
): LoadedOutcome {
  return {
    kind: "loaded",
    name: held.name,
    description: held.manifest.description,
    text: held.text,
    ...opened(context, held.body),
    frontmatter: frontmatterOf(held.manifest),
    // Runs find the staged folder in this variable, whatever it is called and wherever the sandbox keeps it.
    dir: context.workspace === undefined ? held.location : "$SKILL_DIR",
    files: held.files.map(({ path, bytes, kind }) => ({ path, bytes, kind })),
    digest: held.digest,
    ...facts,
  };
}
