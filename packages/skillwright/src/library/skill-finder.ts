import { createSlices, type Skill, type SkillCatalog, type TrustedSource } from "../catalog/index.ts";
import { type Limits, throwIfAborted } from "../core/index.ts";
import type { Registry } from "./registry.ts";
import { createSearchIndex, type SearchDocument, type SearchIndex } from "./search-index.ts";
import type { SearchHit } from "./skill-library.ts";

/** Searches a catalogue, and the sources that search for themselves. */
export interface SkillFinder {
  search(catalog: SkillCatalog, query: string, limit: number, signal?: AbortSignal): Promise<SearchHit[]>;
}

/** What a finder goes by. */
export interface FinderSettings {
  readonly ownerOf: (skill: Skill) => TrustedSource | undefined;
  readonly registry: Registry;
  readonly limits: Limits;
}

/** How many skills are indexed in one go. */
const batch = 128;

/** Indexes names, descriptions and bodies at the first search, and what changed at the first search after a change. */
export function createSkillFinder(settings: FinderSettings): SkillFinder {
  const { ownerOf, registry, limits } = settings;
  const decoder = new TextDecoder();
  let index: SearchIndex | undefined;
  const documents = new Map<string, SearchDocument>();
  let indexed: SkillCatalog | undefined;
  let indexing: Promise<void> = Promise.resolve();

  async function bodyOf(skill: Skill): Promise<string> {
    const owner = ownerOf(skill);
    if (owner === undefined) return "";
    try {
      const bytes = await owner.source.read(skill.path, skill.file, { trust: owner.trust, limits, maxBytes: limits.maxBodyBytes });
      const text = decoder.decode(bytes);
      return text.slice(Math.max(0, text.indexOf("\n---", 3)));
    } catch {
      // Gone or unreadable: its name and description still count until a refresh says more.
      return "";
    }
  }

  async function update(catalog: SkillCatalog): Promise<void> {
    if (indexed === catalog) return;
    const slices = createSlices();
    index ??= createSearchIndex();
    for (const id of documents.keys()) if (!isCurrent(catalog, id)) documents.delete(id);
    let pending = 0;
    for (const skill of catalog.skills) {
      const { name, description, revision } = skill;
      if (documents.get(name)?.revision === revision) continue;
      documents.set(name, { id: name, name, description, revision, body: await bodyOf(skill) });
      if (++pending % batch !== 0) continue;
      indexAll(index);
      await slices.pause();
    }
    indexAll(index);
    indexed = catalog;
  }

  /** Gives the index what is new; a body is needed once, so it is let go at once. */
  function indexAll(target: SearchIndex): void {
    target.update([...documents.values()]);
    for (const [id, { body, ...document }] of documents) if (body !== undefined) documents.set(id, document);
  }

  return {
    async search(catalog, query, limit, signal) {
      indexing = indexing.then(() => update(catalog));
      await indexing;
      throwIfAborted(signal);
      const hits: SearchHit[] = [];
      for (const { id, score, why } of index?.search(query, limit) ?? []) {
        const skill = catalog.get(id);
        if (skill !== undefined) hits.push({ skill, score, why });
      }
      const names = new Set(hits.map(({ skill }) => skill.name));
      for (const { skill } of await registry.search(query, limit, signal)) {
        if (hits.length >= limit) break;
        if (names.has(skill.name) || catalog.get(skill.name) !== undefined) continue;
        names.add(skill.name);
        hits.push({ skill, score: 0, why: `found by ${skill.source}` });
      }
      return hits;
    },
  };
}

/** Whether a catalogue holds a skill of exactly this name. */
function isCurrent(catalog: SkillCatalog, name: string): boolean {
  return catalog.get(name)?.name === name;
}
