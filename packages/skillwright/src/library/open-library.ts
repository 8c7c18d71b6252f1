import { type DiscoverOptions, type Discovery, discover, type Skill, type SkillCatalog } from "../catalog/index.ts";
import { type Diagnostic, defaultLimits, defaultReadingRules, estimateTokens, memoryBlobStore, SkillError } from "../core/index.ts";
import { diffCatalogs } from "./diff-catalogs.ts";
import { loadSkill, type OwnedSkill, readResource } from "./load-skill.ts";
import { noSuchSkill } from "./no-such-skill.ts";
import { createRegistry } from "./registry.ts";
import { resolveSources } from "./resolve-sources.ts";
import { scopeLibrary } from "./scope-library.ts";
import { createSkillFinder } from "./skill-finder.ts";
import type { Library, LibraryOptions } from "./skill-library.ts";
import { watchSources } from "./watch-library.ts";

const defaultCatalogTokens = 4_000;
const defaultDebounceMs = 200;
const defaultHits = 10;
const maxFetched = 1_000;

/**
 * Opens the sources, discovers their skills, and keeps the catalogue from then on.
 * @throws SkillError `duplicate-skill`, `tenant-unresolved`, `configuration-invalid`
 */
export async function openLibrary(options: LibraryOptions): Promise<Library> {
  const limits = { ...defaultLimits, ...options.limits };
  const rules = { ...defaultReadingRules, ...options.rules, ...(options.strict !== undefined && { strict: options.strict }) };
  const countTokens = options.countTokens ?? estimateTokens;
  const maxCatalogTokens = options.maxCatalogTokens ?? defaultCatalogTokens;
  const onEvent = options.onEvent ?? (() => undefined);
  const onDiagnostic = (diagnostic: Diagnostic): void => onEvent({ type: "diagnostic", diagnostic });
  const sources = await resolveSources(options);
  const owners = new Map(sources.map((owner) => [owner.source.id, owner]));
  const settings: DiscoverOptions = {
    rules,
    limits,
    duplicates: options.duplicates ?? "first",
    maxCatalogTokens,
    countTokens,
    filter: options.filter,
    excluded: (options.withheld ?? []).map(({ location, reason }) => ({ name: location, location, fate: "withheld" as const, reason })),
    diagnostics: options.diagnostics ?? [],
    onProgress: (source, candidates) => onEvent({ type: "scan-progress", source, candidates }),
  };
  const registry = createRegistry(sources, { rules, limits, onDiagnostic });
  const finder = createSkillFinder({ ownerOf: (skill) => owners.get(skill.source), registry, limits });
  const reading = { limits, rules, onDiagnostic };
  let discovery: Discovery | undefined;
  /** Skills of registries since the last refresh: whoever reads their files need not ask for them again. */
  const fetched = new Map<string, OwnedSkill>();
  let refreshing: Promise<unknown> = Promise.resolve();
  const stops = new Set<() => void>();

  async function renew(signal?: AbortSignal): Promise<Discovery> {
    const started = performance.now();
    const before = discovery?.catalog;
    const next = await discover(sources, { ...settings, signal }, discovery);
    discovery = next;
    if (before !== undefined) library.catalog = next.catalog;
    fetched.clear();
    if (next.catalog !== before) announce(next, before?.diagnostics ?? [], performance.now() - started);
    return next;
  }

  function announce({ catalog }: Discovery, before: readonly Diagnostic[], durationMs: number): void {
    if (options.onEvent === undefined) return;
    const told = new Set(before.map((diagnostic) => JSON.stringify(diagnostic)));
    for (const diagnostic of catalog.diagnostics) if (!told.has(JSON.stringify(diagnostic))) onDiagnostic(diagnostic);
    const withheld = catalog.excluded.filter(({ fate }) => fate === "withheld");
    const reasons = new Set(withheld.map(({ reason }) => reason));
    const roots = sources.filter((owner) => owner.withheld !== undefined).map(({ source }) => source.locate(""));
    if (withheld.length > 0) onEvent({ type: "skills-withheld", count: withheld.length, roots, hint: [...reasons].join(" ") });
    onEvent({
      type: "catalog-ready",
      revision: catalog.revision,
      skills: catalog.skills.length,
      diagnostics: catalog.diagnostics.length,
      durationMs,
    });
  }

  /** One discovery at a time: a refresh that is asked for meanwhile sees what changed before it was asked for. */
  function refresh(signal?: AbortSignal): Promise<Discovery> {
    const next = refreshing.then(() => renew(signal));
    refreshing = next.catch(() => undefined);
    return next;
  }

  async function owned(name: string, signal?: AbortSignal): Promise<OwnedSkill> {
    const skill = library.catalog.get(name);
    const owner = skill && owners.get(skill.source);
    if (skill !== undefined && owner !== undefined) return { skill, owner };
    const found = await registry.find(name, signal);
    if (found === undefined || !isAdmitted(found.skill)) throw noSuchSkill(name, library.catalog);
    if (fetched.size >= maxFetched) fetched.clear();
    fetched.set(name, found);
    return found;
  }

  /** Whether the host's filter lets a skill of a registry in; those of the catalogue have passed it. */
  function isAdmitted(skill: Skill): boolean {
    return (options.filter?.(skill) ?? true) === true;
  }

  const first = await refresh();
  // A property that is set, not a getter: the engine keeps what a getter can reach, old catalogues too, long after the library is gone.
  const library: Library & { catalog: SkillCatalog } = {
    catalog: first.catalog,
    limits,
    maxCatalogTokens,
    countTokens,
    searchesElsewhere: sources.some(({ source, withheld }) => source.search !== undefined && withheld === undefined),
    blobs: options.blobs ?? memoryBlobStore(),
    onEvent,
    async refresh({ signal } = {}) {
      const before = library.catalog;
      const after = await refresh(signal);
      return diffCatalogs(before, after.catalog);
    },
    watch({ debounceMs = defaultDebounceMs, onChange } = {}) {
      const stop = watchSources(sources, {
        debounceMs,
        async refresh() {
          const before = library.catalog;
          try {
            const { catalog, scans } = await refresh();
            if (catalog !== before) onChange?.();
            return { again: scans.some(({ notes }) => notes.some(({ code }) => code === "skill-half-written")) };
          } catch (error) {
            onDiagnostic(failedRefresh(error));
            return { again: false };
          }
        },
      });
      stops.add(stop);
      return () => {
        stops.delete(stop);
        stop();
      };
    },
    async search(query, { limit = defaultHits, signal } = {}) {
      const hits = await finder.search(library.catalog, query, limit, signal);
      return hits.filter(({ skill }) => library.catalog.get(skill.name) === skill || isAdmitted(skill));
    },
    load: async (name, { signal } = {}) => loadSkill(await owned(name, signal), reading, signal),
    read: async (name, path, { maxBytes = limits.maxResourceBytes, signal } = {}) =>
      readResource(fetched.get(name) ?? (await owned(name, signal)), path, { ...reading, maxBytes }, signal),
    scope: (narrower) => scopeLibrary(library, narrower),
    async close() {
      for (const stop of stops) stop();
      stops.clear();
      await refreshing;
      await Promise.all(sources.map(({ source }) => source.close?.()));
    },
  };
  return library;
}

function failedRefresh(error: unknown): Diagnostic {
  const known = SkillError.is(error);
  return {
    severity: "error",
    code: known ? error.code : "refresh-failed",
    message: `The library was not refreshed: ${error instanceof Error ? error.message : String(error)}`,
    location: "library",
    hint: (known ? error.hint : undefined) ?? "Correct the cause; the catalogue stays as it was until then.",
  };
}
