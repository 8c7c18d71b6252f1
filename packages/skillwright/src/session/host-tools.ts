import type { Diagnostic } from "../core/index.ts";
import { holdSkill } from "./held-skill.ts";
import type { SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";
import { readExtensions } from "./skill-extensions.ts";

/** Which of the host's tools are switched on, and which must not be offered now. */
export interface HostTools {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/**
 * The host's tools for the active set: those that active skills switched on, in the host's own order,
 * less those that an active skill's `allowed-tools` leaves out where the host enforces them.
 */
export async function hostTools(context: SessionContext): Promise<HostTools> {
  const gated = context.options.toolsOnLoad;
  const active = context.facts.loaded;
  const wanted = gated === undefined ? new Set<string>() : await wantedTools(context, active);
  const enabled = gated === undefined ? [] : gatedNames(context).filter((name) => wanted.has(name));
  const all = [...new Set([...(context.options.hostTools ?? []), ...gatedNames(context)])];
  const disabled = new Set(gatedNames(context).filter((name) => !wanted.has(name)));
  if (gated?.mode === "only" && active.length > 0) for (const name of all) if (!wanted.has(name)) disabled.add(name);
  const allowed = await allowedNames(context, active);
  if (allowed !== undefined) for (const name of all) if (!allowed.has(name)) disabled.add(name);
  if (gated !== undefined && enabled.length > 0) {
    reportOnce(context, "tools-change", {
      severity: "info",
      code: "prompt-cache-cost",
      message: "Active skills change the list of tools, so the provider's prompt cache starts anew.",
      location: active.map((fact) => fact.name).join(", "),
      hint: "Offer these tools from the start where the cost of a cache miss is higher than that of their descriptions.",
    });
  }
  return { enabled: enabled.filter((name) => !disabled.has(name)), disabled: [...disabled] };
}

/** Every name that `toolsOnLoad` keeps back until a skill asks for it, in the host's order. */
function gatedNames(context: SessionContext): string[] {
  const gated = context.options.toolsOnLoad;
  return gated === undefined ? [] : [...new Set([...gated.tools, ...Object.values(gated.sets ?? {}).flat()])];
}

async function wantedTools(context: SessionContext, active: readonly LoadedFact[]): Promise<Set<string>> {
  const gated = context.options.toolsOnLoad;
  const wanted = new Set<string>();
  if (gated === undefined) return wanted;
  const framework = new Set(context.dialect.tools.map((tool) => tool.name));
  for (const fact of active) {
    if (gated.lifetime === "turn" && fact.turn !== context.turn) continue;
    const ruled = gated.rules !== undefined && Object.hasOwn(gated.rules, fact.name) ? (gated.rules[fact.name] ?? []) : [];
    // What a fetched skill asks for switches nothing on; the host's own rules do.
    const asked = fact.trusted ? readExtensions((await holdSkill(context, fact)).manifest).tools : [];
    for (const name of [...ruled, ...asked]) {
      const members =
        gated.sets !== undefined && Object.hasOwn(gated.sets, name) ? (gated.sets[name] ?? []) : gated.tools.includes(name) ? [name] : [];
      if (members.length === 0) reportMissing(context, fact.name, name);
      for (const member of members) if (!framework.has(member)) wanted.add(member);
    }
  }
  return wanted;
}

/** With restriction switched on: what the active trusted skills that name tools allow together. */
async function allowedNames(context: SessionContext, active: readonly LoadedFact[]): Promise<Set<string> | undefined> {
  if (context.options.enforceAllowedTools !== true) return undefined;
  const allowed = new Set<string>();
  let restricted = false;
  for (const fact of active) {
    const tools = fact.trusted ? (await holdSkill(context, fact)).manifest.allowedTools : [];
    if (tools.length === 0) continue;
    restricted = true;
    for (const tool of tools) {
      const name = /^[^(]+/.exec(tool)?.[0].trim() ?? tool;
      allowed.add(name);
      if (!(context.options.hostTools ?? []).includes(name)) reportMissing(context, fact.name, name);
    }
  }
  return restricted ? allowed : undefined;
}

function reportMissing(context: SessionContext, skill: string, tool: string): void {
  reportOnce(context, `${skill}\0${tool}`, {
    severity: "warning",
    code: "tool-missing",
    message: `Skill "${skill}" names the tool "${tool}", which this host does not have.`,
    location: skill,
    hint: "Add it to `toolsOnLoad` or `hostTools`, or take it out of the skill.",
  });
}

/** Tells about something once in a session. */
export function reportOnce(context: SessionContext, key: string, diagnostic: Diagnostic): void {
  if (context.reported.has(key)) return;
  context.reported.add(key);
  context.emit({ type: "session-diagnostic", sessionId: context.id, diagnostic });
}
