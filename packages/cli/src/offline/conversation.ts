import type { LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { kindOfPath } from "./file-kinds.ts";
import type { GivenFile } from "./fill-template.ts";

/** What a tool answered. */
export interface ToolAnswer {
  readonly text: string;
  /** The answer as an object, where it travelled as JSON. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly outcome: "ok" | "failed" | "denied";
}

/** One call of a conversation, with its answer once there is one. */
export interface PastCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer: ToolAnswer | undefined;
  /** Whether it belongs to the question being answered. */
  readonly current: boolean;
}

/** A prompt as the planner reads it. */
export interface Conversation {
  readonly system: readonly string[];
  readonly question: string;
  readonly files: readonly GivenFile[];
  readonly calls: readonly PastCall[];
}

/** Reads the messages that a model gets: instructions, the latest question, the files given with it, and the calls made so far. */
export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const answers = new Map<string, ToolAnswer>();
  const lastUser = prompt.findLastIndex((message, at) => message.role === "user" && !showsResults(prompt, at));
  const system: string[] = [];
  let question = "";
  let files: GivenFile[] = [];
  for (const [at, message] of prompt.entries()) {
    if (message.role === "system") system.push(message.content);
    else if (message.role === "user") {
      const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      const given = readFiles(text);
      if (given.length > 0) files = given;
      if (at === lastUser) question = withoutFiles(text);
    } else {
      for (const part of message.content) if (part.type === "tool-result") answers.set(part.toolCallId, readOutput(part.output));
    }
  }
  const calls = prompt.flatMap((message, at) => {
    if (message.role !== "assistant") return [];
    return message.content.flatMap((part): PastCall[] =>
      part.type === "tool-call"
        ? [{ toolName: part.toolName, input: asRecord(part.input) ?? {}, answer: answers.get(part.toolCallId), current: at > lastUser }]
        : [],
    );
  });
  return { system, question, files, calls };
}

/** Whether a user's message was put in by the host to show what a tool found: it stands behind the result and carries a file. */
function showsResults(prompt: LanguageModelV4Prompt, at: number): boolean {
  const message = prompt[at];
  return prompt[at - 1]?.role === "tool" && message?.role === "user" && message.content.some((part) => part.type === "file");
}

/** `Files: inputs/a.csv, inputs/b c.csv` on a line of its own. */
const fileList = /^\s*[^.?!。？！/]{0,40}[:：]\s*(inputs\/[^`\n]+?)\s*$/;
const listSeparator = /\s*[,，、]\s*(?=inputs\/)/;
const listedFile = /^\s*(?:[-*]\s+)?`?(inputs\/[^`\n]+?)`?(?:\s+[(（][^()（）]*[)）])?[.。]?\s*$/;

/** The paths below `inputs/` that a message names: one a line (names may hold blanks), in backticks, or as a word. */
function readFiles(text: string): GivenFile[] {
  const paths = new Set<string>();
  for (const line of text.split("\n")) {
    const listed = fileList.exec(line)?.[1]?.split(listSeparator) ?? listedFile.exec(line)?.slice(1);
    if (listed !== undefined) {
      for (const path of listed) paths.add(path.trim());
      continue;
    }
    for (const [, quoted, bare] of line.matchAll(/`(inputs\/[^`\n]+)`|(?<![\w/])(inputs\/[^\s`"'<>|,;:，、；：。（）()]+)/g)) {
      const path = quoted ?? bare?.replace(/[.!?]+$/, "");
      if (path !== undefined) paths.add(path);
    }
  }
  return [...paths].map((path) => ({ path, kind: kindOfPath(path) }));
}

/** The question without the lines that only list files, and without the line that introduces them. */
function withoutFiles(text: string): string {
  const lines = text.split("\n");
  const kept = lines.filter((line, at) => {
    if (fileList.test(line) || listedFile.test(line)) return false;
    return !(/[:：]\s*$/.test(line) && listedFile.test(lines[at + 1] ?? ""));
  });
  const rest = kept.join("\n").trim();
  return rest === "" ? text.trim() : rest;
}

function readOutput(output: LanguageModelV4ToolResultOutput): ToolAnswer {
  switch (output.type) {
    case "execution-denied":
      return { text: output.reason ?? "", data: undefined, outcome: "denied" };
    case "text":
    case "error-text":
      return { text: output.value, data: parseObject(output.value), outcome: output.type === "text" ? "ok" : "failed" };
    case "json":
    case "error-json": {
      const data = asRecord(output.value);
      return {
        text: data === undefined && typeof output.value === "string" ? output.value : JSON.stringify(output.value),
        data,
        outcome: output.type === "json" ? "ok" : "failed",
      };
    }
    case "content": {
      const text = output.value.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      return { text, data: parseObject(text), outcome: "ok" };
    }
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}
