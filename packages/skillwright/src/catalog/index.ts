/**
 * From sources to one immutable, consistent catalogue: discovery, precedence, diagnostics, and rendering within a token budget.
 */

export { readCandidate } from "./candidate.ts";
export { type DiscoverOptions, type Discovery, discover } from "./discover.ts";
export { type RenderCatalogOptions, renderCatalog } from "./render-catalog.ts";
export type { SkillFilter } from "./resolve.ts";
export type { Excluded, RenderedCatalog, RenderOptions, Skill, SkillCatalog } from "./skill-catalog.ts";
export type {
  RefusedCandidate,
  SkillSource,
  SourceCandidate,
  SourceContext,
  SourceEntry,
  SourceFile,
  SourceProgress,
  Trust,
  TrustedSource,
  UnchangedCandidate,
} from "./skill-source.ts";
export { createSlices, type Slices } from "./slices.ts";
export { narrowCatalog } from "./snapshot.ts";
