// Skills in an AI SDK agent: the script runs in the strongest sandbox that works here.
// Offline by default; for a real model: OPENAI_BASE_URL=… OPENAI_API_KEY=… MODEL=… node examples/ai-sdk.ts
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolLoopAgent } from "ai";
import { autoSandbox, openSkills } from "skillwright";
import { toAiSdk } from "skillwright/adapters/ai-sdk";
import { startOfflineServer } from "./offline-server.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const offline = process.env.OPENAI_BASE_URL
  ? undefined
  : await startOfflineServer([
      { tool: "load_skill", input: { name: "csv-report" } },
      { tool: "run_command", input: { command: "bash scripts/report.sh inputs/sales.csv" } },
      { say: "The South sold the most." },
    ]);
const provider = createOpenAICompatible({
  name: "example",
  baseURL: offline?.url ?? process.env.OPENAI_BASE_URL ?? "",
  apiKey: process.env.OPENAI_API_KEY ?? "none",
});

const library = await openSkills(at("skills"));
const { sandbox } = await autoSandbox();
const session = await library.openSession({ sandbox });
const path = await session.putFile("sales.csv", await readFile(at("data/sales.csv")));
const agent = new ToolLoopAgent({ model: provider(process.env.MODEL ?? "scripted"), ...toAiSdk(session) });
const { text, steps } = await agent.generate({ prompt: `Which region sold the most? The table is ${path}.` });
console.log(text);

const ran = JSON.stringify(steps.map((step) => step.toolResults));
if (offline !== undefined && !ran.includes("Top region: South")) throw new Error(`The script did not run: ${ran}`);
await session.close();
await library.close();
offline?.close();
