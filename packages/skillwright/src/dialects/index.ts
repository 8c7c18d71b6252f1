/**
 * Data only: how each home system reads skills, shows its catalogue, names its tools and words its answers.
 */
import { agentskills } from "./agentskills.ts";
import type { Dialect, DialectId } from "./dialect.ts";

export { agentskills, agentskillsCatalog } from "./agentskills.ts";
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
export { faultPhrase, sizeOf } from "./phrases.ts";
export { skillContent } from "./skill-content.ts";

/** Every dialect by its id. */
export const dialects: ReadonlyMap<DialectId, Dialect> = new Map([agentskills].map((dialect) => [dialect.id, dialect]));
