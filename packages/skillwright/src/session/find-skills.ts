import type { Outcome } from "../dialects/index.ts";
import { frontmatterOf } from "./held-skill.ts";
import { mayModelLoad, type OperationCall, type SessionContext } from "./session-context.ts";

/** Every visible skill, as the list tool of some dialects shows it. */
export function listSkills(context: SessionContext): Outcome {
  const skills = context.library.catalog.skills.filter((skill) => mayModelLoad(skill));
  return { kind: "skills", skills: skills.map(({ name, description }) => ({ name, description })) };
}

/** The skills that answer a query best. */
export async function searchSkills(context: SessionContext, call: OperationCall): Promise<Outcome> {
  const query = String(call.args.query ?? "").trim();
  const limit = typeof call.args.limit === "number" ? Math.min(Math.max(1, Math.floor(call.args.limit)), 50) : 10;
  const hits = await context.library.search(query, { limit, ...(call.signal ? { signal: call.signal } : {}) });
  const visible = hits.filter((hit) => mayModelLoad(hit.skill));
  return {
    kind: "skills",
    query,
    skills: visible.map((hit) => ({
      name: hit.skill.name,
      description: hit.skill.description,
      why: hit.why,
      frontmatter: frontmatterOf(hit.skill.manifest),
    })),
  };
}
