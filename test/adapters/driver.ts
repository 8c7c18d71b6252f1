import type { SkillSession } from "skillwright";

/** What a scripted model does in one step: says something, or calls tools. */
export type ModelStep = { readonly say: string } | { readonly calls: readonly ScriptedCall[] };

/** One tool call of a scripted model; `input` may be broken on purpose. */
export interface ScriptedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a framework sent to its model, as far as the scenarios look at it. */
export interface ModelRequest {
  /** All system text. */
  readonly system: string;
  /** Names of the tools offered. */
  readonly tools: readonly string[];
  /** All other messages as one text, tool results included. */
  readonly messages: string;
  /** Files that went along as bytes, by media type. */
  readonly media: readonly string[];
}

/** What came of one message to an agent. */
export interface Reply {
  readonly text: string;
  readonly requests: readonly ModelRequest[];
  /** Pieces in which the text came, where it was streamed. */
  readonly pieces: readonly string[];
  /** Whether the agent stopped to ask a person. */
  readonly waiting: boolean;
}

/** Options of one message. */
export interface SendOptions {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

/** An agent of the framework with a session, and the history it keeps between messages. */
export interface Conversation {
  send(prompt: string, script: readonly ModelStep[], options?: SendOptions): Promise<Reply>;
  /** Answers what the agent waits for, and goes on. */
  answer(approved: boolean, script: readonly ModelStep[]): Promise<Reply>;
  /** The history as plain JSON, to go on with in another process. */
  save(): string;
}

/** One framework under the scenarios. */
export interface Driver {
  readonly name: string;
  /** Scenarios that the framework cannot do, by number, and why. */
  readonly cannot?: Readonly<Record<number, string>>;
  open(session: SkillSession, saved?: string): Promise<Conversation>;
}
