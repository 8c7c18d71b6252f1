import type { SkillCatalog } from "../catalog/index.ts";

/** What became of the skills between two catalogues, by name. */
export interface CatalogDiff {
  readonly changed: boolean;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Names whose skill is another one, or has another SKILL.md. */
  readonly updated: readonly string[];
}

const nothing: readonly string[] = Object.freeze([]);
const same: CatalogDiff = Object.freeze({ changed: false, added: nothing, removed: nothing, updated: nothing });

/** Compares two catalogues; `changed` is also set when only what is excluded or said about it differs. */
export function diffCatalogs(before: SkillCatalog, after: SkillCatalog): CatalogDiff {
  if (before === after) return same;
  const old = new Map(before.skills.map((skill) => [skill.name, skill]));
  const added: string[] = [];
  const updated: string[] = [];
  for (const skill of after.skills) {
    const known = old.get(skill.name);
    old.delete(skill.name);
    if (known === undefined) added.push(skill.name);
    else if (known.revision !== skill.revision || known.location !== skill.location) updated.push(skill.name);
  }
  return { changed: true, added, removed: [...old.keys()], updated };
}
