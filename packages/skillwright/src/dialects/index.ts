/**
 * Data only: how each home system reads skills, shows its catalogue, names its tools and words its answers.
 */
export type { CatalogStyle } from "./catalog-style.ts";
export type {
  Dialect,
  DialectId,
  DialectWords,
  Locale,
  Operation,
  ParameterSpec,
  Presentation,
  ToolNeed,
  ToolSpec,
  ToolWords,
  WordingContext,
} from "./dialect.ts";
export type { Fault, FaultOutcome, LoadedOutcome, Outcome, ProcessOutcome, ResourceOutcome, RunOutcome, SkillLine } from "./outcome.ts";
