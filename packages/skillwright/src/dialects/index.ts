/**
 * Data only: how each home system reads skills, shows its catalogue, names its tools and words its answers.
 */
import { adk } from "./adk.ts";
import { agentskills } from "./agentskills.ts";
import type { Dialect, DialectId } from "./dialect.ts";
import { eino } from "./eino.ts";
import { genkit } from "./genkit.ts";
import { lesson } from "./lesson.ts";
import { trpc } from "./trpc.ts";

export { agentskillsCatalog } from "./agentskills.ts";
export type { CatalogStyle } from "./catalog-style.ts";
export type {
  Dialect,
  DialectId,
  DialectWords,
  Locale,
  Operation,
  ParameterSpec,
  Presentation,
  StandingSkill,
  ToolNeed,
  ToolSpec,
  ToolWords,
  WordingContext,
} from "./dialect.ts";
export type {
  Fault,
  FaultOutcome,
  LoadedDocument,
  LoadedOutcome,
  Notice,
  Outcome,
  ProcessOutcome,
  ResourceOutcome,
  RunOutcome,
  SkillLine,
} from "./outcome.ts";
export { skillContent, skillDocument } from "./skill-content.ts";

/** Every dialect by its id. */
export const dialects: ReadonlyMap<DialectId, Dialect> = new Map(
  [agentskills, genkit, eino, adk, trpc, lesson].map((dialect) => [dialect.id, dialect]),
);
