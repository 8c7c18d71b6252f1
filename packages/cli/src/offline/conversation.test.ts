import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { readConversation } from "./conversation.ts";

const ask = (text: string): LanguageModelV4Prompt[number] => ({ role: "user", content: [{ type: "text", text }] });

test.each<[string, string, string, string[]]>([
  ["a line of files", "Add it up.\n\nFiles: inputs/a.csv, inputs/b c.csv", "Add it up.", ["inputs/a.csv", "inputs/b c.csv"]],
  ["a Chinese line of files", "识别文字\n\n文件：inputs/图 1.png、inputs/b.png", "识别文字", ["inputs/图 1.png", "inputs/b.png"]],
  [
    "a list of files",
    "Add it up.\n\nFiles given:\n- inputs/a b.csv\n- `inputs/c.csv` (2 kB)",
    "Add it up.",
    ["inputs/a b.csv", "inputs/c.csv"],
  ],
  ["a file in the sentence", "What does inputs/a.png say?", "What does inputs/a.png say?", ["inputs/a.png"]],
  ["a file in backticks", "Read `inputs/a b.png`.", "Read `inputs/a b.png`.", ["inputs/a b.png"]],
  ["no file", "Read my mind.", "Read my mind.", []],
])("%s", (_, text, question, paths) => {
  const conversation = readConversation([ask(text)]);
  expect(conversation.question).toBe(question);
  expect(conversation.files.map((file) => file.path)).toEqual(paths);
});

const call = (id: string): LanguageModelV4Prompt[number] => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: "load_skill", input: { name: "a" } }],
});
const answer = (id: string, output: unknown): LanguageModelV4Prompt[number] =>
  ({ role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "load_skill", output }] }) as LanguageModelV4Prompt[number];

test("calls of earlier questions are told from those of the current one; files stay", () => {
  const { calls, files, question } = readConversation([
    ask("First\n\nFiles: inputs/a.csv"),
    call("1"),
    answer("1", { type: "text", value: "one" }),
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ask("Second"),
    call("2"),
  ]);
  expect(calls.map(({ current, answer: said }) => [current, said?.text])).toEqual([
    [false, "one"],
    [true, undefined],
  ]);
  expect(files.map((file) => file.path)).toEqual(["inputs/a.csv"]);
  expect(question).toBe("Second");
});

test("a message that shows what a tool found is not the question", () => {
  const shown: LanguageModelV4Prompt[number] = {
    role: "user",
    content: [
      { type: "text", text: "Content of logo.png" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
    ],
  };
  const { question, calls } = readConversation([ask("Read it"), call("1"), answer("1", { type: "text", value: "ok" }), shown]);
  expect(question).toBe("Read it");
  expect(calls[0]?.current).toBe(true);
});

test.each<[string, unknown, object]>([
  ["text", { type: "text", value: "fine" }, { text: "fine", outcome: "ok" }],
  ["JSON", { type: "json", value: { exit_code: 0 } }, { data: { exit_code: 0 }, outcome: "ok" }],
  ["JSON as text", { type: "text", value: '{"exit_code":0}' }, { data: { exit_code: 0 }, outcome: "ok" }],
  ["broken JSON", { type: "text", value: "{half" }, { text: "{half", data: undefined, outcome: "ok" }],
  [
    "parts",
    {
      type: "content",
      value: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    { text: "a\nb", outcome: "ok" },
  ],
  ["an error", { type: "error-text", value: "no" }, { text: "no", outcome: "failed" }],
  ["an error as JSON", { type: "error-json", value: { error: "no" } }, { data: { error: "no" }, outcome: "failed" }],
  ["a refusal by the person", { type: "execution-denied", reason: "Not now." }, { text: "Not now.", outcome: "denied" }],
])("an answer as %s", (_, output, expected) => {
  expect(readConversation([ask("Go"), call("1"), answer("1", output)]).calls[0]?.answer).toMatchObject(expected);
});
