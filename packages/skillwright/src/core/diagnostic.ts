/** How much a {@link Diagnostic} matters: an error excludes, a warning informs the author, an info the operator. */
export type Severity = "error" | "warning" | "info";

/** What happened to one candidate or file, for the author of the skill: never thrown, always listed. */
export interface Diagnostic {
  readonly severity: Severity;
  /** Stable kebab-case code, for example `description-missing`. */
  readonly code: string;
  readonly message: string;
  /** The file or place as a person can find it: a path, a URL, `memory:name`. */
  readonly location: string;
  /** 1-based line in the file. */
  readonly line?: number;
  /** 1-based column, in UTF-16 units. */
  readonly column?: number;
  /** What to do about it, one sentence. */
  readonly hint?: string;
}
