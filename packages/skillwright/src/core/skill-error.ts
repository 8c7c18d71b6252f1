import type { JsonObject } from "./json.ts";

/** Every code that a thrown {@link SkillError} can carry. */
export type SkillErrorCode =
  | "aborted"
  | "approval-invalid"
  | "artifact-not-found"
  | "blob-not-found"
  | "configuration-invalid"
  | "digest-mismatch"
  | "duplicate-skill"
  | "file-not-found"
  | "limit-exceeded"
  | "path-outside-root"
  | "peer-missing"
  | "registry-failed"
  | "sandbox-failed"
  | "sandbox-unavailable"
  | "session-closed"
  | "session-version"
  | "skill-not-found"
  | "source-failed"
  | "state-conflict"
  | "store-failed"
  | "tenant-unresolved"
  | "workspace-closed";

/** What a {@link SkillError} carries beside its message. */
export interface SkillErrorOptions {
  /** What the reader can do next, one sentence. */
  readonly hint?: string;
  /** Facts for machines. */
  readonly data?: JsonObject;
  readonly cause?: unknown;
}

const brand = Symbol.for("skillwright.SkillError");

/** The one error class of the library: a closed set of codes, a message, and a hint that says what to do next. */
export class SkillError extends Error {
  readonly code: SkillErrorCode;
  readonly hint: string | undefined;
  readonly data: JsonObject;

  constructor(code: SkillErrorCode, message: string, options: SkillErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SkillError";
    Object.defineProperty(this, brand, { value: true });
    this.code = code;
    this.hint = options.hint;
    this.data = options.data ?? {};
  }

  /** Whether a caught value is a SkillError (from any copy of the library), optionally of one code. */
  static is(value: unknown): value is SkillError;
  static is<Code extends SkillErrorCode>(value: unknown, code: Code): value is SkillError & { readonly code: Code };
  static is(value: unknown, code?: SkillErrorCode): boolean {
    return (
      typeof value === "object" &&
      value !== null &&
      brand in value &&
      (code === undefined || (value as unknown as SkillError).code === code)
    );
  }
}

/** Throws the signal's reason as a SkillError of code `aborted`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new SkillError("aborted", "The operation was aborted.", { cause: signal.reason });
  }
}
