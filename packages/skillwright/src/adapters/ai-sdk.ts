import { type Instructions, jsonSchema, type ModelMessage, type PrepareStepFunction, type Tool, type ToolSet } from "ai";
import type { HistoryMessage, Media, RequestView, SkillSession, SkillTool, ToolResult } from "../session/index.ts";

/** Options of {@link toAiSdk}. */
export interface AiSdkOptions {
  /** The host's own instructions; the skills' come after them. */
  readonly instructions?: string;
  /** The host's own tools; those that `toolsOnLoad` names appear when a skill asks for them. */
  readonly tools?: ToolSet;
  /** The host's own step preparation; its result wins where both answer. */
  readonly prepareStep?: PrepareStepFunction<ToolSet>;
}

/** What to spread into `new ToolLoopAgent(...)`, `generateText(...)` or `streamText(...)`. */
export interface AiSdkSkills {
  readonly instructions: string;
  readonly tools: ToolSet;
  readonly prepareStep: PrepareStepFunction<ToolSet>;
}

/** What a tool answers to the AI SDK: plain JSON, so that it survives a stored UI message. */
interface AiSdkOutput {
  readonly text: string;
  readonly isError: boolean;
  readonly data: ToolResult["data"];
  readonly media?: readonly { readonly name: string; readonly mediaType: string; readonly base64: string }[];
}

/** Adapts a session to the AI SDK (6 and 7): its instructions, tools, approvals and media, kept fresh from step to step. */
export function toAiSdk(session: SkillSession, options: AiSdkOptions = {}): AiSdkSkills {
  const own = options.tools ?? {};
  // The SDK keeps this very object for the whole loop: tools that a skill brings are put into it between two steps.
  const tools: ToolSet = { ...own };
  const offer = (view: Pick<RequestView, "tools">): void => {
    for (const tool of view.tools) tools[tool.name] ??= toAiSdkTool(tool);
  };
  offer(session);
  return {
    instructions: join(options.instructions, session.instructions),
    tools,
    prepareStep: async (step) => {
      const history = step.messages.map(toHistory);
      const before = session.instructions;
      const view = await session.beforeRequest({ history, turn: turnOf(step.messages) });
      offer(view);
      const active = activeNames(Object.keys(own), view);
      const messages = applyView(step.messages, view);
      const host = await options.prepareStep?.({ ...step, messages });
      return {
        instructions: withSkills(options.instructions ?? step.initialInstructions, before, view.instructions),
        activeTools: [...active],
        ...(messages === step.messages ? {} : { messages }),
        ...host,
      };
    },
  };
}

function toAiSdkTool(tool: SkillTool): Tool<unknown, AiSdkOutput> {
  return {
    description: tool.description,
    inputSchema: jsonSchema<unknown>(tool.inputSchema as Parameters<typeof jsonSchema>[0]),
    needsApproval: async (input, { toolCallId }) => (await tool.approval(input, { callId: toolCallId })) !== undefined,
    execute: async (input, { toolCallId, abortSignal }) => {
      // Reached only when nothing had to be asked, or when the user said yes.
      const asked = await tool.approval(input, { callId: toolCallId });
      const result = await tool.execute(input, {
        callId: toolCallId,
        ...(asked === undefined ? {} : { approved: true }),
        ...(abortSignal ? { signal: abortSignal } : {}),
      });
      return toOutput(result);
    },
    toModelOutput: ({ output }) => {
      if (output.isError) return { type: "error-text", value: output.text };
      const media = output.media ?? [];
      if (media.length === 0) return { type: "text", value: output.text };
      return {
        type: "content",
        value: [
          { type: "text", text: output.text },
          ...media.map(({ name, mediaType, base64 }) => ({
            type: "file" as const,
            data: { type: "data" as const, data: base64 },
            mediaType,
            filename: name,
          })),
        ],
      };
    },
  };
}

function toOutput({ text, isError, data, media = [] }: ToolResult): AiSdkOutput {
  const shown = media
    .filter((item) => shownByModels.test(item.mediaType))
    .map(({ name, mediaType, data: bytes }) => ({ name, mediaType, base64: toBase64(bytes) }));
  return { text, isError, data, ...(shown.length > 0 ? { media: shown } : {}) };
}

/** Kinds of bytes that providers take; others are named in the text alone. */
const shownByModels = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf|audio\/)/;

function toBase64(bytes: Media["data"]): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}

function join(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

/** The host's instructions with the skills' text exactly once, whatever stood there before. */
function withSkills(host: Instructions | undefined, before: string, skills: string): Instructions {
  if (host === undefined || typeof host === "string") return join(host === undefined ? undefined : without(host, before), skills);
  const list = Array.isArray(host) ? host : [host];
  return [
    ...list.map((message) => ({ ...message, content: without(message.content, before) })),
    ...(skills === "" ? [] : [{ role: "system" as const, content: skills }]),
  ];
}

function without(text: string, part: string): string {
  return part === "" ? text : text.replace(part, () => "").trim();
}

function activeNames(own: readonly string[], view: RequestView): Set<string> {
  const disabled = new Set(view.disabledHostTools);
  return new Set([...own.filter((name) => !disabled.has(name)), ...view.tools.map((tool) => tool.name)]);
}

/** One turn lasts from a user's message to the next, across approvals and their resumption. */
function turnOf(messages: readonly ModelMessage[]): string {
  const users = messages.filter((message) => message.role === "user");
  return `${users.length}:${JSON.stringify(users.at(-1)?.content ?? "").length}`;
}

function toHistory(message: ModelMessage): HistoryMessage {
  if (typeof message.content === "string") return { role: message.role, text: message.content };
  const text: string[] = [];
  const toolCalls: { callId: string; tool: string; input: unknown }[] = [];
  const toolResults: { callId: string; tool: string; text: string }[] = [];
  for (const part of message.content) {
    if (part.type === "text") text.push(part.text);
    else if (part.type === "tool-call") toolCalls.push({ callId: part.toolCallId, tool: part.toolName, input: part.input });
    else if (part.type === "tool-result") toolResults.push({ callId: part.toolCallId, tool: part.toolName, text: outputText(part.output) });
  }
  return { role: message.role, text: text.join("\n"), toolCalls, toolResults };
}

function outputText(output: { readonly type: string; readonly value?: unknown }): string {
  if (typeof output.value === "string") return output.value;
  return output.value === undefined ? "" : JSON.stringify(output.value);
}

/** Rewrites results of skills that left, and adds what the history cannot carry. */
function applyView(messages: ModelMessage[], view: RequestView): ModelMessage[] {
  if (view.edits.length === 0 && view.append.length === 0) return messages;
  const edits = new Map(view.edits.map((edit) => [edit.callId, edit.text]));
  const edited = messages.map((message): ModelMessage => {
    if (message.role !== "tool") return message;
    const content = message.content.map((part) => {
      const text = part.type === "tool-result" ? edits.get(part.toolCallId) : undefined;
      return part.type === "tool-result" && text !== undefined ? { ...part, output: { type: "text" as const, value: text } } : part;
    });
    return { ...message, content };
  });
  if (view.append.length === 0) return edited;
  const content = view.append.flatMap((part) =>
    part.type === "text"
      ? [{ type: "text" as const, text: part.text }]
      : [
          { type: "text" as const, text: part.label },
          { type: "file" as const, data: part.media.data, mediaType: part.media.mediaType },
        ],
  );
  return [...edited, { role: "user", content }];
}
