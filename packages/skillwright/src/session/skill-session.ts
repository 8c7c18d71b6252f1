import type { Skill } from "../catalog/index.ts";
import type { Digest, JsonObject, JsonValue, OnEvent } from "../core/index.ts";
import type { Dialect, DialectId, DialectWords, Locale, Operation } from "../dialects/index.ts";
import type { Library, ScopeOptions } from "../library/index.ts";
import type { Sandbox, SandboxPolicy } from "../workspace/index.ts";
import type { Artifact, ArtifactStore } from "./artifact-store.ts";
import type { Ledger } from "./ledger.ts";
import type { SessionStore } from "./session-store.ts";
import type { Approval, Media, SkillTool, ToolCallOptions, ToolResult } from "./skill-tool.ts";

/** What a host answers when a tool asks. */
export type ApprovalDecision = "allow" | "deny" | "ask";

/** Decides about one call; `ask` makes the result pending until a person answered. */
export type Approve = (
  approval: Approval,
  context: { readonly operation: Operation | "skill"; readonly skill?: Skill },
) => ApprovalDecision | Promise<ApprovalDecision>;

/** Names of variables that runs get from the host's values, for all skills or by skill. */
export interface Grant {
  readonly name: string;
  /** The value, asked for at each run and never kept. */
  readonly value: () => string | undefined | Promise<string | undefined>;
  /** Globs over skill names. @default all */
  readonly skills?: readonly string[];
}

/** How long a loaded skill stays. */
export interface Lifecycle {
  /** @default "persistent" */
  readonly mode?: "persistent" | "bounded" | "ephemeral";
  /** Skills that may be active at once; the least recently used bounded one leaves first. @default no cap */
  readonly maxActive?: number;
  /** Other modes by skill name. */
  readonly overrides?: Readonly<Record<string, "persistent" | "bounded" | "ephemeral">>;
}

/** Host tools that appear when a skill that names them is active. */
export interface ToolsOnLoad {
  /** Names of the host's tools, or sets of them: `{ sql: ["query", "explain"] }`. */
  readonly tools: readonly string[];
  readonly sets?: Readonly<Record<string, readonly string[]>>;
  /** Rules of the host's own: skill name to tools and sets, beside what a skill's metadata names. */
  readonly rules?: Readonly<Record<string, readonly string[]>>;
  /** `only` leaves nothing but activated and framework tools. @default "include" */
  readonly mode?: "include" | "only";
  /** @default "session" */
  readonly lifetime?: "turn" | "session";
}

/** Where forked skills and named models come from. */
export interface Hubs {
  /** Runs a sub-agent; an empty name asks for the default one. */
  readonly agents?: (request: ForkRequest) => Promise<readonly string[]>;
  /** Whether a model of this name can be had; the adapter switches to it. */
  readonly models?: (name: string) => boolean | Promise<boolean>;
  /** Starts an MCP server that a skill declares, after approval. */
  readonly mcp?: McpHub;
}

/** What a forked skill asks of the host's agents. */
export interface ForkRequest {
  readonly skill: string;
  readonly agent: string;
  readonly model?: string;
  readonly mode: "fork" | "fork_with_context";
  /** The instructions as a load answers them, folder and files included: the first message of the sub-agent. */
  readonly content: string;
  readonly input: JsonObject;
  readonly callId: string;
  readonly history?: readonly HistoryMessage[];
  readonly signal?: AbortSignal;
}

/** Starts MCP servers for skills; the library has one for the MCP SDK in `adapters/mcp-hub`. */
export interface McpHub {
  connect(
    server: {
      readonly name: string;
      readonly skill: string;
      /** The skill's folder as a person finds it: a path where it lies on this machine. */
      readonly location: string;
      /** What the skill's mcp.json says of the server: `{ command, args, env }` or `{ url, headers }`. */
      readonly config: JsonObject;
    },
    options: { readonly signal?: AbortSignal },
  ): Promise<McpConnection>;
}

/** One running MCP server. */
export interface McpConnection {
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: JsonObject }[];
  call(
    name: string,
    input: JsonObject,
    options: { readonly signal?: AbortSignal },
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
  close(): Promise<void>;
}

/** Options of a session. */
export interface SessionOptions {
  /** The same id and store continue a session, in another process too. @default a random id */
  readonly id?: string;
  /** Scopes what is loaded, so that agents of one session do not mix. @default "main" */
  readonly agent?: string;
  /** @default in memory */
  readonly store?: SessionStore;
  /** @default in memory */
  readonly artifacts?: ArtifactStore;
  /** Without one there are no run tools. */
  readonly sandbox?: Sandbox;
  /** What runs may reach. @default no network */
  readonly policy?: SandboxPolicy;
  /** Whether runs are asked about. @default all allowed: the sandbox is the boundary */
  readonly approve?: Approve | ApprovalDecision;
  readonly grants?: readonly Grant[];
  /** Refuses shell lines before they reach the sandbox; a convenience, not a boundary. */
  readonly commandPolicy?: (command: string) => { readonly denied: string } | undefined;
  /** Offers `run_code`. @default false */
  readonly allowCode?: boolean;
  /**
   * Whose calls reach this session: those of one conversation, or of many that it cannot tell apart, as over a protocol that
   * shows single calls alone. Of many, each load answers with the whole body, and answers are not kept for call ids that come again.
   * @default "one"
   */
  readonly conversation?: "one" | "many";
  /** Skills that are active from the start. */
  readonly preload?: readonly (string | { readonly name: string; readonly documents?: readonly string[] | "all" })[];
  /** How long a body stays in the context: for the turn, for one request, for the session. @default "session" */
  readonly loadMode?: "turn" | "once" | "session";
  readonly lifecycle?: Lifecycle;
  /** Whether a loaded skill keeps its version when its files change. @default "session" */
  readonly pin?: "session" | "latest";
  /** Where bodies stand. @default "tool-result" */
  readonly placement?: "tool-result" | "instructions";
  /** Bodies above this many tokens are offered by section. @default never */
  readonly maxBodyTokens?: number;
  readonly hosts?: Hubs;
  readonly toolsOnLoad?: ToolsOnLoad;
  /** Names of the host's own tools, where skills may restrict them. */
  readonly hostTools?: readonly string[];
  /** Treats `allowed-tools` of active trusted skills as a restriction of the host's tools. @default false */
  readonly enforceAllowedTools?: boolean;
  /** Values for skills that ask for them: `key`, `app:key`, `user:key`, `temp:key`. */
  readonly state?: Readonly<Record<string, JsonValue>> | ((key: string) => JsonValue | undefined | Promise<JsonValue | undefined>);
  readonly scope?: ScopeOptions;
  readonly dialect?: DialectId | Dialect;
  /** @default "en" */
  readonly locale?: Locale;
  /** Other names for tools, by operation. */
  readonly toolNames?: Readonly<Partial<Record<Operation, string>>>;
  readonly toolNamePrefix?: string;
  readonly toolFilter?: (tool: { readonly name: string; readonly operation: Operation | "skill" }) => boolean;
  /** Replaces words of the dialect: texts, descriptions, results. */
  readonly wording?: Partial<DialectWords>;
  readonly onEvent?: OnEvent;
}

/** A message of the host's history, as far as a session needs it. */
export interface HistoryMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text?: string;
  readonly toolCalls?: readonly { readonly callId: string; readonly tool: string; readonly input: unknown }[];
  readonly toolResults?: readonly { readonly callId: string; readonly tool: string; readonly text: string }[];
}

/** What one model request needs. */
export interface RequestView {
  readonly instructions: string;
  readonly tools: readonly SkillTool[];
  readonly enabledHostTools: readonly string[];
  /** Host tools that must not be offered now, where active skills restrict them. */
  readonly disabledHostTools: readonly string[];
  /** Results to rewrite in the outgoing request; the stored history stays. */
  readonly edits: readonly { readonly callId: string; readonly text: string }[];
  /** Parts to add after the history: bytes that a tool result cannot carry, text that history lost. */
  readonly append: readonly (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "media"; readonly media: Media; readonly label: string }
  )[];
  /** The model that an active skill asks for. */
  readonly model?: string;
}

/** A skill that a session has loaded. */
export interface ActiveSkill {
  readonly name: string;
  /** Digest of the body it was loaded at. */
  readonly digest: Digest;
  /** Counts loads in this session; the replay order. */
  readonly order: number;
  readonly documents: readonly string[] | "all";
  readonly lifecycle: "persistent" | "bounded" | "ephemeral";
}

/** Options of {@link SkillSession.rehydrate}. */
export interface RehydrateOptions {
  /** @default 5 */
  readonly maxSkills?: number;
  /** @default 5,000 */
  readonly maxTokensPerSkill?: number;
  /** @default 25,000 */
  readonly maxTokens?: number;
}

/** One conversation: what the model is told, which tools it has, what it loaded, what it ran, what that cost. */
export interface SkillSession {
  readonly id: string;
  readonly agent: string;
  /**
   * Prepares the next model request; the one place where a session changes between two requests.
   * `turn` names the user's turn: another value than last time ends the one before.
   * `history` lets it see what the context still holds.
   */
  beforeRequest(options?: {
    readonly history?: readonly HistoryMessage[];
    readonly turn?: string;
    readonly signal?: AbortSignal;
  }): Promise<RequestView>;
  /** For the system prompt; "" when there is nothing to say. */
  readonly instructions: string;
  /** [] when there are no skills. */
  readonly tools: readonly SkillTool[];
  readonly enabledHostTools: readonly string[];
  readonly active: readonly ActiveSkill[];
  /** Runs a tool by name, for hand-written loops; an unknown name is a result that says which exist. */
  call(tool: string, input: unknown, options: ToolCallOptions): Promise<ToolResult>;
  /** Calls that wait for a person, in this or an earlier process. */
  pending(): Promise<readonly Approval[]>;
  /**
   * Answers a pending call: runs it, or records the refusal.
   * @throws SkillError `approval-invalid` when what was asked has changed or is unknown
   */
  resolve(
    approvalId: string,
    decision: { readonly approved: boolean; readonly reason?: string },
    options?: Omit<ToolCallOptions, "callId" | "approved">,
  ): Promise<ToolResult>;
  /** The user's own "/name"; `args` fill declared placeholders. */
  activate(name: string, args?: string): Promise<ToolResult>;
  unload(name: string): Promise<boolean>;
  /** Hands in a file; answers the path under which commands find it: `inputs/name`. */
  putFile(name: string, data: Uint8Array): Promise<string>;
  artifacts(): Promise<readonly Artifact[]>;
  /** A sub-agent's session: fewer skills, its own active set, the same workspace. */
  child(options: { readonly agent: string; readonly allow?: readonly string[] | "all" | "none" }): Promise<SkillSession>;
  /** The loaded bodies as one text, newest first, to put back after a compaction; explicit unloads stay out. */
  rehydrate(options?: RehydrateOptions): Promise<string>;
  readonly ledger: Ledger;
  close(): Promise<void>;
}

/** A library on which sessions are opened. */
export interface SkillLibrary extends Library {
  scope(options: ScopeOptions): SkillLibrary;
  openSession(options?: SessionOptions): Promise<SkillSession>;
}
