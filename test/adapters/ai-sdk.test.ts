import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type ModelMessage, stepCountIs, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { toAiSdk } from "skillwright/adapters/ai-sdk";
import type { Driver, ModelRequest, ModelStep, Reply, SendOptions } from "./driver.ts";
import { runScenarios } from "./scenarios.ts";

let calls = 0;

/** A model of the AI SDK that follows a script and keeps what it was asked. */
function scripted(script: readonly ModelStep[], requests: ModelRequest[]): MockLanguageModelV4 {
  let step = 0;
  return new MockLanguageModelV4({
    doStream: async (options) => {
      requests.push(readRequest(options));
      const now = script[step++] ?? { say: "(the script has ended)" };
      return { stream: ReadableStream.from(partsOf(now)) };
    },
  });
}

function* partsOf(step: ModelStep): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  if ("say" in step) {
    yield { type: "text-start", id: "t" };
    for (const word of step.say.split(/(?<= )/)) yield { type: "text-delta", id: "t", delta: word };
    yield { type: "text-end", id: "t" };
  } else {
    for (const call of step.calls)
      yield { type: "tool-call", toolCallId: `call-${++calls}`, toolName: call.tool, input: JSON.stringify(call.input) };
  }
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  yield {
    type: "finish",
    finishReason: { unified: "say" in step ? "stop" : "tool-calls", raw: undefined },
    usage: { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } },
  };
}

function readRequest({ prompt, tools }: LanguageModelV4CallOptions): ModelRequest {
  const rest = prompt.filter((message) => message.role !== "system");
  const media = [...JSON.stringify(rest).matchAll(/"type":"file"[^}]*"mediaType":"([^"]+)"|"mediaType":"([^"]+)"/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  return {
    system: prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n"),
    tools: (tools ?? []).map((tool) => tool.name),
    messages: textsOf(rest),
    media,
  };
}

/** Every text of some messages, as the model reads it. */
function textsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textsOf).join("\n");
  if (typeof value === "object" && value !== null) return Object.values(value).map(textsOf).join("\n");
  return "";
}

const driver: Driver = {
  name: "ai-sdk",
  open: async (session, saved) => {
    let history: ModelMessage[] = saved === undefined ? [] : JSON.parse(saved);
    let waiting: { readonly approvalId: string }[] = [];
    const go = async (script: readonly ModelStep[], options: SendOptions = {}): Promise<Reply> => {
      const requests: ModelRequest[] = [];
      const pieces: string[] = [];
      waiting = [];
      const result = streamText({
        model: scripted(script, requests),
        ...toAiSdk(session),
        messages: history,
        stopWhen: stepCountIs(20),
        onError: () => {},
        ...(options.signal ? { abortSignal: options.signal } : {}),
      });
      for await (const part of result.fullStream) {
        if (part.type === "text-delta") pieces.push(part.text);
        else if (part.type === "tool-approval-request") waiting.push({ approvalId: part.approvalId });
        else if (part.type === "error") throw part.error;
        else if (part.type === "abort") throw new Error("aborted");
      }
      history = [...history, ...(await result.responseMessages)];
      return { text: await result.text, requests, pieces, waiting: waiting.length > 0 };
    };
    return {
      send: (prompt, script, options) => {
        history = [...history, { role: "user", content: prompt }];
        return go(script, options);
      },
      answer: (approved, script) => {
        const approvals = waiting.length > 0 ? waiting : openApprovals(history);
        history = [
          ...history,
          { role: "tool", content: approvals.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved })) },
        ];
        return go(script);
      },
      save: () => JSON.stringify(history),
    };
  },
};

function openApprovals(history: readonly ModelMessage[]): { approvalId: string }[] {
  return history.flatMap((message) =>
    message.role === "assistant" && Array.isArray(message.content)
      ? message.content.flatMap((part) => (part.type === "tool-approval-request" ? [{ approvalId: part.approvalId }] : []))
      : [],
  );
}

runScenarios(driver);
