/**
 * The long-lived object: sources, snapshots, refresh, watch, scopes, search, loading and reading.
 */
export type {
  FileKind,
  Library,
  LibraryOptions,
  LoadedSkill,
  Resource,
  ScopeOptions,
  SearchHit,
  SkillFile,
  TrustedSource,
} from "./skill-library.ts";
