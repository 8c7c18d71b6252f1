/**
 * From sources to one immutable, consistent catalogue: discovery, precedence, diagnostics, and rendering within a token budget.
 */
export type { Excluded, RenderedCatalog, RenderOptions, Skill, SkillCatalog } from "./skill-catalog.ts";
export type { SkillSource, SourceCandidate, SourceContext, SourceEntry, SourceFile, Trust } from "./skill-source.ts";
