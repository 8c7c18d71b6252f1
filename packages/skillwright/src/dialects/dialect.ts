import type { JsonObject, ReadingRules } from "../core/index.ts";
import type { CatalogStyle } from "./catalog-style.ts";
import type { Fault, LoadedDocument, Outcome } from "./outcome.ts";

/** The systems whose prompts and evaluations run unchanged. */
export type DialectId = "agentskills" | "genkit" | "eino" | "adk" | "trpc" | "lesson";

/** Languages of the framework's own words; a skill's text is never translated. */
export type Locale = "en" | "zh";

/** What a tool does, whatever a dialect calls it. */
export type Operation =
  | "load"
  | "list"
  | "read"
  | "search"
  | "unload"
  | "list-documents"
  | "select-documents"
  | "run-script"
  | "run-command"
  | "run-code"
  | "start"
  | "write"
  | "poll"
  | "kill";

/** What must be there for a tool to be offered. */
export type ToolNeed = "sandbox" | "interactive" | "large-catalog" | "registry" | "lifecycle" | "code";

/** One parameter of a tool: what the model calls it, and which argument of the operation it is. */
export interface ParameterSpec {
  readonly name: string;
  /** The operation's own argument. */
  readonly to: string;
  /** Other spellings that older versions used; accepted, not advertised. */
  readonly aliases?: readonly string[];
  /** JSON Schema without the description. */
  readonly schema: JsonObject;
  readonly required?: boolean;
  /** Gets an enum of the visible skills while there are few. */
  readonly namesSkill?: boolean;
  /** The unit the model speaks, where the operation wants milliseconds. */
  readonly unit?: "seconds";
  /** Offered only where the session loads long bodies by section. */
  readonly needs?: "sections";
  /** A form the text must have, and the fault where it has not. */
  readonly pattern?: { readonly form: RegExp; readonly fault: Fault["code"] };
}

/** One tool of a dialect. */
export interface ToolSpec {
  readonly operation: Operation;
  readonly name: string;
  readonly parameters: readonly ParameterSpec[];
  readonly needs?: readonly ToolNeed[];
}

/** What the words of a dialect may refer to. */
export interface WordingContext {
  /** The tool's name as the model sees it (prefixed, renamed), or undefined when it is not offered. */
  readonly toolName: (operation: Operation) => string | undefined;
  /** The rendered catalogue; "" when the dialect shows it elsewhere. */
  readonly catalog: string;
  /** Names of skills that are active. */
  readonly active: readonly string[];
}

/** The framework's own words in one language. */
export interface DialectWords {
  /** The text for the system prompt. */
  readonly instructions: (context: WordingContext) => string;
  readonly tools: Readonly<Partial<Record<Operation, ToolWords>>>;
  /** What a model reads for an outcome; the data beside it is for hosts. `input` is what the model passed, with the dialect's names. */
  readonly present: (outcome: Outcome, context: WordingContext, input?: JsonObject) => Presentation;
  /** How a body reads where it stands in the system prompt. @default marked as skill content */
  readonly standing?: (skill: StandingSkill) => string;
}

/** A loaded skill whose body stands in the system prompt. */
export interface StandingSkill {
  readonly name: string;
  readonly body: string;
  readonly digest: string;
  readonly documents: readonly LoadedDocument[];
}

/** Descriptions of one tool and its parameters (by the parameter's advertised name). */
export interface ToolWords {
  readonly description: (context: WordingContext) => string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** An outcome in a dialect's shape: a plain text, or an object that travels as JSON. */
export interface Presentation {
  readonly text: string;
  readonly data?: JsonObject;
}

/** One home system as a table. */
export interface Dialect {
  readonly id: DialectId;
  readonly reading: Partial<ReadingRules>;
  readonly catalog: {
    /** Where the catalogue stands. */
    readonly place: "instructions" | "tool-description" | "list-tool";
    readonly style: CatalogStyle;
  };
  readonly tools: readonly ToolSpec[];
  readonly words: Readonly<Record<Locale, DialectWords>>;
  /** Codes of the home system for faults; others keep ours. */
  readonly faultCodes?: Readonly<Partial<Record<Fault["code"], string>>>;
}
