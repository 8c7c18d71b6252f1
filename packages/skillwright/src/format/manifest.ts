import type { Diagnostic, JsonValue, ReadingRules } from "../core/index.ts";

/** The frontmatter of a SKILL.md, per the agentskills.io specification. */
export interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  /** `allowed-tools` as a list, however it was written (spaces, commas, a YAML list). */
  readonly allowedTools: readonly string[];
  /** `metadata` with typed values, as YAML reads them; a number only where its digits survive, so 1.10 stays "1.10". */
  readonly metadata: { readonly [key: string]: JsonValue };
  /** `metadata` scalars as written: "1.10", "true", "2031-04-05". */
  readonly metadataText: { readonly [key: string]: string };
  /** Unknown top-level keys, typed, kept for hosts that know them. */
  readonly extra: { readonly [key: string]: JsonValue };
  /** Whether a value had to be repaired to be read. */
  readonly repaired: boolean;
}

/** A place in a file; 1-based, the column in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column?: number;
}

/** Options of {@link parseSkill}. */
export interface ParseOptions {
  /** Where the text came from, for diagnostics. @default "SKILL.md" */
  readonly location?: string;
  /** The folder's name: compared with `name`, and the name where there is none. */
  readonly folder?: string;
  readonly rules?: Partial<ReadingRules>;
  /** @default 64 KiB */
  readonly maxFrontmatterBytes?: number;
}

/** What {@link parseSkill} answers: a manifest when the skill can be used, and every diagnostic. */
export interface ParsedSkill {
  readonly manifest?: Manifest;
  readonly body: string;
  /** 1-based line on which the body starts. */
  readonly bodyLine: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Where the values of the frontmatter's keys stand. */
  readonly places: ReadonlyMap<string, Place>;
}
