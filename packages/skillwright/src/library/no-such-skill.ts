import type { SkillCatalog } from "../catalog/index.ts";
import { nearestNames, SkillError } from "../core/index.ts";

/** The answer to a name that no skill has: the nearest names, and why, where a skill of that name was left out. */
export function noSuchSkill(name: string, catalog: SkillCatalog): SkillError {
  const nearest = nearestNames(name, names(catalog));
  const left = catalog.excluded.find((excluded) => excluded.name === name && excluded.fate !== "hidden" && excluded.fate !== "shadowed");
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  const message = left === undefined ? `There is no skill named ${shown}.` : `The skill ${shown} cannot be used: ${left.reason}`;
  const suggestion = nearest.length > 0 ? `Did you mean ${nearest.map((near) => JSON.stringify(near)).join(", ")}?` : undefined;
  return new SkillError("skill-not-found", message, {
    hint: suggestion ?? "Use a name that the catalogue lists.",
    data: { name, nearest, ...(left && { fate: left.fate }) },
  });
}

function* names(catalog: SkillCatalog): Generator<string> {
  for (const { name, aliases } of catalog.skills) {
    yield name;
    yield* aliases;
  }
}
