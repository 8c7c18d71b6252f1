/**
 * The words every other folder speaks: errors, diagnostics, events, limits, digests, safe paths, tokens.
 * Pure code without I/O; nothing here knows what a skill is.
 */
export { type BlobStore, memoryBlobStore } from "./blob-store.ts";
export type { Diagnostic, Severity } from "./diagnostic.ts";
export { type Digest, digestOf, treeDigestOf } from "./digest.ts";
export { escapeMarkup, escapeTags, foldLine } from "./escape-text.ts";
export type { AgentEvent, LibraryEvent, OnEvent, RunEvent, SessionEvent, SkillEvent } from "./events.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { nearestNames } from "./nearest.ts";
export { defaultReadingRules, type ReadingRules } from "./reading-rules.ts";
export { normalizeRelativePath } from "./relative-path.ts";
export { SkillError, type SkillErrorCode, type SkillErrorOptions, throwIfAborted } from "./skill-error.ts";
export { type CountTokens, estimateTokens } from "./tokens.ts";
