/**
 * SKILL.md as text: parse, repair, validate, write. Pure functions without I/O; the only parser of the product.
 */
export type { Manifest, ParsedSkill, ParseOptions } from "./manifest.ts";
