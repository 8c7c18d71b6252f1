import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, type LanguageModel, stepCountIs } from "ai";
import type { SkillSession } from "skillwright";
import { toAiSdk } from "skillwright/adapters/ai-sdk";
import { createAgent } from "skillwright/agent";
import { localSandbox } from "skillwright/sandboxes/local";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeLibrary, skillFile } from "../session/make-library.ts";
import { anthropicFormat, openAiFormat, startModelServer, type Turn, type WireFormat } from "./model-server.ts";

const tree = {
  "tally/SKILL.md": skillFile("tally", "Run `sh scripts/count.sh <file>`."),
  "tally/references/guide.md": "One line is one bird.",
  "tally/scripts/count.sh": '#!/bin/sh\ngrep -c . "$1"\n',
};

/** The four turns of the main job: load, read, run, answer. */
const script: readonly Turn[] = [
  { tool: "load_skill", input: { name: "tally" } },
  { tool: "read_skill_resource", input: { name: "tally", path: "references/guide.md" } },
  { tool: "run_command", input: { command: "sh scripts/count.sh inputs/birds.txt" } },
  { say: "There are three birds." },
];

const birds = { name: "birds.txt", data: new TextEncoder().encode("heron\ncrane\nstork\n") };

const providers: readonly (readonly [string, WireFormat, (url: string) => LanguageModel])[] = [
  [
    "OpenAI's chat completions",
    openAiFormat,
    (url) => createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, includeUsage: true })("scripted"),
  ],
  ["Anthropic's messages", anthropicFormat, (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })("claude-sonnet-4-5")],
];

async function openSession(): Promise<SkillSession> {
  const { library } = await makeLibrary(tree);
  const session = await library.openSession({ sandbox: localSandbox() });
  onTestFinished(() => session.close());
  return session;
}

/** What each request must carry: the tools always, and the results as they come. */
function checkTurns(bodies: readonly Readonly<Record<string, unknown>>[]): void {
  expect(bodies).toHaveLength(4);
  const texts = bodies.map((body) => JSON.stringify(body));
  for (const text of texts) {
    expect(text.match(/<available_skills>/g)).toHaveLength(1);
    expect(text).toContain('"run_command"');
  }
  expect(texts[1]).toContain("sh scripts/count.sh");
  expect(texts[2]).toContain("One line is one bird.");
  expect(texts[3]).toContain("Exit code 0.");
  expect(texts[3]).toMatch(/stdout:\\+n3/);
}

describe.each(providers)("over %s", (_name, format, modelOf) => {
  test("the four turns, streamed", async () => {
    const server = await startModelServer(format, script);
    const agent = createAgent({ model: modelOf(server.url), session: await openSession() });
    const result = await agent.run({ prompt: "How many birds?", files: [birds] });
    expect(result.text).toBe("There are three birds.");
    expect(result.steps).toBe(4);
    expect(server.bodies.every((body) => body.stream === true)).toBe(true);
    checkTurns(server.bodies);
  });

  test("the four turns, whole", async () => {
    const server = await startModelServer(format, script);
    const session = await openSession();
    const path = await session.putFile(birds.name, birds.data);
    const result = await generateText({
      model: modelOf(server.url),
      ...toAiSdk(session),
      prompt: `How many birds are in ${path}?`,
      stopWhen: stepCountIs(8),
    });
    expect(result.text).toBe("There are three birds.");
    checkTurns(server.bodies);
  });

  test("an unknown tool and wrong JSON are answered, and the run goes on", async () => {
    const faulty: readonly Turn[] = [
      { tool: "load_skills", input: { name: "tally" } },
      { tool: "load_skill", input: { name: ["tally"] } },
      { say: "Sorry." },
    ];
    const server = await startModelServer(format, faulty);
    const agent = createAgent({ model: modelOf(server.url), session: await openSession() });
    const result = await agent.run({ prompt: "How many birds?" });
    expect(result.text).toBe("Sorry.");
    expect(JSON.stringify(server.bodies[1])).toContain("load_skill");
    expect(JSON.stringify(server.bodies[2])).toContain("must be a text");
  });
});
