import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** One message of a chat, as OpenAI-compatible servers take it. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
  readonly tool_call_id?: string;
}

/** What the scripted model says in its n-th turn. */
export type ScriptedTurn = { readonly say: string } | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** Starts a server on loopback that answers `/v1/chat/completions` by a script: a stand-in for a model, so that examples run offline. */
export async function startOfflineServer(script: readonly ScriptedTurn[]): Promise<{ readonly url: string; readonly close: () => void }> {
  let turn = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const now = script[turn++] ?? { say: "(the script has ended)" };
      const message =
        "say" in now
          ? { role: "assistant", content: now.say }
          : {
              role: "assistant",
              content: null,
              tool_calls: [{ id: `call-${turn}`, type: "function", function: { name: now.tool, arguments: JSON.stringify(now.input) } }],
            };
      const body = {
        id: `chat-${turn}`,
        object: "chat.completion",
        created: 1,
        model: "scripted",
        choices: [{ index: 0, message, finish_reason: "say" in now ? "stop" : "tool_calls" }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => void server.close() };
}
