import type { SkillFilter } from "../catalog/index.ts";

/** One filter of several: the first that keeps a skill out decides, and says why. Without any there is none. */
export function combineFilters(filters: readonly (SkillFilter | undefined)[]): SkillFilter | undefined {
  const present = filters.filter((filter) => filter !== undefined);
  if (present.length === 0) return undefined;
  return (skill) => {
    for (const filter of present) {
      const verdict = filter(skill);
      if (verdict !== true) return verdict;
    }
    return true;
  };
}
