import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { SkillLibrary } from "skillwright";
import { type McpOptions, toMcp } from "skillwright/adapters/mcp";
import { localSandbox } from "skillwright/sandboxes/local";
import { expect, onTestFinished, test } from "vitest";
import { makeLibrary, skillFile, temporaryFolder } from "../session/make-library.ts";
import { connect, type Era, eventually, textOf } from "./connect.ts";

const tree = {
  "kiln/SKILL.md": skillFile("kiln", "Run scripts/count.sh."),
  "kiln/scripts/count.sh": '#!/bin/sh\necho x >> fired.txt\nwc -l < fired.txt\nprintf "%s" "$1" > "$OUTPUT_DIR/glaze.txt"\n',
  "kiln/scripts/slow.sh": '#!/bin/sh\necho started\ntouch "$1/started"\nsleep 60\ntouch "$1/ended"\n',
  "bell/SKILL.md": skillFile("bell"),
  "bell/tools.json": JSON.stringify([
    { name: "ring_bell", description: "Rings.", inputSchema: { type: "object", properties: {} }, argv: ["echo", "ding"] },
  ]),
};

const eras: Era[] = ["2025", "2026"];
const sandboxed = (): McpOptions => ({ session: { sandbox: localSandbox() } });
const count = (argument = "blue") => ({
  name: "run_skill_script",
  arguments: { name: "kiln", script: "scripts/count.sh", argv: [argument] },
});

test.each(eras)("runs go on in one workspace, and what they made can be fetched (%s)", async (era) => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library, { era, ...sandboxed() });
  const { tools } = await client.listTools();
  expect(tools.find((tool) => tool.name === "run_skill_script")?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  const first = await client.callTool(count("blue"));
  expect(textOf(first)).toMatch(/^Exit code 0\.[\s\S]*stdout:\n\s*1\n/);
  const link = first.content.find((part) => part.type === "resource_link" && part.name.endsWith("glaze.txt"));
  expect(link).toMatchObject({ uri: expect.stringMatching(/^artifact:/), mimeType: "text/plain", size: 4 });
  const { contents } = await client.readResource({ uri: (link as { uri: string }).uri });
  expect(contents).toMatchObject([{ blob: Buffer.from("blue").toString("base64") }]);
  expect(textOf(await client.callTool(count()))).toMatch(/stdout:\n\s*2\n/);
  await expect(client.readResource({ uri: "artifact://another-session/out/glaze.txt" })).rejects.toThrow();
});

test("two clients at once do not mix", async () => {
  const { library } = await makeLibrary(tree);
  const skills = toMcp(library, sandboxed());
  const [one, two] = await Promise.all([connect(library, { skills }), connect(library, { skills })]);
  const results = await Promise.all([one.client.callTool(count()), two.client.callTool(count())]);
  for (const result of results) expect(textOf(result)).toMatch(/stdout:\n\s*1\n/);
});

test("tools that a skill brings are announced and listed once it is loaded", async () => {
  const { library } = await makeLibrary(tree);
  let changed = 0;
  const listChanged = { tools: { onChanged: () => void changed++, autoRefresh: false, debounceMs: 0 } };
  const { client } = await connect(library, { ...sandboxed(), client: { listChanged } });
  const names = async () => (await client.listTools(undefined, { cacheMode: "refresh" })).tools.map((tool) => tool.name);
  expect(await names()).not.toContain("ring_bell");
  await client.callTool({ name: "load_skill", arguments: { name: "bell" } });
  await eventually(() => changed).toBe(1);
  expect(await names()).toContain("ring_bell");
  expect(textOf(await client.callTool({ name: "ring_bell", arguments: {} }))).toContain("ding");
});

test("a list does not depend on earlier calls where the protocol says so", async () => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library, { era: "2026", ...sandboxed() });
  const before = await client.listTools();
  await client.callTool({ name: "load_skill", arguments: { name: "bell" } });
  expect((await client.listTools(undefined, { cacheMode: "refresh" })).tools).toEqual(before.tools);
});

test.each(
  eras.flatMap((era) => [
    [era, "accept", { approve: true }, /Exit code 0/, false] as const,
    [era, "accept", { approve: false }, /said no|not allow|denied/i, true] as const,
    [era, "decline", undefined, /said no|not allow|denied/i, true] as const,
  ]),
)("approvals are asked through the client: %s, %s, %o", async (era, action, content, text, isError) => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library, {
    era,
    session: { sandbox: localSandbox(), approve: "ask" },
    client: { capabilities: { elicitation: { form: {} } } },
  });
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return content === undefined ? { action } : { action, content };
  });
  const result = await client.callTool(count());
  expect(asked).toEqual([expect.stringContaining("scripts/count.sh")]);
  expect([textOf(result), result.isError ?? false]).toEqual([expect.stringMatching(text), isError]);
});

test("a client that cannot ask its user is told so, and nothing runs", async () => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library, { session: { sandbox: localSandbox(), approve: "ask" } });
  const result = await client.callTool(count());
  expect([result.isError, textOf(result)]).toEqual([true, expect.stringMatching(/Nothing has run yet[\s\S]*no way to ask/)]);
});

test.each(eras)("a cancelled call ends its run (%s)", async (era) => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library, { era, ...sandboxed() });
  const folder = temporaryFolder();
  const abort = new AbortController();
  const progress: string[] = [];
  const call = client.callTool(
    { name: "run_skill_script", arguments: { name: "kiln", script: "scripts/slow.sh", argv: [folder] } },
    { signal: abort.signal, onprogress: ({ message = "" }) => progress.push(message) },
  );
  await eventually(() => existsSync(join(folder, "started"))).toBe(true);
  await eventually(() => progress.join("")).toContain("started");
  abort.abort();
  await expect(call).rejects.toThrow();
  // The next run in the same session is answered: nothing is stuck.
  expect(textOf(await client.callTool(count()))).toContain("Exit code 0");
  expect(existsSync(join(folder, "ended"))).toBe(false);
});

/** A client of the protocol without sessions, over HTTP as `createMcpHandler` speaks it. */
async function sessionless(library: SkillLibrary, options: McpOptions, principal?: string): Promise<Client> {
  const skills = toMcp(library, options);
  return sessionlessOn(skills, principal);
}

async function sessionlessOn(skills: ReturnType<typeof toMcp>, principal?: string): Promise<Client> {
  const handler = createMcpHandler(skills.server);
  const authInfo = principal === undefined ? {} : { authInfo: { token: principal, clientId: principal, scopes: [] } };
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init), authInfo);
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  onTestFinished(async () => {
    await client.close();
    await handler.close();
    await skills.close();
  });
  return client;
}

const workspaceIn = (text: string): string => /Workspace: (\S+)\./.exec(text)?.[1] ?? "";

test("without sessions a run names its workspace, and later runs go on in it", async () => {
  const { library } = await makeLibrary(tree);
  const client = await sessionless(library, sandboxed());
  const { tools } = await client.listTools();
  expect(tools.find((tool) => tool.name === "run_command")?.inputSchema.properties).toHaveProperty("workspace");
  expect(tools.find((tool) => tool.name === "load_skill")?.inputSchema.properties).not.toHaveProperty("workspace");
  const first = textOf(await client.callTool(count()));
  const workspace = workspaceIn(first);
  expect(workspace).not.toBe("");
  const again = await client.callTool({ name: "run_command", arguments: { command: "wc -l < fired.txt", skill: "kiln", workspace } });
  expect(textOf(again)).toMatch(/stdout:\n\s*1\n/);
  const other = textOf(await client.callTool(count()));
  expect(other).toMatch(/stdout:\n\s*1\n/);
  expect(workspaceIn(other)).not.toBe(workspace);
  const gone = await client.callTool({ name: "run_command", arguments: { command: "true", workspace: "made-up" } });
  expect([gone.isError, textOf(gone)]).toEqual([true, expect.stringContaining("made-up")]);
});

test("a workspace is for the client that it was made for", async () => {
  const { library } = await makeLibrary(tree);
  const skills = toMcp(library, sandboxed());
  const [ann, ben] = await Promise.all([sessionlessOn(skills, "ann"), sessionlessOn(skills, "ben")]);
  const workspace = workspaceIn(textOf(await ann.callTool(count())));
  const input = { command: "cat fired.txt", skill: "kiln", workspace };
  expect((await ann.callTool({ name: "run_command", arguments: input })).isError).toBeUndefined();
  expect(textOf(await ben.callTool({ name: "run_command", arguments: input }))).toContain("There is no workspace");
});

test("without sessions approvals are asked in the workspace that the run will have", async () => {
  const { library } = await makeLibrary(tree);
  const skills = toMcp(library, { session: { sandbox: localSandbox(), approve: "ask" } });
  const handler = createMcpHandler(skills.server);
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { approve: true } }));
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  onTestFinished(async () => {
    await client.close();
    await handler.close();
    await skills.close();
  });
  const text = textOf(await client.callTool(count()));
  expect(text).toContain("Exit code 0");
  expect(workspaceIn(text)).not.toBe("");
});
