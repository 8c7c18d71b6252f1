import type { Skill } from "../catalog/index.ts";
import { type JsonObject, nearestNames, type SessionEvent, SkillError } from "../core/index.ts";
import type { Dialect, DialectWords, Fault, FaultOutcome, Operation, Outcome, WordingContext } from "../dialects/index.ts";
import type { Library } from "../library/index.ts";
import type { InteractiveRun, RunReport, SkillWorkspace } from "../workspace/index.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import type { HeldSkill } from "./held-skill.ts";
import type { LedgerBook } from "./ledger.ts";
import type { RunPlan } from "./plan-run.ts";
import type { LoadedFact, SessionFacts } from "./session-facts.ts";
import type { StartedServer } from "./skill-mcp.ts";
import type { HistoryMessage, SessionOptions } from "./skill-session.ts";
import type { Approval, Media, ToolResult } from "./skill-tool.ts";

/** A program that goes on between calls. */
export interface LiveProcess {
  readonly run: InteractiveRun;
  readonly plan: RunPlan;
  /** Where the next look at its output begins. */
  offset: number;
  ended?: RunReport;
  /** When it was last looked at, in milliseconds. */
  seenAt: number;
}

/** What the operations of one session share. */
export interface SessionContext {
  readonly id: string;
  readonly agent: string;
  /** Already narrowed to what this session may see. */
  readonly library: Library;
  readonly options: SessionOptions;
  readonly dialect: Dialect;
  readonly words: DialectWords;
  readonly facts: SessionFacts;
  /** Absent where there is no sandbox. */
  readonly workspace: SkillWorkspace | undefined;
  readonly artifacts: ArtifactStore;
  readonly ledger: LedgerBook;
  readonly wording: () => WordingContext;
  readonly emit: (event: SessionEvent) => void;
  /** Names of skills whose body the model's context still holds, as far as is known. */
  readonly inContext: Set<string>;
  /** Names of skills that ended with their turn, until the next load tells of them. */
  readonly expired: Set<string>;
  /** What was reported once already. */
  readonly reported: Set<string>;
  /** Parsed content of active skills, by digest. */
  readonly held: Map<string, HeldSkill>;
  /** The history as the last request saw it, for skills that run apart with it. */
  history: readonly HistoryMessage[] | undefined;
  /** Bytes that wait for the next request, where a tool result could not carry them. */
  readonly queued: { readonly media: Media; readonly label: string }[];
  /** Programs that go on between calls, by their id. */
  readonly processes: Map<string, LiveProcess>;
  /** MCP servers that were started for active skills, by skill and name. */
  readonly servers: Map<string, StartedServer>;
  /** Calls that are running, by call id and input. */
  readonly calls: Map<string, Promise<ToolResult>>;
  /** Questions that were asked in this process, by call id. */
  readonly asked: Map<string, Approval>;
  /** Faults of this turn by kind, for answers that say not to try again. */
  readonly misses: Map<string, number>;
  turn: string;
}

/** What one call of an operation brings. */
export interface OperationCall {
  readonly callId: string;
  /** The tool's name as the model sees it. */
  readonly tool: string;
  readonly operation: Operation;
  /** What the model passed. */
  readonly input: JsonObject;
  /** The input in the operation's own argument names, checked against the schema. */
  readonly args: JsonObject;
  readonly approved?: boolean;
  readonly onOutput?: (stream: "stdout" | "stderr", text: string) => void;
  readonly signal?: AbortSignal;
}

/** Whether calls of several conversations reach the session: then nothing may be taken to be in the context already. */
export function servesMany(context: SessionContext): boolean {
  return context.options.conversation === "many";
}

/** How many names an answer lists at most. */
const listedNames = 30;

/** A fault as an outcome; it says how often this kind of fault has now happened in the turn. */
export function fault(
  context: SessionContext,
  code: Fault["code"],
  subject: string,
  facts: Partial<Omit<Fault, "code" | "subject" | "attempt">> = {},
): FaultOutcome {
  const attempt = (context.misses.get(code) ?? 0) + 1;
  return { kind: "fault", fault: { retryable: attempt < 2, ...facts, code, subject: subject.slice(0, 200), attempt } };
}

/** The skill of a name that the model wrote, or the helpful fault. */
export function findSkill(
  context: SessionContext,
  name: string,
): { readonly skill: Skill; readonly loaded?: LoadedFact } | { readonly skill?: never; readonly loaded: LoadedFact } | FaultOutcome {
  const { catalog } = context.library;
  const skill = catalog.get(name);
  const loaded = context.facts.get(skill?.name ?? name);
  if (skill !== undefined) return loaded === undefined ? { skill } : { skill, loaded };
  return loaded === undefined ? skillNotFound(context, name) : { loaded };
}

/** That there is no such skill, with the names that there are. */
export function skillNotFound(context: SessionContext, name: string): FaultOutcome {
  const { catalog } = context.library;
  const names = catalog.skills.filter((candidate) => mayModelLoad(candidate)).map((candidate) => candidate.name);
  return fault(context, "skill-not-found", name, {
    nearest: nearestNames(name, names),
    ...(names.length <= listedNames ? { available: names } : {}),
    retryable: true,
  });
}

/** Why a skill could not be read: it never was there, it is gone, or its source does not answer. */
export function notLoaded(context: SessionContext, name: string, error: unknown): FaultOutcome {
  if (SkillError.is(error, "aborted") || !SkillError.is(error)) throw error;
  if (SkillError.is(error, "registry-failed")) {
    const { nearest, available } = skillNotFound(context, name).fault;
    const choices = { ...(nearest === undefined ? {} : { nearest }), ...(available === undefined ? {} : { available }) };
    return fault(context, "registry-failed", name, { ...choices, detail: error.message });
  }
  if (SkillError.is(error, "skill-not-found") && error.data.removed !== true) return skillNotFound(context, name);
  return fault(context, "skill-removed", name, { detail: error.message, retryable: false });
}

/** What becomes of a name that the catalogue lacks: where some source cannot list all it holds, it is asked. */
export async function elsewhere(context: SessionContext, missing: FaultOutcome, ask: () => Promise<Outcome>): Promise<Outcome> {
  return context.library.searchesElsewhere ? ask() : missing;
}

/** Whether a skill may be loaded by the model, and not by its user alone. */
export function mayModelLoad(skill: Skill): boolean {
  return !isTrue(skill.manifest.extra["disable-model-invocation"]);
}

/** Whether a skill may be called by its user as "/name". */
export function mayUserActivate(skill: Skill): boolean {
  const value = skill.manifest.extra["user-invocable"];
  return value === undefined || isTrue(value);
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(true|yes|on)$/i.test(value.trim()));
}
