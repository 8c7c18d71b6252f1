import { SkillError } from "../core/index.ts";
import type { SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";
import { closeServers } from "./skill-mcp.ts";
import type { Lifecycle } from "./skill-session.ts";

/** How long a skill stays, by the host's options. */
export function lifecycleOf(context: SessionContext, name: string): LoadedFact["lifecycle"] {
  const { lifecycle } = context.options;
  const overrides = lifecycle?.overrides;
  return (overrides && Object.hasOwn(overrides, name) ? overrides[name] : lifecycle?.mode) ?? "persistent";
}

/** @throws SkillError `configuration-invalid` for a cap that would leave no room for the skill that is loaded */
export function checkLifecycle(lifecycle: Lifecycle | undefined): void {
  const cap = lifecycle?.maxActive;
  if (cap === undefined || cap >= 1) return;
  throw new SkillError("configuration-invalid", `\`lifecycle.maxActive\` is ${cap}; at least one skill must have room.`, {
    hint: "Pass 1 or more, or leave it out for no cap.",
  });
}

/** Releases the least recently used bounded skills beyond the cap; the one just loaded stays. */
export async function releaseOverCap(context: SessionContext, justLoaded: string): Promise<string[]> {
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
  await closeServers(context, name);
  if (dropped) context.emit({ type: "skill-unloaded", sessionId: context.id, skill: name, reason });
  return dropped;
}
