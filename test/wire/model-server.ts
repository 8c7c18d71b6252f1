import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What a scripted model does in one turn. */
export type Turn = { readonly say: string } | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** A model behind HTTP on loopback that follows a script and keeps the bodies it was sent. */
export interface ModelServer {
  readonly url: string;
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
}

/** How one provider writes a turn, whole and as events. */
export interface WireFormat {
  readonly path: string;
  whole(turn: Turn, index: number): unknown;
  events(turn: Turn, index: number): readonly string[];
}

/** Starts a server that answers in a provider's wire format; it is gone after the test. */
export async function startModelServer(format: WireFormat, script: readonly Turn[]): Promise<ModelServer> {
  const bodies: Record<string, unknown>[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readJson(request);
    if (request.url !== format.path) {
      response.writeHead(404).end();
      return;
    }
    const index = bodies.push(body) - 1;
    const turn = script[index] ?? { say: "(the script has ended)" };
    if (body.stream === true) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of format.events(turn, index)) response.write(event);
      response.end();
    } else {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(format.whole(turn, index)));
    }
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text) as Record<string, unknown>;
}

/** OpenAI's chat completions. */
export const openAiFormat: WireFormat = {
  path: "/v1/chat/completions",
  whole: (turn, index) => ({
    id: `chat-${index}`,
    object: "chat.completion",
    created: 1,
    model: "scripted",
    choices: [
      { index: 0, message: { role: "assistant", ...openAiMessage(turn, index) }, finish_reason: "say" in turn ? "stop" : "tool_calls" },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  }),
  events: (turn, index) => {
    const chunk = (delta: unknown, finish_reason: string | null = null): string =>
      `data: ${JSON.stringify({ id: `chat-${index}`, object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const usage = `data: ${JSON.stringify({ id: `chat-${index}`, object: "chat.completion.chunk", created: 1, model: "scripted", choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } })}\n\n`;
    if ("say" in turn)
      return [
        chunk({ role: "assistant", content: "" }),
        ...halves(turn.say).map((content) => chunk({ content })),
        chunk({}, "stop"),
        usage,
        "data: [DONE]\n\n",
      ];
    const call = { index: 0, id: `call_${index}`, type: "function" };
    const parts = halves(JSON.stringify(turn.input)).map((part) => chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }));
    return [
      chunk({ role: "assistant", content: null, tool_calls: [{ ...call, function: { name: turn.tool, arguments: "" } }] }),
      ...parts,
      chunk({}, "tool_calls"),
      usage,
      "data: [DONE]\n\n",
    ];
  },
};

function openAiMessage(turn: Turn, index: number): object {
  if ("say" in turn) return { content: turn.say };
  return {
    content: null,
    tool_calls: [{ id: `call_${index}`, type: "function", function: { name: turn.tool, arguments: JSON.stringify(turn.input) } }],
  };
}

/** Anthropic's messages. */
export const anthropicFormat: WireFormat = {
  path: "/v1/messages",
  whole: (turn, index) => ({
    id: `msg_${index}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [
      "say" in turn ? { type: "text", text: turn.say } : { type: "tool_use", id: `toolu_${index}`, name: turn.tool, input: turn.input },
    ],
    stop_reason: "say" in turn ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  }),
  events: (turn, index) => {
    const event = (type: string, data: Record<string, unknown>): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const block = "say" in turn ? { type: "text", text: "" } : { type: "tool_use", id: `toolu_${index}`, name: turn.tool, input: {} };
    const deltas =
      "say" in turn
        ? halves(turn.say).map((text) => ({ type: "text_delta", text }))
        : halves(JSON.stringify(turn.input)).map((partial_json) => ({ type: "input_json_delta", partial_json }));
    return [
      event("message_start", {
        message: {
          id: `msg_${index}`,
          type: "message",
          role: "assistant",
          model: "scripted",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 100, output_tokens: 1 },
        },
      }),
      event("content_block_start", { index: 0, content_block: block }),
      ...deltas.map((delta) => event("content_block_delta", { index: 0, delta })),
      event("content_block_stop", { index: 0 }),
      event("message_delta", {
        delta: { stop_reason: "say" in turn ? "end_turn" : "tool_use", stop_sequence: null },
        usage: { output_tokens: 10 },
      }),
      event("message_stop", {}),
    ];
  },
};

/** Splits a text in two, so that a reader must join what it was streamed. */
function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}
