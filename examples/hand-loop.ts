// A hand-written loop against any OpenAI-compatible server, with nothing but fetch.
// Offline by default; for a real model: OPENAI_BASE_URL=… OPENAI_API_KEY=… MODEL=… node examples/hand-loop.ts
import { fileURLToPath } from "node:url";
import { openSkills } from "skillwright";
import { type ChatMessage, startOfflineServer } from "./offline-server.ts";

const offline = process.env.OPENAI_BASE_URL
  ? undefined
  : await startOfflineServer([
      { tool: "load_skill", input: { name: "eli5" } },
      { say: "A black hole is like a drain in the bathtub of space." },
    ]);

async function chat(messages: readonly ChatMessage[], tools: readonly unknown[]): Promise<ChatMessage> {
  const response = await fetch(`${offline?.url ?? process.env.OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${process.env.OPENAI_API_KEY ?? "none"}` },
    body: JSON.stringify({ model: process.env.MODEL ?? "scripted", messages, ...(tools.length > 0 ? { tools } : {}) }),
  });
  if (!response.ok) throw new Error(`The server answered ${response.status}: ${await response.text()}`);
  const body = (await response.json()) as { choices: [{ message: ChatMessage }] };
  return body.choices[0].message;
}

const library = await openSkills(fileURLToPath(new URL("skills", import.meta.url)));
const session = await library.openSession();
const messages: ChatMessage[] = [{ role: "user", content: "Explain black holes to a five-year-old." }];
for (;;) {
  const { instructions, tools } = await session.beforeRequest();
  const offered = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  const answer = await chat([{ role: "system", content: instructions }, ...messages], offered);
  messages.push(answer);
  if (!answer.tool_calls?.length) break;
  for (const { id, function: call } of answer.tool_calls) {
    const { text } = await session.call(call.name, call.arguments, { callId: id });
    messages.push({ role: "tool", tool_call_id: id, content: text });
  }
}
console.log(messages.at(-1)?.content);

if (offline !== undefined && !session.active.some((skill) => skill.name === "eli5")) throw new Error("The skill was not loaded.");
await session.close();
await library.close();
offline?.close();
