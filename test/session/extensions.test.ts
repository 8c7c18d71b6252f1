import type { SkillEvent } from "skillwright";
import { localSandbox } from "skillwright/sandboxes/local";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeLibrary, skillFile } from "./make-library.ts";

const load = (name: string) => [`load_skill`, { name }] as const;

describe("tools that a skill brings", () => {
  const tree = {
    "birds/SKILL.md": skillFile("birds"),
    "birds/tools.json": JSON.stringify([
      {
        name: "count_birds",
        description: "Counts birds.",
        inputSchema: { type: "object", properties: { file: { type: "string" }, note: { type: "string" } }, required: ["file"] },
        argv: ["sh", "scripts/count.sh", "{file}", "--note={note}"],
      },
      { name: "load_skill", description: "Takes a name that is taken.", argv: ["true"] },
      { name: "bad name", description: "x", argv: ["true"] },
    ]),
    "birds/scripts/count.sh": '#!/bin/sh\necho "$#:$1:$2"\n',
  };

  test("appear when it is active, run in the sandbox, and take each value as one word", async () => {
    const events: SkillEvent[] = [];
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({ sandbox: localSandbox(), onEvent: (event) => events.push(event) });
    onTestFinished(() => session.close());
    expect(session.tools.map((tool) => tool.name)).not.toContain("count_birds");
    await session.call(...load("birds"), { callId: "1" });
    const { tools } = await session.beforeRequest();
    expect(tools.map((tool) => tool.name)).toContain("count_birds");
    const result = await session.call("count_birds", { file: "a b; id" }, { callId: "2" });
    expect(result.text).toContain("1:a b; id:");
    expect((await session.call("count_birds", {}, { callId: "3" })).text).toContain('"file" is required');
    const refused = events.flatMap((event) => (event.type === "session-diagnostic" ? [event.diagnostic.message] : []));
    expect(refused).toEqual([expect.stringContaining('"load_skill" is taken'), expect.stringContaining("tool 3")].reverse());
  });

  test("are asked about like any run", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({ sandbox: localSandbox(), approve: "ask" });
    onTestFinished(() => session.close());
    await session.call(...load("birds"), { callId: "1" });
    await session.beforeRequest();
    const asked = await session.call("count_birds", { file: "x" }, { callId: "2" });
    expect(asked.pending?.summary).toContain("scripts/count.sh");
    expect((await session.resolve("2", { approved: true })).text).toContain("1:x:");
  });
});

describe("the host's tools", () => {
  const tree = {
    "sql/SKILL.md": skillFile("sql", "Ask.", "metadata:\n  adk_additional_tools:\n    - explain\n    - query\n    - lost\n"),
    "poem/SKILL.md": skillFile("poem"),
  };

  test("appear in the host's order when a skill names them; a name that is missing is told once", async () => {
    const events: SkillEvent[] = [];
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({
      toolsOnLoad: { tools: ["query", "explain", "drop"] },
      onEvent: (event) => events.push(event),
    });
    expect((await session.beforeRequest()).disabledHostTools).toEqual(["query", "explain", "drop"]);
    await session.call(...load("sql"), { callId: "1" });
    const view = await session.beforeRequest();
    expect(view.enabledHostTools).toEqual(["query", "explain"]);
    expect(view.disabledHostTools).toEqual(["drop"]);
    await session.unload("sql");
    await session.beforeRequest();
    const codes = events.flatMap((event) => (event.type === "session-diagnostic" ? [event.diagnostic.code] : []));
    expect(codes.sort()).toEqual(["prompt-cache-cost", "tool-missing"]);
  });

  test("are restricted by allowed-tools where the host wants it", async () => {
    const { library } = await makeLibrary({ "safe/SKILL.md": skillFile("safe", "Read.", "allowed-tools: Read Grep\n") });
    const session = await library.openSession({ enforceAllowedTools: true, hostTools: ["Read", "Write", "Grep"] });
    expect((await session.beforeRequest()).disabledHostTools).toEqual([]);
    await session.call(...load("safe"), { callId: "1" });
    expect((await session.beforeRequest()).disabledHostTools).toEqual(["Write"]);
  });
});

describe("state and arguments", () => {
  const tree = {
    "mail/SKILL.md": skillFile("mail", "Write to {user:name} about `{user:name}`.", "metadata:\n  skillwright-inject-state: true\n"),
    "fix/SKILL.md": skillFile("fix", "Fix issue $issue. All: $ARGUMENTS", "arguments: [issue]\n"),
    "plain/SKILL.md": skillFile("plain", "Costs $1,000; awk '{print $2}'"),
  };

  test("fill a body that asks for it", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({ state: { "user:name": "Ada $&" } });
    expect((await session.call(...load("mail"), { callId: "1" })).text).toContain("Write to Ada $& about `{user:name}`.");
    expect(await session.rehydrate()).toContain("Write to Ada $&");
  });

  test("that are missing leave no half-active skill", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession();
    const result = await session.call(...load("mail"), { callId: "1" });
    expect(result).toMatchObject({ isError: true, data: { code: "state-missing" }, text: expect.stringContaining("user:name") });
    expect(session.active).toEqual([]);
  });

  test("fill what the user wrote after the name, where the skill declares it", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession();
    expect((await session.activate("fix", '42 "now"')).text).toContain('Fix issue 42. All: 42 "now"');
    const plain = (await session.activate("plain", "x y")).text;
    expect(plain).toContain("Costs $1,000; awk '{print $2}'");
    expect(plain).toContain("Arguments: x y");
  });
});

describe("who may call", () => {
  const tree = {
    "both/SKILL.md": skillFile("both"),
    "user-only/SKILL.md": skillFile("user-only", "x", "disable-model-invocation: true\n"),
    "model-only/SKILL.md": skillFile("model-only", "x", "user-invocable: false\n"),
    "nobody/SKILL.md": skillFile("nobody", "x", "disable-model-invocation: true\nuser-invocable: false\n"),
  };

  test.each([
    ["both", true, true],
    ["user-only", false, true],
    ["model-only", true, false],
    ["nobody", false, false],
  ])("%s: model %s, user %s", async (name, model, user) => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession();
    expect(session.instructions.includes(`"${name}"`)).toBe(model);
    expect((await session.call(...load(name), { callId: "1" })).isError).toBe(!model);
    const other = await library.openSession();
    expect((await other.activate(name)).isError).toBe(!user);
  });

  test("a hidden skill is absent everywhere", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({ scope: { deny: ["both"] } });
    expect(session.instructions).not.toContain("both");
    const result = await session.call(...load("both"), { callId: "1" });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain('Did you mean "both"');
  });
});

describe("composition", () => {
  const tree = {
    "base/SKILL.md": skillFile("base"),
    "top/SKILL.md": skillFile(
      "top",
      "x",
      "metadata:\n  skillwright-requires: base gone\n  skillwright-conflicts: other\n  skillwright-rules: Never guess.\n",
    ),
    "other/SKILL.md": skillFile("other"),
  };

  test("offers what a skill builds on, names a conflict and the rule that decides, repeats its rules, and loads nothing unasked", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession();
    await session.call(...load("other"), { callId: "1" });
    const { text } = await session.call(...load("top"), { callId: "2" });
    expect(text).toContain('builds on "base"');
    expect(text).toContain('"gone", which this library does not have');
    expect(text).toContain('contradicts "other"');
    expect(text).toContain("Never guess.");
    expect(session.active.map((skill) => skill.name)).toEqual(["other", "top"]);
  });
});

describe("skills that run apart", () => {
  const tree = {
    "deep/SKILL.md": skillFile("deep", "Dig.", "context: fork\nagent: digger\n"),
    "fast/SKILL.md": skillFile("fast", "Go.", "model: small\n"),
  };

  test("go to the host's agents", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({
      hosts: { agents: async ({ agent, content, mode }) => [`${agent} ${mode}: ${content.trim()}`] },
    });
    expect((await session.call(...load("deep"), { callId: "1" })).text).toMatch(/digger fork: .*Dig\./s);
    expect(session.active).toEqual([]);
  });

  test("without agents are a clear answer", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession();
    expect(await session.call(...load("deep"), { callId: "1" })).toMatchObject({ isError: true, data: { code: "hub-missing" } });
  });

  test("name their model for the rest of the turn", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({ hosts: { models: (name) => name === "small" } });
    await session.beforeRequest({ turn: "1" });
    await session.call(...load("fast"), { callId: "1" });
    expect((await session.beforeRequest({ turn: "1" })).model).toBe("small");
    expect((await session.beforeRequest({ turn: "2" })).model).toBeUndefined();
  });
});

test("a long body is offered by section and loaded by heading, never cut in silence", async () => {
  const body = `Opening.\n\n## First\n\n${"one ".repeat(400)}\n\n## Second\n\nThe word is newt.`;
  const { library } = await makeLibrary({ "long/SKILL.md": skillFile("long", body) });
  const session = await library.openSession({ maxBodyTokens: 100 });
  const first = await session.call(...load("long"), { callId: "1" });
  expect(first.text).toContain('"First", "Second"');
  expect(first.text).not.toContain("newt");
  expect((await session.call("load_skill", { name: "long", section: "second" }, { callId: "2" })).text).toContain("The word is newt.");
});

describe("lifecycle", () => {
  const tree = { "a/SKILL.md": skillFile("a"), "b/SKILL.md": skillFile("b"), "c/SKILL.md": skillFile("c") };

  test("releases the least recently used beyond the cap; loading again counts as use", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({ lifecycle: { mode: "bounded", maxActive: 2 } });
    for (const [index, name] of ["a", "b", "a", "c"].entries()) await session.call(...load(name), { callId: `${index}` });
    expect(session.active.map((skill) => skill.name)).toEqual(["a", "c"]);
  });

  test("of a turn ends with it, and its body leaves the outgoing history", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({ loadMode: "turn" });
    await session.beforeRequest({ turn: "1" });
    const { text } = await session.call(...load("a"), { callId: "x" });
    const history = [{ role: "tool" as const, toolResults: [{ callId: "x", tool: "load_skill", text }] }];
    expect((await session.beforeRequest({ turn: "1", history })).edits).toEqual([]);
    const { edits } = await session.beforeRequest({ turn: "2", history });
    expect(edits).toEqual([{ callId: "x", text: expect.stringContaining("unloaded") }]);
    expect(session.active).toEqual([]);
  });

  test("of a preloaded skill is the session's: its body stands in the instructions and not in the catalogue", async () => {
    const { library } = await makeLibrary(tree);
    const session = await library.openSession({ preload: ["a"] });
    expect(session.instructions).toContain('<skill_content name="a"');
    expect(session.instructions).not.toContain('<skill name="a">');
  });
});

test("a child has fewer skills, its own active set, and the same workspace", async () => {
  const { library } = await makeLibrary({ "a/SKILL.md": skillFile("a"), "b/SKILL.md": skillFile("b") });
  const parent = await library.openSession({ sandbox: localSandbox() });
  onTestFinished(() => parent.close());
  await parent.call(...load("a"), { callId: "1" });
  const child = await parent.child({ agent: "main/helper", allow: ["b"] });
  expect(child.active).toEqual([]);
  expect((await child.call(...load("a"), { callId: "2" })).isError).toBe(true);
  await child.call(...load("b"), { callId: "3" });
  expect(parent.active.map((skill) => skill.name)).toEqual(["a"]);
  expect(await parent.child({ agent: "none", allow: "none" })).toMatchObject({ instructions: "", tools: [] });
});
