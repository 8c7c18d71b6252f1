import { narrowCatalog, type Skill, type SkillCatalog } from "../catalog/index.ts";
import { SkillError } from "../core/index.ts";
import { diffCatalogs } from "./diff-catalogs.ts";
import { compileNamePatterns } from "./name-pattern.ts";
import { noSuchSkill } from "./no-such-skill.ts";
import type { Library, ScopeOptions } from "./skill-library.ts";

/** A view of a library with fewer skills. What it hides is absent everywhere: in the catalogue, answers, searches and suggestions. */
export function scopeLibrary(library: Library, options: ScopeOptions): Library {
  const allowed = options.allow && compileNamePatterns(options.allow);
  const denied = options.deny && compileNamePatterns(options.deny);
  const isNamed = (name: string): boolean => (allowed?.(name) ?? true) && !(denied?.(name) ?? false);
  const isVisible = (skill: Skill): boolean => isNamed(skill.name) && (options.filter?.(skill) ?? true);
  let whole: SkillCatalog | undefined;
  let narrowed: SkillCatalog | undefined;

  function catalog(): SkillCatalog {
    if (whole !== library.catalog || narrowed === undefined) {
      whole = library.catalog;
      narrowed = narrowCatalog(whole, isVisible, isNamed, library);
    }
    return narrowed;
  }

  /** Asks the library about a skill that this view may show, and lets no answer tell of another. */
  async function ask<Answer>(name: string, question: (key: string) => Promise<Answer>): Promise<Answer> {
    const key = catalog().get(name)?.name ?? name;
    const hidden = key === name && catalog().get(name) === undefined && (library.catalog.get(name) !== undefined || !isNamed(name));
    if (hidden) throw noSuchSkill(name, catalog());
    try {
      return await question(key);
    } catch (error) {
      if (SkillError.is(error, "skill-not-found") && error.data.removed !== true) throw noSuchSkill(name, catalog());
      throw error;
    }
  }

  const view: Library = {
    get catalog() {
      return catalog();
    },
    limits: library.limits,
    maxCatalogTokens: library.maxCatalogTokens,
    countTokens: library.countTokens,
    searchesElsewhere: library.searchesElsewhere,
    blobs: library.blobs,
    onEvent: library.onEvent,
    async refresh(refreshOptions) {
      const before = catalog();
      await library.refresh(refreshOptions);
      return diffCatalogs(before, catalog());
    },
    watch({ onChange, ...watchOptions } = {}) {
      let before = catalog();
      return library.watch({
        ...watchOptions,
        onChange: () => {
          const { added, removed, updated } = diffCatalogs(before, catalog());
          before = catalog();
          if (added.length + removed.length + updated.length > 0) onChange?.();
        },
      });
    },
    async search(query, { limit = 10, signal } = {}) {
      const hits = await library.search(query, { limit: library.catalog.skills.length + limit, ...(signal && { signal }) });
      return hits.filter(({ skill }) => isVisible(skill)).slice(0, limit);
    },
    load: (name, loadOptions) =>
      ask(name, async (key) => {
        const loaded = await library.load(key, loadOptions);
        if (!isVisible(loaded.skill)) throw noSuchSkill(name, catalog());
        return loaded;
      }),
    read: (name, path, readOptions) =>
      ask(name, async (key) => {
        // A skill that only a registry has is judged by what it says, as when it is loaded.
        if (catalog().get(key) === undefined) await view.load(key, readOptions);
        return library.read(key, path, readOptions);
      }),
    scope: (narrower) => scopeLibrary(view, narrower),
    close: async () => undefined,
  };
  return view;
}
