import type { JsonObject } from "../core/index.ts";

/** What an operation came to, before a dialect gives it words and shape. */
export type Outcome =
  | LoadedOutcome
  | { readonly kind: "already-loaded"; readonly name: string; readonly digest: string; readonly documents?: readonly LoadedDocument[] }
  | { readonly kind: "skills"; readonly skills: readonly SkillLine[]; readonly query?: string }
  | ResourceOutcome
  | RunOutcome
  | { readonly kind: "documents"; readonly skill: string; readonly documents: readonly string[] }
  | {
      readonly kind: "documents-selected";
      readonly skill: string;
      readonly documents: readonly string[];
      readonly all: boolean;
      readonly mode: "add" | "replace" | "clear";
      /** Text of those that the context does not hold yet. */
      readonly added: readonly LoadedDocument[];
    }
  | { readonly kind: "unloaded"; readonly name: string; readonly active: readonly string[] }
  | { readonly kind: "forked"; readonly name: string; readonly results: readonly string[] }
  | ProcessOutcome
  | { readonly kind: "pending"; readonly approval: { readonly id: string; readonly digest: string; readonly summary: string } }
  | FaultOutcome;

/** Something the model should know beside the instructions. */
export type Notice =
  /** The files changed since the skill was loaded; these instructions replace the earlier ones. */
  | { readonly kind: "changed" }
  /** Rules that the skill asks to be repeated. */
  | { readonly kind: "rules"; readonly text: string }
  /** Skills that it builds on and that are not loaded; `known` are those that can be. */
  | { readonly kind: "requires"; readonly known: readonly string[]; readonly unknown: readonly string[] }
  /** Active skills that it contradicts. */
  | { readonly kind: "conflicts"; readonly names: readonly string[] }
  /** Something it brings that did not come up. */
  | { readonly kind: "trouble"; readonly text: string };

/** A document of a skill with its text. */
export interface LoadedDocument {
  readonly path: string;
  readonly text: string;
}

/** One line of a list of skills. */
export interface SkillLine {
  readonly name: string;
  readonly description: string;
  readonly why?: string;
  readonly frontmatter?: JsonObject;
}

/** A skill's instructions, just loaded. */
export interface LoadedOutcome {
  readonly kind: "loaded";
  readonly name: string;
  readonly description: string;
  /** The whole SKILL.md and the instructions in it (rendered, where the skill asks for state). */
  readonly text: string;
  readonly body: string;
  readonly frontmatter: JsonObject;
  /** The folder as the model can reach it: inside the sandbox, else the host's path. */
  readonly dir: string;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly kind: "reference" | "asset" | "script" | "other" }[];
  readonly digest: string;
  /** Documents chosen to travel with the body. */
  readonly documents: readonly LoadedDocument[];
  /** Sections of a long body that were held back, by heading. */
  readonly sections?: readonly string[];
  /** Said after the body, one paragraph each: rules, conflicts, missing requirements, a changed version. */
  readonly notices: readonly Notice[];
  /** Skills that left to make room. */
  readonly released: readonly string[];
  /** Whether it stays only for this turn. */
  readonly ephemeral: boolean;
  /** Where the body stands: in this result, or in the system prompt of the next request. */
  readonly placement: "tool-result" | "instructions";
}

/** The content of one file of a skill. */
export interface ResourceOutcome {
  readonly kind: "resource";
  readonly skill: string;
  readonly path: string;
  readonly mediaType: string;
  readonly size: number;
  /** Absent when the file is binary: the bytes travel as media. */
  readonly text?: string;
}

/** A run that ended. */
export interface RunOutcome {
  readonly kind: "ran";
  readonly operation: "run-script" | "run-command" | "run-code";
  readonly skill?: string;
  readonly script?: string;
  readonly exitCode: number | null;
  readonly reason: string;
  readonly signal?: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: number; readonly stderr: number };
  readonly durationMs: number;
  readonly outputs: readonly { readonly path: string; readonly bytes: number; readonly mediaType: string; readonly text?: string }[];
  readonly artifacts: readonly { readonly name: string; readonly version: number }[];
  readonly warnings: readonly string[];
}

/** A process that goes on between calls. */
export interface ProcessOutcome {
  readonly kind: "process";
  readonly sessionId: string;
  readonly status: "running" | "exited" | "killed";
  readonly output: string;
  readonly offset: number;
  readonly nextOffset: number;
  readonly exitCode?: number | null;
  readonly interaction?: { readonly kind: "prompt" | "selection"; readonly hint: string };
  readonly run?: RunOutcome;
}

/** Something the model can act on. */
export interface FaultOutcome {
  readonly kind: "fault";
  readonly fault: Fault;
}

/** Why an operation did not happen: a closed set of codes, the facts, and whether trying again can help. */
export interface Fault {
  readonly code:
    | "arguments-invalid"
    | "tool-unknown"
    | "skill-not-found"
    | "skill-removed"
    | "skill-not-active"
    | "skill-not-invocable"
    | "skill-must-be-loaded"
    | "resource-not-found"
    | "resource-path-invalid"
    | "resource-too-large"
    | "documents-not-found"
    | "section-not-found"
    | "script-not-found"
    | "script-unsupported"
    | "script-needs"
    | "command-denied"
    | "command-outside"
    | "run-denied"
    | "run-failed"
    | "sandbox-unavailable"
    | "hub-missing"
    | "fork-failed"
    | "registry-failed"
    | "process-unknown"
    | "state-missing"
    | "approval-invalid"
    | "cancelled";
  /** What the fault is about: a skill's, tool's or file's name as the model wrote it, shortened. */
  readonly subject: string;
  /** Names that exist and come nearest. */
  readonly nearest?: readonly string[];
  /** Every name that exists, where they are few. */
  readonly available?: readonly string[];
  /** Required arguments that were not given. */
  readonly missing?: readonly string[];
  /** The reason, in words, where a code alone does not say it. */
  readonly detail?: string;
  readonly skill?: string;
  /** How often this kind of fault happened in this turn; from the second on, a host says not to try again. */
  readonly attempt: number;
  readonly retryable: boolean;
}
