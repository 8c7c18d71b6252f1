import type { CountTokens, Diagnostic, Limits, ReadingRules } from "../core/index.ts";
import { resolveNames, type SkillFilter } from "./resolve.ts";
import { type Scan, type ScanSettings, scanSource } from "./scan.ts";
import type { Excluded, SkillCatalog } from "./skill-catalog.ts";
import type { TrustedSource } from "./skill-source.ts";
import { createSlices, type Slices } from "./slices.ts";
import { createSnapshot, lookup } from "./snapshot.ts";

/** Options of {@link discover}. */
export interface DiscoverOptions {
  readonly rules: ReadingRules;
  readonly limits: Limits;
  readonly duplicates: "first" | "error";
  readonly maxCatalogTokens: number;
  readonly countTokens: CountTokens;
  readonly filter?: SkillFilter | undefined;
  /** Found before: what was withheld, and what is to be said of places that are no sources. */
  readonly excluded: readonly Excluded[];
  readonly diagnostics: readonly Diagnostic[];
  readonly onProgress?: ((source: string, candidates: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A catalogue, and what the next discovery builds on. */
export interface Discovery {
  readonly catalog: SkillCatalog;
  readonly scans: readonly Scan[];
}

/**
 * Lists the sources and makes a catalogue of what they hold: the same one as before where nothing changed.
 * A small library is read in one go; a large one in slices, between which everything else runs.
 * @throws SkillError `duplicate-skill`, `aborted`
 */
export async function discover(sources: readonly TrustedSource[], options: DiscoverOptions, previous?: Discovery): Promise<Discovery> {
  const slices = createSlices();
  const scans = await scanAll(sources, options, slices, previous?.scans ?? []);
  const isNew = scans.some((scan, index) => scan !== previous?.scans[index]);
  if (previous !== undefined && options.filter === undefined && !isNew) return previous;
  const resolution = await resolveNames(
    scans,
    { duplicates: options.duplicates, nameFrom: options.rules.nameFrom, filter: options.filter },
    slices,
  );
  const whole = {
    revision: (previous?.catalog.revision ?? 0) + 1,
    skills: resolution.skills,
    get: lookup(resolution),
    excluded: [...options.excluded, ...resolution.excluded],
    diagnostics: [...options.diagnostics, ...resolution.diagnostics],
  };
  if (previous !== undefined && isSame(previous.catalog, whole)) return { catalog: previous.catalog, scans };
  return { catalog: createSnapshot(whole, options), scans };
}

/** Local sources one after the other, since they block; the others meanwhile, all at once. */
async function scanAll(
  sources: readonly TrustedSource[],
  settings: ScanSettings,
  slices: Slices,
  previous: readonly Scan[],
): Promise<Scan[]> {
  const scans = new Array<Promise<Scan> | undefined>(sources.length);
  const before = (owner: TrustedSource): Scan | undefined => previous.find((scan) => scan.owner === owner);
  sources.forEach((owner, index) => {
    if (owner.source.origin !== "local") scans[index] = scanSource(owner, settings, slices, before(owner));
  });
  // Awaited below; until then a failure must not count as unhandled.
  for (const scan of scans) scan?.catch(() => undefined);
  const results: Scan[] = [];
  for (const [index, owner] of sources.entries()) results.push(await (scans[index] ?? scanSource(owner, settings, slices, before(owner))));
  return results;
}

function isSame(catalog: SkillCatalog, next: Pick<SkillCatalog, "skills" | "excluded" | "diagnostics">): boolean {
  const { skills } = catalog;
  return (
    skills.length === next.skills.length &&
    skills.every((skill, index) => isSameSkill(skill, next.skills[index])) &&
    JSON.stringify([catalog.excluded, catalog.diagnostics]) === JSON.stringify([next.excluded, next.diagnostics])
  );
}

function isSameSkill(a: SkillCatalog["skills"][number], b: SkillCatalog["skills"][number] | undefined): boolean {
  return (
    a === b || (b !== undefined && a.manifest === b.manifest && a.revision === b.revision && a.aliases.join("/") === b.aliases.join("/"))
  );
}
