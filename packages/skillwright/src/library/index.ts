/**
 * The long-lived object: sources, snapshots, refresh, watch, scopes, search, loading and reading.
 */
export { combineFilters } from "./combine-filters.ts";
export { checkEligibility, type Eligibility, type EligibilityProbe, eligibilityFilter } from "./eligibility.ts";
export { openLibrary } from "./open-library.ts";
export { createSearchIndex, type SearchIndex } from "./search-index.ts";
export type {
  FileKind,
  Library,
  LibraryOptions,
  LoadedSkill,
  Resource,
  ScopeOptions,
  SearchHit,
  SkillFile,
  SourceResolver,
} from "./skill-library.ts";
export { compileSwitches, type SwitchLayer, type SwitchState, switchFilter } from "./switches.ts";
