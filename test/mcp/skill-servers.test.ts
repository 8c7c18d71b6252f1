import type { ApprovalDecision, JsonObject, McpHub, SessionOptions, SkillEvent, SkillLibrary } from "skillwright";
import { memoryBlobStore, memorySessionStore, openSkills } from "skillwright";
import { expect, onTestFinished, test } from "vitest";
import { skillFile, type Tree, temporaryFolder, writeTree } from "../session/make-library.ts";

const weather = { command: "weather-server", args: ["--city", "Bonn"], env: { KEY: "secret" } };
const tree = {
  "rain/SKILL.md": skillFile("rain"),
  "rain/mcp.json": JSON.stringify({ mcpServers: { weather } }),
  "sun/SKILL.md": skillFile("sun"),
};

interface Call {
  readonly tool: string;
  readonly input: JsonObject;
}

/** A hub without programs: it records what it was asked to start, and what is open. */
function recordingHub(
  tools: readonly string[] = ["forecast"],
): McpHub & { started: unknown[]; calls: Call[]; open: number; fail?: string } {
  const hub = {
    started: [] as unknown[],
    calls: [] as Call[],
    open: 0,
    fail: undefined as string | undefined,
    async connect(server: { name: string; skill: string; location: string; config: JsonObject }) {
      hub.started.push({ name: server.name, skill: server.skill, config: server.config });
      if (hub.fail !== undefined) throw new Error(hub.fail);
      hub.open++;
      return {
        tools: tools.map((name) => ({
          name,
          description: `Does ${name}.`,
          inputSchema: { type: "object", properties: { day: { type: "string" } } },
        })),
        async call(tool: string, input: JsonObject) {
          hub.calls.push({ tool, input });
          if (input.day === "never") throw new Error("connection closed");
          return { text: `${tool}: ${JSON.stringify(input)}`, isError: input.day === "wrong" };
        },
        async close() {
          hub.open--;
        },
      };
    },
  };
  return hub as ReturnType<typeof recordingHub>;
}

async function libraryOf(
  files: Tree,
  trust: "trusted" | "untrusted" = "trusted",
): Promise<{ library: SkillLibrary; root: string; events: SkillEvent[] }> {
  const root = temporaryFolder();
  writeTree(root, files);
  const events: SkillEvent[] = [];
  const library = await openSkills({
    sources: [{ source: root, trust }],
    blobs: memoryBlobStore(),
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => library.close());
  return { library, root, events };
}

const diagnostics = (events: SkillEvent[]) => events.flatMap((event) => (event.type === "session-diagnostic" ? [event.diagnostic] : []));
const load = { name: "load_skill", input: (name: string) => ({ name }) };

async function loaded(library: SkillLibrary, hub: McpHub, options: SessionOptions = {}, skill = "rain") {
  const session = await library.openSession({ hosts: { mcp: hub }, ...options });
  await session.call(load.name, load.input(skill), { callId: "load" });
  await session.beforeRequest();
  return session;
}

const toolNames = (session: { tools: readonly { name: string }[] }) => session.tools.map((tool) => tool.name);

test("a server is asked about, started when a person said yes, and offers its tools under the skill's name", async () => {
  const { library } = await libraryOf(tree);
  const hub = recordingHub();
  const session = await loaded(library, hub);
  expect([hub.started, toolNames(session)]).toEqual([[], ["load_skill", "read_skill_resource"]]);
  const [question] = await session.pending();
  expect(question).toMatchObject({ id: "mcp:rain:weather", skill: "rain", summary: expect.stringContaining("weather-server --city Bonn") });
  expect(JSON.stringify(question)).not.toContain("secret");
  expect(await session.resolve("mcp:rain:weather", { approved: true })).toMatchObject({
    isError: false,
    text: expect.stringContaining("forecast"),
  });
  expect(hub.started).toEqual([{ name: "weather", skill: "rain", config: weather }]);
  expect(toolNames(session)).toContain("rain__forecast");
  const result = await session.call("rain__forecast", { day: "today" }, { callId: "1" });
  expect(result).toMatchObject({ isError: false, text: 'forecast: {"day":"today"}' });
  expect(await session.call("rain__forecast", { day: "today" }, { callId: "1" })).toEqual(result);
  expect(hub.calls).toHaveLength(1);
  expect(await session.call("rain__forecast", { day: "wrong" }, { callId: "2" })).toMatchObject({ isError: true });
  expect(await session.call("rain__forecast", { day: "never" }, { callId: "3" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("connection closed"),
  });
  await session.close();
  expect(hub.open).toBe(0);
});

test("a refusal is kept: nothing starts, and nobody is asked again", async () => {
  const { library } = await libraryOf(tree);
  const hub = recordingHub();
  const session = await loaded(library, hub);
  expect(await session.resolve("mcp:rain:weather", { approved: false })).toMatchObject({ isError: true });
  await session.call(load.name, load.input("sun"), { callId: "2" });
  await session.beforeRequest();
  expect([hub.started, await session.pending()]).toEqual([[], []]);
});

test.each<[ApprovalDecision, number]>([
  ["allow", 1],
  ["deny", 0],
  ["ask", 0],
])("the host's policy decides without a person: %s", async (approve, started) => {
  const { library, events } = await libraryOf(tree);
  const hub = recordingHub();
  const session = await loaded(library, hub, { approve });
  expect(hub.started).toHaveLength(started);
  expect(diagnostics(events).map(({ code }) => code)).toEqual(approve === "deny" ? ["mcp-server-refused"] : []);
  await session.close();
});

test("an answer is for the configuration that was asked about", async () => {
  const { library, root } = await libraryOf(tree);
  const hub = recordingHub();
  const session = await loaded(library, hub, { pin: "latest" });
  const changed = { mcpServers: { weather: { ...weather, args: ["--city", "Rome", "--and", "more"] } } };
  writeTree(root, { "rain/mcp.json": JSON.stringify(changed) });
  expect(await session.resolve("mcp:rain:weather", { approved: true })).toMatchObject({
    isError: true,
    text: expect.stringContaining("has changed"),
  });
  expect(hub.started).toEqual([]);
});

test("what was approved starts again when the session is continued", async () => {
  const store = memorySessionStore();
  const { library } = await libraryOf(tree);
  const hub = recordingHub();
  const session = await loaded(library, hub, { store, id: "s" });
  await session.resolve("mcp:rain:weather", { approved: true });
  await session.close();
  const again = await library.openSession({ store, id: "s", hosts: { mcp: hub } });
  expect([hub.started.length, toolNames(again)]).toEqual([2, expect.arrayContaining(["rain__forecast"])]);
  await again.close();
  expect(hub.open).toBe(0);
});

test("a server leaves with its skill", async () => {
  const { library } = await libraryOf(tree);
  const hub = recordingHub();
  const session = await loaded(library, hub, { approve: "allow" });
  expect(hub.open).toBe(1);
  await session.unload("rain");
  expect(hub.open).toBe(0);
  await session.beforeRequest();
  expect(toolNames(session)).not.toContain("rain__forecast");
});

test("a server that fails is one diagnostic, and the session works", async () => {
  const { library, events } = await libraryOf(tree);
  const hub = recordingHub();
  hub.fail = "no such program";
  const session = await loaded(library, hub, { approve: "allow" });
  await session.call(load.name, load.input("sun"), { callId: "2" });
  await session.beforeRequest();
  expect(diagnostics(events)).toMatchObject([{ code: "mcp-server-refused", message: expect.stringContaining("no such program") }]);
  expect(session.active.map((skill) => skill.name)).toEqual(["rain", "sun"]);
});

test("the servers of a skill that is not trusted are not even asked about", async () => {
  const { library, events } = await libraryOf(tree, "untrusted");
  const hub = recordingHub();
  const session = await loaded(library, hub, { approve: "allow" });
  expect([hub.started, await session.pending()]).toEqual([[], []]);
  expect(diagnostics(events)).toMatchObject([{ code: "mcp-server-refused", message: expect.stringContaining("not trusted") }]);
});

test("without a hub a mcp.json is a file like any other", async () => {
  const { library, events } = await libraryOf(tree);
  const session = await library.openSession();
  await session.call(load.name, load.input("rain"), { callId: "1" });
  await session.beforeRequest();
  expect([await session.pending(), diagnostics(events)]).toEqual([[], []]);
});

test.each([
  ["no JSON", "{"],
  ["a list", "[]"],
  ["no servers", "{}"],
  ["a server that is a text", JSON.stringify({ mcpServers: { weather: "weather-server" } })],
])("%s in a mcp.json is said once", async (_what, text) => {
  const { library, events } = await libraryOf({ ...tree, "rain/mcp.json": text });
  const hub = recordingHub();
  const session = await loaded(library, hub, { approve: "allow" });
  await session.beforeRequest({ turn: "2" });
  expect([hub.started, diagnostics(events).map(({ code }) => code)]).toEqual([[], ["mcp-server-refused"]]);
});

test("names of tools are names that every provider takes, and never another tool's", async () => {
  const long = "a-very-long-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-on";
  const tools = ["get forecast/now", "get.forecast.now", "__proto__", long, `${long}2`];
  const { library, events } = await libraryOf(tree);
  const session = await loaded(library, recordingHub(tools), { approve: "allow" });
  const names = toolNames(session).filter((name) => name.startsWith("rain__"));
  expect(names).toHaveLength(4);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(new Set(names).size).toBe(4);
  expect(diagnostics(events)).toMatchObject([{ code: "skill-tool-refused", message: expect.stringContaining("get.forecast.now") }]);
  expect(await session.call("rain____proto__", {}, { callId: "1" })).toMatchObject({ text: "__proto__: {}" });
});

test("calls of a server's tools go by the host's policy, once for each tool", async () => {
  const { library } = await libraryOf(tree);
  const asked: string[] = [];
  const session = await loaded(library, recordingHub(), {
    approve: (approval) => {
      asked.push(approval.tool);
      return approval.tool.startsWith("mcp:") ? "allow" : "ask";
    },
  });
  const pending = await session.call("rain__forecast", { day: "a" }, { callId: "1" });
  expect(pending.pending).toMatchObject({ tool: "rain__forecast", skill: "rain" });
  expect(await session.resolve("1", { approved: true })).toMatchObject({ text: 'forecast: {"day":"a"}' });
  expect((await session.call("rain__forecast", { day: "b" }, { callId: "2" })).pending).toBeUndefined();
  expect(asked[0]).toBe("mcp:weather");
});
