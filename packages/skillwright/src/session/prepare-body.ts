import type { JsonValue } from "../core/index.ts";
import type { FaultOutcome, Notice } from "../dialects/index.ts";
import type { Manifest } from "../format/index.ts";
import { injectState } from "./inject-state.ts";
import { fault, type SessionContext } from "./session-context.ts";
import { readExtensions, type SkillExtensions } from "./skill-extensions.ts";

/** What stands between a skill's text and what the model is given. */
export interface PreparedBody {
  readonly body: string;
  readonly notices: readonly Notice[];
  readonly extensions: SkillExtensions;
}

/** The parts of a skill that preparing looks at. */
export interface BodyToPrepare {
  readonly name: string;
  readonly manifest: Manifest;
  readonly body: string;
  /** Reads a file of the skill, for rules that stand in one. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

/**
 * Fills state into a body that asks for it, and gathers what must be said beside it.
 * Nothing is recorded before this succeeds, so that a missing value never leaves a half-active skill.
 */
export async function prepareBody(context: SessionContext, skill: BodyToPrepare): Promise<PreparedBody | FaultOutcome> {
  const extensions = readExtensions(skill.manifest);
  let body = skill.body;
  if (extensions.injectState) {
    const injected = await injectState(body, (key) => lookUp(context, key), { code: extensions.injectCode });
    if ("missing" in injected) {
      return fault(context, "state-missing", injected.missing, {
        skill: skill.name,
        detail: "The skill was not loaded.",
        retryable: false,
      });
    }
    body = injected.text;
  }
  return { body, extensions, notices: await noticesOf(context, skill, extensions) };
}

async function lookUp(context: SessionContext, key: string): Promise<JsonValue | undefined> {
  if (key.startsWith("artifact.")) {
    const found = await context.artifacts.read(context.id, key.slice("artifact.".length));
    return found === undefined ? undefined : new TextDecoder().decode(found.data);
  }
  const { state } = context.options;
  if (typeof state === "function") return state(key);
  return state !== undefined && Object.hasOwn(state, key) ? state[key] : undefined;
}

async function noticesOf(context: SessionContext, skill: BodyToPrepare, extensions: SkillExtensions): Promise<Notice[]> {
  const notices: Notice[] = [];
  const active = new Set(context.facts.loaded.map((fact) => fact.name));
  const missing = extensions.requires.filter((name) => !active.has(name) && name !== skill.name);
  if (missing.length > 0) {
    const known = missing.filter((name) => context.library.catalog.get(name) !== undefined);
    notices.push({ kind: "requires", known, unknown: missing.filter((name) => !known.includes(name)) });
  }
  const conflicts = extensions.conflicts.filter((name) => active.has(name));
  if (conflicts.length > 0) notices.push({ kind: "conflicts", names: conflicts });
  const rules = await rulesOf(skill, extensions);
  if (rules !== undefined) notices.push({ kind: "rules", text: rules });
  return notices;
}

/** Rules stand in the manifest, or in a file that it names. */
async function rulesOf(skill: BodyToPrepare, extensions: SkillExtensions): Promise<string | undefined> {
  const { rules } = extensions;
  if (rules === undefined) return undefined;
  const path = /^[\w./-]+\.(?:md|txt)$/.test(rules) ? rules : undefined;
  return path === undefined ? rules : ((await skill.readText(path)) ?? rules).trim();
}
