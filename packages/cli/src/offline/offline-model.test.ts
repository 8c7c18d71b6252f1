import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateText, isStepCount, jsonSchema, tool } from "ai";
import { expect, test } from "vitest";
import { offlineModel } from "./offline-model.ts";

const system = '<available_skills>\n<skill name="table-report">Adds up a CSV table: totals of sales.</skill>\n</available_skills>';
const call: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text: "Total sales of this table?\n\nFiles: inputs/q.csv" }] },
  ],
  tools: [
    { type: "function", name: "load_skill", inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
  ],
};

async function parts(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await offlineModel().doStream(options);
  const all: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) all.push(part);
  return all;
}

test("a call streams as the same call that is generated", async () => {
  const { content, finishReason } = await offlineModel().doGenerate(call);
  expect(finishReason.unified).toBe("tool-calls");
  expect(content).toEqual([
    { type: "tool-call", toolCallId: expect.any(String), toolName: "load_skill", input: '{"name":"table-report"}' },
  ]);
  const streamed = await parts(call);
  expect(streamed.map((part) => part.type)).toEqual([
    "stream-start",
    "tool-input-start",
    "tool-input-delta",
    "tool-input-end",
    "tool-call",
    "finish",
  ]);
  expect(streamed[4]).toEqual(content[0]);
});

test("an answer streams line by line to the same text", async () => {
  const noTools = { ...call, tools: [] };
  const { content, finishReason } = await offlineModel().doGenerate(noTools);
  const streamed = await parts(noTools);
  const text = streamed.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  expect(finishReason.unified).toBe("stop");
  expect(content).toEqual([{ type: "text", text }]);
});

test("call ids are the same for the same prompt and differ for another", async () => {
  const id = async (options: LanguageModelV4CallOptions) => {
    const [part] = (await offlineModel().doGenerate(options)).content;
    return part?.type === "tool-call" ? part.toolCallId : "";
  };
  expect(await id(call)).toBe(await id(structuredClone(call)));
  expect(await id(call)).not.toBe(await id({ ...call, prompt: [...call.prompt, ...call.prompt] }));
});

test("counts tokens with the counter it is given", async () => {
  const { usage } = await offlineModel({ countTokens: () => 7 }).doGenerate(call);
  expect(usage).toMatchObject({ inputTokens: { total: 14 }, outputTokens: { total: 7 } });
});

test("tools that may not be called are not called", async () => {
  const { content } = await offlineModel().doGenerate({ ...call, toolChoice: { type: "none" } });
  expect(content[0]?.type).toBe("text");
});

test("stops when it is told to", async () => {
  await expect(offlineModel().doGenerate({ ...call, abortSignal: AbortSignal.abort() })).rejects.toThrow();
});

test("drives the AI SDK's own loop", async () => {
  const seen: unknown[] = [];
  const { text, steps } = await generateText({
    model: offlineModel(),
    instructions: system,
    prompt: "Total sales of this table?\n\nFiles: inputs/q.csv",
    stopWhen: isStepCount(5),
    tools: {
      load_skill: tool({
        inputSchema: jsonSchema<{ name: string }>({ type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
        execute: ({ name }) =>
          `<skill_content name="${name}">\n    bash scripts/sum.sh <csv_file>\n</skill_content>\n\n- scripts/sum.sh (script, 1 B)`,
      }),
      run_command: tool({
        inputSchema: jsonSchema<{ command: string; skill?: string }>({
          type: "object",
          properties: { command: { type: "string" }, skill: { type: "string" } },
          required: ["command"],
        }),
        execute: (input) => {
          seen.push(input);
          return "Exit code 0.\nstdout:\n42";
        },
      }),
    },
  });
  expect(seen).toEqual([{ skill: "table-report", command: "bash scripts/sum.sh inputs/q.csv" }]);
  expect(steps).toHaveLength(3);
  expect(text).toContain("```\n42\n```");
});
