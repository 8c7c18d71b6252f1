import { type LanguageModel, type ModelMessage, stepCountIs, streamText, type ToolSet } from "ai";
import { toAiSdk } from "../adapters/ai-sdk.ts";
import { type OnEvent, SkillError } from "../core/index.ts";
import type { SkillSession } from "../session/index.ts";

/** Options of an agent. */
export interface AgentOptions {
  /** Any model of the AI SDK. */
  readonly model: LanguageModel;
  readonly session: SkillSession;
  readonly instructions?: string;
  /** The host's own tools. */
  readonly tools?: ToolSet;
  /** Model requests in one run at most. @default 20 */
  readonly maxSteps?: number;
  readonly onEvent?: OnEvent;
}

/** One task for an agent. */
export interface AgentTask {
  readonly prompt: string;
  /** Files that the person hands in; commands find them under `inputs/`. */
  readonly files?: readonly { readonly name: string; readonly data: Uint8Array }[];
  /** The conversation so far, as an earlier result gave it. */
  readonly messages?: readonly ModelMessage[];
  readonly signal?: AbortSignal;
}

/** What a run came to. */
export interface AgentResult {
  readonly text: string;
  /** The whole conversation, to go on with. */
  readonly messages: readonly ModelMessage[];
  readonly steps: number;
  readonly finishReason: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** Calls that wait for a person; answer them with {@link Agent.resume}. */
  readonly approvals: readonly { readonly approvalId: string; readonly callId: string; readonly tool: string; readonly input: unknown }[];
  readonly durationMs: number;
}

/** The agent loop of the AI SDK over a session. */
export interface Agent {
  run(task: AgentTask): Promise<AgentResult>;
  /** Goes on with a run that waited for approvals, in this process or another. */
  resume(
    messages: readonly ModelMessage[],
    answers: readonly { readonly approvalId: string; readonly approved: boolean; readonly reason?: string }[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<AgentResult>;
}

/** Creates an agent on the AI SDK: the session gives it skills, the model decides, events tell what happens. */
export function createAgent(options: AgentOptions): Agent {
  const { session, onEvent = () => {} } = options;
  return {
    run: async ({ prompt, files = [], messages = [], signal }) => {
      const paths: string[] = [];
      for (const file of files) paths.push(await session.putFile(file.name, file.data));
      const content = paths.length === 0 ? prompt : `${prompt}\n\nFiles: ${paths.join(", ")}`;
      return loop(options, [...messages, { role: "user", content }], onEvent, signal);
    },
    resume: (messages, answers, { signal } = {}) => {
      const content = answers.map(({ approvalId, approved, reason }) => ({
        type: "tool-approval-response" as const,
        approvalId,
        approved,
        ...(reason === undefined ? {} : { reason }),
      }));
      return loop(options, [...messages, { role: "tool", content }], onEvent, signal);
    },
  };
}

async function loop(
  options: AgentOptions,
  messages: ModelMessage[],
  onEvent: OnEvent,
  signal: AbortSignal | undefined,
): Promise<AgentResult> {
  const started = performance.now();
  let stepStarted = started;
  let step = 0;
  let failure: unknown;
  const run = streamText({
    model: options.model,
    ...toAiSdk(options.session, {
      ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
      ...(options.tools === undefined ? {} : { tools: options.tools }),
    }),
    messages,
    stopWhen: stepCountIs(options.maxSteps ?? 20),
    ...(signal ? { abortSignal: signal } : {}),
    onError: ({ error }) => {
      failure ??= error;
    },
  });
  const approvals: AgentResult["approvals"][number][] = [];
  for await (const part of run.fullStream) {
    if (part.type === "start-step") {
      stepStarted = performance.now();
      onEvent({ type: "step-started", step: ++step });
    } else if (part.type === "text-delta") onEvent({ type: "text", text: part.text });
    else if (part.type === "tool-approval-request") {
      approvals.push({
        approvalId: part.approvalId,
        callId: part.toolCall.toolCallId,
        tool: part.toolCall.toolName,
        input: part.toolCall.input,
      });
    } else if (part.type === "finish-step") {
      const { inputTokens = 0, outputTokens = 0 } = part.usage;
      onEvent({ type: "step-finished", step, inputTokens, outputTokens, durationMs: performance.now() - stepStarted });
    } else if (part.type === "error") failure ??= part.error;
    else if (part.type === "abort") failure ??= new SkillError("aborted", "The run was cancelled.");
  }
  if (failure !== undefined) throw failure;
  const [text, usage, finishReason, answered] = [await run.text, await run.totalUsage, await run.finishReason, await run.responseMessages];
  return {
    text,
    messages: [...messages, ...answered],
    steps: step,
    finishReason,
    usage: { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 },
    approvals,
    durationMs: performance.now() - started,
  };
}
