import type { RenderedCatalog } from "../catalog/index.ts";
import { type StandingSkill, skillContent, skillDocument, type WordingContext } from "../dialects/index.ts";
import { buildSkillTools, buildTools, offeredSpecs, toolNameOf } from "./build-tools.ts";
import { chosenDocuments } from "./documents.ts";
import { holdSkill } from "./held-skill.ts";
import { type HostTools, hostTools } from "./host-tools.ts";
import { releaseSkill } from "./lifecycle.ts";
import { mayModelLoad, type SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";
import { serverTools } from "./skill-mcp-tools.ts";
import type { HistoryMessage, RequestView } from "./skill-session.ts";
import type { SkillTool } from "./skill-tool.ts";

/** What a session says and offers between two changes; compared by identity, so that nothing is rebuilt in vain. */
export interface Standing {
  readonly instructions: string;
  readonly tools: readonly SkillTool[];
  readonly wording: WordingContext;
  readonly catalog: RenderedCatalog;
  readonly hostTools: HostTools;
  /** The model that the skill loaded last in this turn asks for. */
  readonly model?: string;
}

const nothing: RenderedCatalog = { text: "", tokens: 0, shortened: [], omitted: [] };

/** Renders instructions and tools for the current catalogue and active set. */
export async function renderStanding(context: SessionContext): Promise<Standing> {
  const { library, dialect, options, words } = context;
  const hidden = new Set(library.catalog.skills.filter((skill) => !mayModelLoad(skill)).map((skill) => skill.name));
  const preloaded = context.facts.loaded.filter((fact) => fact.preloaded);
  for (const fact of preloaded) hidden.add(fact.name);
  const offered = library.catalog.skills.length - hidden.size;
  if (offered <= 0 && context.facts.loaded.length === 0 && !library.searchesElsewhere) {
    return {
      instructions: "",
      tools: [],
      catalog: nothing,
      hostTools: await hostTools(context),
      wording: { toolName: () => undefined, catalog: "", active: [] },
    };
  }
  const catalog = library.catalog.render({
    maxTokens: library.maxCatalogTokens,
    style: dialect.catalog.style,
    ...(hidden.size > 0 ? { omit: hidden } : {}),
  });
  const specs = offeredSpecs(context, { largeCatalog: catalog.omitted.length > 0 });
  const names = new Map(
    specs
      .map((spec) => [spec.operation, toolNameOf(context, spec)] as const)
      .filter(([operation, name]) => options.toolFilter?.({ name, operation }) !== false),
  );
  const wording: WordingContext = {
    toolName: (operation) => names.get(operation),
    catalog: catalog.text,
    active: context.facts.loaded.map((fact) => fact.name),
  };
  const standing = await bodiesInInstructions(context);
  const tools = buildTools(context, specs, wording);
  const brought = await buildSkillTools(context, new Set([...tools.map((tool) => tool.name), ...(options.hostTools ?? [])]));
  const served = await serverTools(context, new Set([...tools, ...brought].map((tool) => tool.name).concat(options.hostTools ?? [])));
  const instructions = [words.instructions(wording), ...standing].filter((part) => part !== "").join("\n\n");
  return {
    instructions,
    tools: [...tools, ...brought, ...served],
    wording,
    catalog,
    hostTools: await hostTools(context),
    ...modelOf(context),
  };
}

function modelOf(context: SessionContext): { model?: string } {
  const model = context.facts.loaded.findLast((fact) => fact.turn === context.turn)?.model;
  return model === undefined || context.options.hosts?.models === undefined ? {} : { model };
}

/** Bodies that stand in the system prompt: those the host preloaded, and all where the session places them there. */
async function bodiesInInstructions(context: SessionContext): Promise<string[]> {
  const placed = context.options.placement === "instructions";
  const facts = context.facts.loaded.filter((fact) => fact.preloaded || placed);
  const standing = context.words.standing ?? standingContent;
  const parts: string[] = [];
  for (const fact of [...facts].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const held = await holdSkill(context, fact);
    const documents = await chosenDocuments(context, fact);
    parts.push(standing({ name: held.name, body: held.body, digest: held.digest, documents }));
  }
  return parts;
}

function standingContent({ name, body, digest, documents }: StandingSkill): string {
  return [skillContent(name, digest, body), ...documents.map(skillDocument)].join("\n\n");
}

/** Ends a turn: bodies that were loaded for the turn leave, and faults are forgotten. */
export async function endTurn(context: SessionContext, turn: string): Promise<void> {
  context.turn = turn;
  context.misses.clear();
  for (const fact of context.facts.loaded) {
    if (fact.preloaded || fact.turn === turn || fact.turn === "") continue;
    if (context.options.loadMode === "turn") await releaseSkill(context, fact.name, "turn-ended");
    else if (fact.lifecycle === "ephemeral") {
      await releaseSkill(context, fact.name, "expired");
      context.expired.add(fact.name);
    }
  }
}

/** In load mode `once` a body is carried by one request; the next one no longer has it. */
export async function offloadOnce(context: SessionContext): Promise<void> {
  if (context.options.loadMode !== "once") return;
  for (const fact of context.facts.loaded) {
    if (fact.preloaded) continue;
    if (fact.sent) await releaseSkill(context, fact.name, "turn-ended");
    else await context.facts.update(fact.name, { sent: true });
  }
}

/** Loads that calls made in this session, by call id. */
interface LoadCall {
  readonly name: string;
  readonly digest: string;
}

/**
 * Looks at the history: which bodies it still holds, and which of its results carry one that is no longer active.
 * Without a history, everything loaded is taken to be there.
 */
export async function compareWithHistory(
  context: SessionContext,
  history: readonly HistoryMessage[] | undefined,
): Promise<RequestView["edits"]> {
  const calls = (await context.facts.all("load-call")) as unknown as readonly { key: string; value: LoadCall }[];
  const active = new Map(context.facts.loaded.map((fact) => [fact.name, fact]));
  const present = history === undefined ? undefined : resultsOf(history);
  const edits: { callId: string; text: string }[] = [];
  if (present !== undefined) context.inContext.clear();
  if (context.options.placement === "instructions") for (const name of active.keys()) context.inContext.add(name);
  for (const { key, value } of calls) {
    const text = present?.get(key);
    if (present !== undefined && text === undefined) continue;
    if (text?.startsWith(unloaded)) continue;
    const fact = active.get(value.name);
    if (fact !== undefined && fact.digest === value.digest) context.inContext.add(value.name);
    else {
      edits.push({ callId: key, text: gone(value.name, fact) });
      context.ledger.drop(key);
    }
  }
  return edits;
}

/** How a result begins whose body was taken out. */
const unloaded = "[unloaded]";

function resultsOf(history: readonly HistoryMessage[]): Map<string, string> {
  return new Map(history.flatMap((message) => (message.toolResults ?? []).map((result) => [result.callId, result.text] as const)));
}

function gone(name: string, fact: LoadedFact | undefined): string {
  return fact === undefined
    ? `${unloaded} The instructions of skill "${name}" left the context. Load it again to use it.`
    : `${unloaded} These instructions of skill "${name}" were replaced by a newer version, loaded later.`;
}
