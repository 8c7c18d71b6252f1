import { type SessionEvent, SkillError, throwIfAborted } from "../core/index.ts";
import { type Dialect, type DialectId, dialects, type WordingContext } from "../dialects/index.ts";
import type { Library } from "../library/index.ts";
import { openSkillWorkspace, type SkillWorkspace } from "../workspace/index.ts";
import { memoryArtifactStore } from "./artifact-store.ts";
import { present } from "./call-tool.ts";
import { createLedger, type LedgerBook } from "./ledger.ts";
import { checkLifecycle, releaseSkill } from "./lifecycle.ts";
import { type ActivateOptions, activateSkill } from "./load-skill.ts";
import { rehydrate } from "./rehydrate.ts";
import { compareWithHistory, endTurn, offloadOnce, renderStanding, type Standing } from "./request-view.ts";
import { elsewhere, fault, findSkill, mayUserActivate, type SessionContext, servesMany } from "./session-context.ts";
import { openSessionFacts } from "./session-facts.ts";
import { memorySessionStore } from "./session-store.ts";
import { readExtensions } from "./skill-extensions.ts";
import { answerServer, asksForServer, closeServers } from "./skill-mcp.ts";
import type { RequestView, SessionOptions, SkillLibrary, SkillSession } from "./skill-session.ts";
import type { Approval, ToolCallOptions, ToolResult } from "./skill-tool.ts";

/** What the sessions of one conversation share. */
interface Shared {
  readonly workspace: SkillWorkspace | undefined;
  readonly ledger: LedgerBook;
  readonly root: boolean;
}

/** Adds sessions to a library. */
export function withSessions(library: Library, defaults: SessionOptions = {}): SkillLibrary {
  return {
    get catalog() {
      return library.catalog;
    },
    limits: library.limits,
    maxCatalogTokens: library.maxCatalogTokens,
    countTokens: library.countTokens,
    searchesElsewhere: library.searchesElsewhere,
    blobs: library.blobs,
    onEvent: library.onEvent,
    refresh: (options) => library.refresh(options),
    watch: (options) => library.watch(options),
    search: (query, options) => library.search(query, options),
    load: (name, options) => library.load(name, options),
    read: (name, path, options) => library.read(name, path, options),
    scope: (options) => withSessions(library.scope(options), defaults),
    openSession: (options = {}) => openSession(library, { ...defaults, ...options }),
    close: () => library.close(),
  };
}

/**
 * Opens a session on a library; the same id and store continue an earlier one.
 * @throws SkillError `configuration-invalid`, `session-version`, `skill-not-found` (a preloaded name)
 */
async function openSession(library: Library, options: SessionOptions = {}): Promise<SkillSession> {
  const id = options.id ?? crypto.randomUUID();
  const workspace =
    options.sandbox === undefined
      ? undefined
      : openSkillWorkspace({
          sandbox: options.sandbox,
          sessionId: id,
          limits: library.limits,
          ...(options.policy ? { policy: options.policy } : {}),
          onEvent: options.onEvent ?? library.onEvent,
        });
  const shared: Shared = { workspace, ledger: createLedger(library.countTokens), root: true };
  return openAgent(
    library,
    { ...options, id, store: options.store ?? memorySessionStore(), artifacts: options.artifacts ?? memoryArtifactStore() },
    shared,
  );
}

async function openAgent(
  whole: Library,
  options: SessionOptions & Required<Pick<SessionOptions, "id" | "store" | "artifacts">>,
  shared: Shared,
): Promise<SkillSession> {
  checkLifecycle(options.lifecycle);
  const library = options.scope === undefined ? whole : whole.scope(options.scope);
  const agent = options.agent ?? "main";
  const dialect = dialectOf(options.dialect);
  const words = { ...dialect.words[options.locale ?? "en"], ...options.wording };
  const facts = await openSessionFacts(options.store, options.id, agent);
  const emit = (event: SessionEvent): void => (options.onEvent ?? library.onEvent)(event);
  let standing: Standing | undefined;
  const context: SessionContext = {
    id: options.id,
    agent,
    library,
    options,
    dialect,
    words,
    facts,
    workspace: shared.workspace,
    artifacts: options.artifacts,
    ledger: shared.ledger,
    wording: () => standing?.wording ?? emptyWording,
    emit,
    inContext: new Set(options.conversation === "many" ? [] : facts.loaded.map((fact) => fact.name)),
    expired: new Set(),
    reported: new Set(),
    held: new Map(),
    history: undefined,
    queued: [],
    misses: new Map(),
    processes: new Map(),
    servers: new Map(),
    calls: new Map(),
    asked: new Map(),
    turn: String((await facts.read("turn", "current")) ?? ""),
  };
  for (const request of options.preload ?? []) await preload(context, request);
  standing = await renderStanding(context);
  let view: RequestView = viewOf(standing, []);
  let seen = { catalog: library.catalog, loaded: facts.loaded, turn: context.turn };
  let toolTokens = toolText(standing.tools);
  let closed = false;

  const open = (): void => {
    if (closed)
      throw new SkillError("session-closed", `Session "${options.id}" is closed.`, { hint: "Open it again with the same id and store." });
  };
  const call = async (name: string, input: unknown, callOptions: ToolCallOptions): Promise<ToolResult> => {
    open();
    const tool = standing?.tools.find((candidate) => candidate.name === name);
    if (tool !== undefined) return tool.execute(input, callOptions);
    const names = (standing?.tools ?? []).map((candidate) => candidate.name);
    return present(context, { outcome: fault(context, "tool-unknown", name, { available: names, retryable: true }) });
  };

  emit({ type: "session-opened", sessionId: options.id, agent, restored: facts.restored });
  return {
    id: options.id,
    agent,
    beforeRequest: async ({ history, turn, signal } = {}) => {
      open();
      throwIfAborted(signal);
      context.history = history;
      await facts.sync();
      if (turn !== undefined && turn !== context.turn) {
        await endTurn(context, turn);
        await facts.write("turn", "current", turn);
      }
      await offloadOnce(context);
      const changed = seen.catalog !== library.catalog || seen.loaded !== facts.loaded || seen.turn !== context.turn;
      if (changed || standing === undefined) {
        standing = await renderStanding(context);
        toolTokens = toolText(standing.tools);
      }
      const edits = changed || history !== undefined ? await compareWithHistory(context, history) : view.edits;
      if (changed || edits !== view.edits || context.queued.length > 0) view = viewOf(standing, edits, context);
      else if (view.append.length > 0) view = viewOf(standing, edits);
      seen = { catalog: library.catalog, loaded: facts.loaded, turn: context.turn };
      shared.ledger.enter(`${agent}/catalog`, "catalog", agent, standing.instructions);
      shared.ledger.enter(`${agent}/tools`, "tools", agent, toolTokens);
      shared.ledger.request();
      return view;
    },
    get instructions() {
      return view.instructions;
    },
    get tools() {
      return view.tools;
    },
    get enabledHostTools() {
      return view.enabledHostTools;
    },
    get active() {
      return facts.loaded.map(({ name, digest, order, documents, lifecycle }) => ({ name, digest, order, documents, lifecycle }));
    },
    call,
    pending: async () => (await facts.all("approval")).map((entry) => entry.value as unknown as Approval),
    resolve: async (approvalId, decision, callOptions = {}) => {
      open();
      const asked = (await facts.read("approval", approvalId)) as unknown as Approval | undefined;
      if (asked !== undefined && asksForServer(asked)) {
        const answer = await answerServer(context, asked, decision.approved);
        standing = await renderStanding(context);
        toolTokens = toolText(standing.tools);
        view = viewOf(standing, view.edits);
        return present(context, { answer });
      }
      const tool = asked === undefined ? undefined : standing?.tools.find((candidate) => candidate.name === asked.tool);
      if (asked === undefined || tool === undefined) {
        throw new SkillError("approval-invalid", `No call waits for an answer under "${approvalId}".`, {
          hint: "pending() lists what waits.",
        });
      }
      return tool.execute(asked.input, { ...callOptions, callId: approvalId, approved: decision.approved });
    },
    activate: async (name, args) => {
      open();
      const found = findSkill(context, name);
      if ("kind" in found) {
        const asked = await elsewhere(context, found, () => activateSkill(context, name, activation(args)));
        return present(context, { outcome: asked });
      }
      if (found.skill !== undefined && !mayUserActivate(found.skill)) {
        return present(context, {
          outcome: fault(context, "skill-not-invocable", name, { detail: "This skill is for the model alone.", retryable: false }),
        });
      }
      const outcome =
        found.skill === undefined || (found.loaded !== undefined && !servesMany(context))
          ? ({ kind: "already-loaded", name: found.loaded?.name ?? name, digest: found.loaded?.digest ?? "" } as const)
          : await activateSkill(context, found.skill.name, activation(args));
      const result = present(context, { outcome });
      // Arguments that the skill has no place for are said after it, so that nothing the user wrote is lost.
      const placed = found.skill === undefined || readExtensions(found.skill.manifest).takesArguments;
      return placed || args === undefined || args === "" ? result : { ...result, text: `${result.text}\n\nArguments: ${args}` };
    },
    unload: async (name) => {
      open();
      return releaseSkill(context, library.catalog.get(name)?.name ?? name, "asked");
    },
    putFile: async (name, data) => {
      open();
      if (shared.workspace === undefined) {
        throw new SkillError("sandbox-unavailable", "A file can only be handed to a session that has a sandbox.", {
          hint: "Pass `sandbox` to openSession().",
        });
      }
      return shared.workspace.putFile(name, data);
    },
    artifacts: () => options.artifacts.list(options.id),
    child: async ({ agent: name, allow = "all" }) => {
      open();
      const scope = allow === "all" ? undefined : { allow: allow === "none" ? [] : allow };
      const { scope: _own, preload: _preload, ...inherited } = options;
      return openAgent(library, { ...inherited, agent: name, ...(scope ? { scope } : {}) }, { ...shared, root: false });
    },
    rehydrate: (rehydrateOptions) => rehydrate(context, rehydrateOptions),
    ledger: shared.ledger,
    close: async () => {
      if (closed) return;
      closed = true;
      for (const live of context.processes.values()) await live.run.process.kill();
      await closeServers(context);
      if (shared.root) await shared.workspace?.close();
      emit({ type: "session-closed", sessionId: options.id });
    },
  };
}

const emptyWording: WordingContext = { toolName: () => undefined, catalog: "", active: [] };

function viewOf(standing: Standing, edits: RequestView["edits"], context?: SessionContext): RequestView {
  const append: RequestView["append"] = (context?.queued.splice(0) ?? []).map(({ media, label }) => ({
    type: "media" as const,
    media,
    label,
  }));
  return {
    instructions: standing.instructions,
    tools: standing.tools,
    enabledHostTools: standing.hostTools.enabled,
    disabledHostTools: standing.hostTools.disabled,
    edits,
    append,
    ...(standing.model === undefined ? {} : { model: standing.model }),
  };
}

function toolText(tools: Standing["tools"]): string {
  if (tools.length === 0) return "";
  return JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
}

function dialectOf(dialect: DialectId | Dialect | undefined): Dialect {
  if (typeof dialect === "object") return dialect;
  const found = dialects.get(dialect ?? "agentskills");
  if (found !== undefined) return found;
  throw new SkillError("configuration-invalid", `There is no dialect "${String(dialect)}".`, {
    hint: `Dialects: ${[...dialects.keys()].join(", ")}.`,
  });
}

/** What an activation by the user takes. */
function activation(args: string | undefined): ActivateOptions {
  return { callId: `user:${crypto.randomUUID()}`, ...(args === undefined ? {} : { args }) };
}

async function preload(context: SessionContext, request: NonNullable<SessionOptions["preload"]>[number]): Promise<void> {
  const { name, documents = [] } = typeof request === "string" ? { name: request } : request;
  const skill = context.library.catalog.get(name);
  if (context.facts.get(skill?.name ?? name) !== undefined) return;
  const outcome = await activateSkill(context, skill?.name ?? name, { documents, preloaded: true });
  if (outcome.kind === "fault") {
    throw new SkillError("skill-not-found", `The preloaded skill "${name}" is not in the library.`, {
      hint: "Check the name with `skillwright list`.",
    });
  }
}
