/**
 * SKILL.md as text: parse, repair, validate, write. Pure functions without I/O; the only parser of the product.
 */
export { type FormatCode, type FormatRule, formatRules } from "./format-codes.ts";
export { type LintFile, type LintInput, lintSkill } from "./lint-skill.ts";
export type { Manifest, ParsedSkill, ParseOptions, Place } from "./manifest.ts";
export { type HeaderOptions, type ParsedHeader, parseHeader } from "./parse-header.ts";
export { parseSkill } from "./parse-skill.ts";
export { renderSkill, type SkillText } from "./render-skill.ts";
export { type ValidateOptions, validateManifest } from "./validate-manifest.ts";
