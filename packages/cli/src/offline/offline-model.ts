import { createHash } from "node:crypto";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { type Plan, planNext } from "./planner.ts";

/** Options of the offline planner. */
export interface OfflineModelOptions {
  /** Counts tokens for the usage it reports. @default four characters a token */
  readonly countTokens?: (text: string) => number;
}

/**
 * A deterministic planner behind the AI SDK's model interface, for use without a key: not a language model, and its answers say so first.
 * It sees what a model sees (messages, tools, results), picks a skill, runs the command the skill documents, and reports the output.
 */
export function offlineModel(options: OfflineModelOptions = {}): LanguageModelV4 {
  const countTokens = options.countTokens ?? ((text: string) => Math.ceil(text.length / 4));

  function respond(call: LanguageModelV4CallOptions) {
    call.abortSignal?.throwIfAborted();
    const tools = call.toolChoice?.type === "none" ? [] : (call.tools ?? []).filter((tool) => tool.type === "function");
    const plan = planNext(call.prompt, tools);
    const content = toContent(plan, digestOf(call.prompt));
    const finishReason: LanguageModelV4FinishReason = { unified: plan.kind === "calls" ? "tool-calls" : "stop", raw: undefined };
    return { content, finishReason, usage: usageOf(call, content, countTokens), warnings: [] };
  }

  return {
    specificationVersion: "v4",
    provider: "skillwright",
    modelId: "offline",
    supportedUrls: {},
    doGenerate: async (call) => respond(call),
    doStream: async (call) => {
      const { content, finishReason, usage } = respond(call);
      const parts: LanguageModelV4StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap(toStreamParts),
        { type: "finish", finishReason, usage },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  };
}

function toContent(plan: Plan, promptDigest: string): LanguageModelV4Content[] {
  if (plan.kind === "answer") return [{ type: "text", text: plan.text }];
  return plan.calls.map(({ toolName, input }, at) => ({
    type: "tool-call",
    toolCallId: `offline-${promptDigest}-${at + 1}`,
    toolName,
    input: JSON.stringify(input),
  }));
}

/** Call ids come from the whole prompt: the same each time for one conversation, and different in all others. */
function digestOf(prompt: LanguageModelV4Prompt): string {
  return createHash("sha256").update(JSON.stringify(prompt)).digest("hex").slice(0, 12);
}

function toStreamParts(part: LanguageModelV4Content, at: number): LanguageModelV4StreamPart[] {
  if (part.type === "text") {
    const id = `text-${at}`;
    const lines = part.text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    return [
      { type: "text-start", id },
      ...lines.map((delta): LanguageModelV4StreamPart => ({ type: "text-delta", id, delta })),
      { type: "text-end", id },
    ];
  }
  if (part.type !== "tool-call") return [];
  const { toolCallId: id, toolName, input } = part;
  return [{ type: "tool-input-start", id, toolName }, { type: "tool-input-delta", id, delta: input }, { type: "tool-input-end", id }, part];
}

function usageOf(
  call: LanguageModelV4CallOptions,
  content: readonly LanguageModelV4Content[],
  countTokens: (text: string) => number,
): LanguageModelV4Usage {
  const input = countTokens(JSON.stringify(call.prompt)) + countTokens(JSON.stringify(call.tools ?? []));
  const output = countTokens(
    content.map((part) => (part.type === "text" ? part.text : part.type === "tool-call" ? part.input : "")).join(""),
  );
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}
