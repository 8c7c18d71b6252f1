import { SkillError } from "../core/index.ts";
import { skillContent } from "../dialects/index.ts";
import { holdSkill } from "./held-skill.ts";
import type { SessionContext } from "./session-context.ts";
import type { RehydrateOptions } from "./skill-session.ts";

/**
 * The loaded bodies as one text, newest first, within a budget; a cut is marked.
 * @throws SkillError `configuration-invalid` for a negative limit
 */
export async function rehydrate(context: SessionContext, options: RehydrateOptions = {}): Promise<string> {
  const { maxSkills = 5, maxTokensPerSkill = 5_000, maxTokens = 25_000 } = options;
  for (const [name, limit] of Object.entries({ maxSkills, maxTokensPerSkill, maxTokens })) {
    if (limit >= 0) continue;
    throw new SkillError("configuration-invalid", `\`${name}\` must not be negative.`, { hint: "Pass 0 to put nothing back." });
  }
  const newest = [...context.facts.loaded].filter((fact) => !fact.preloaded).sort((a, b) => b.used - a.used);
  const parts: string[] = [];
  let spent = 0;
  for (const fact of newest.slice(0, maxSkills)) {
    const held = await holdSkill(context, fact);
    const body = cutTo(held.body, maxTokensPerSkill, context, held.name);
    const part = skillContent(held.name, held.digest, body);
    const tokens = context.library.countTokens(part);
    if (spent + tokens > maxTokens) break;
    spent += tokens;
    parts.push(part);
    context.inContext.add(held.name);
  }
  return parts.join("\n\n");
}

function cutTo(body: string, maxTokens: number, context: SessionContext, name: string): string {
  if (context.library.countTokens(body) <= maxTokens) return body;
  let low = 0;
  let high = body.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (context.library.countTokens(body.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  // Not between the halves of a surrogate pair.
  const end = low > 0 && /[\uD800-\uDBFF]/.test(body.charAt(low - 1)) ? low - 1 : low;
  const load = context.wording().toolName("load") ?? "load_skill";
  return `${body.slice(0, end)}\n[Cut here: the rest of skill "${name}" is read with ${load}.]`;
}
