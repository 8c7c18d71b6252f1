import type { Digest, JsonObject, JsonSchema } from "../core/index.ts";
import type { Operation } from "../dialects/index.ts";

/** What a host must ask a person before a tool runs; plain data, so that it can be stored and resumed elsewhere. */
export interface Approval {
  /** The call it belongs to. */
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** Binds the answer to exactly what was asked: the script's content, its arguments, the skill's version. */
  readonly digest: Digest;
  /** One line for a person. */
  readonly summary: string;
  readonly skill?: string;
}

/** Bytes that travel beside a result's text. */
export interface Media {
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

/** What a tool answers; a fault that the model can act on is a result with `isError`, never a throw. */
export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
  readonly isError: boolean;
  /** The same as data; of an error: `code` and `retryable` at least. */
  readonly data: JsonObject;
  readonly media?: readonly Media[];
  /** Present when nothing ran yet: a host must ask and then resume. */
  readonly pending?: Approval;
}

/** Options of one call. */
export interface ToolCallOptions {
  /** The model's id of the call; a repeated one gives the first answer and runs nothing twice. */
  readonly callId: string;
  /** Set by a host that asked a person itself. */
  readonly approved?: boolean;
  /** Live output of a run. */
  readonly onOutput?: (stream: "stdout" | "stderr", text: string) => void;
  readonly signal?: AbortSignal;
}

/** One tool as a framework takes it: plain JSON Schema, and an execute that does not throw for what a model did. */
export interface SkillTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** `skill` for tools that a skill brought. */
  readonly operation: Operation | "skill";
  /** MCP's hints. */
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean; readonly openWorldHint: boolean };
  /** What must be asked before this input may run; undefined when nothing. */
  approval(input: unknown, options: { readonly callId: string; readonly signal?: AbortSignal }): Promise<Approval | undefined>;
  /** @throws SkillError `aborted`, `session-closed` */
  execute(input: unknown, options: ToolCallOptions): Promise<ToolResult>;
}
