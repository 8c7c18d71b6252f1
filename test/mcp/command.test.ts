import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openSkills } from "skillwright";
import { mcpSource } from "skillwright/sources/mcp";
import { expect, onTestFinished, test } from "vitest";
import { runCommandLine } from "../e2e/run-command.ts";
import { skillFile, temporaryFolder, writeTree } from "../session/make-library.ts";
import { type Era, eventually, textOf } from "./connect.ts";

const main = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));

const tree = {
  "kiln/SKILL.md": skillFile("kiln", "Run scripts/count.sh."),
  "kiln/scripts/count.sh": "#!/bin/sh\necho x >> fired.txt\nwc -l < fired.txt\n",
  "kiln/scripts/slow.sh": "#!/bin/sh\necho started\nsleep 300\n",
  "broken/SKILL.md": "no frontmatter\n",
};

function skillsFolder(): string {
  const root = temporaryFolder();
  writeTree(root, tree);
  return root;
}

function started(args: readonly string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [main, "mcp", ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

function ended(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}

/** The URL that the command says it listens at. */
function listening(child: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const url = / at (http:\S+);/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once("close", () => reject(new Error(said)));
  });
}

async function overStdio(args: readonly string[], era: Era = "2025", onChange?: () => void): Promise<{ client: Client; pid: number }> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [main, "mcp", ...args], stderr: "ignore" });
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: era === "2026" ? { pin: "2026-07-28" } : "legacy" },
      ...(onChange === undefined ? {} : { listChanged: { prompts: { onChanged: onChange, autoRefresh: false } } }),
    },
  );
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, pid: transport.pid ?? 0 };
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each<Era>(["2025", "2026"])("over stdio: entries, tools, runs, and changes on disk (%s)", async (era) => {
  const root = skillsFolder();
  let heard = 0;
  const { client } = await overStdio([root, "--sandbox", "local"], era, () => void heard++);
  expect(client.getServerVersion()).toMatchObject({ name: "skillwright" });
  const skills = new SkillsClient(client);
  const [kiln] = (await skills.list()).skills;
  expect(kiln?.frontmatter.name).toBe("kiln");
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toEqual(
    expect.arrayContaining(["load_skill", "read_skill_resource", "search_skills", "run_skill_script", "run_command"]),
  );
  const run = { name: "run_skill_script", arguments: { name: "kiln", script: "scripts/count.sh" } };
  await client.callTool(run);
  expect(textOf(await client.callTool(run))).toMatch(/stdout:\n\s*2\n/);
  writeTree(root, { "reed/SKILL.md": skillFile("reed") });
  await eventually(() => heard).toBeGreaterThan(0);
  const { prompts } = await client.listPrompts(undefined, { cacheMode: "refresh" });
  expect(prompts.map((prompt) => prompt.name).sort()).toEqual(["kiln", "reed"]);
});

test("stdout carries the protocol alone, and what cannot be read is not the end", async () => {
  const child = started([skillsFolder()]);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const send = (message: unknown): void => void child.stdin.write(typeof message === "string" ? message : `${JSON.stringify(message)}\n`);
  send("this is no message\n{\n\n[]\n\u0000\u0001\n");
  send({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  send({ jsonrpc: "2.0", id: 2, method: "no/such/method" });
  send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "load_skill", arguments: { name: "kiln" } } });
  await eventually(() => stdout.split("\n").filter((line) => line !== "").length).toBe(3);
  child.stdin.end();
  expect(await ended(child)).toBe(0);
  const messages = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; result?: unknown; error?: { code: number } });
  expect(messages.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  expect(messages.find(({ id }) => id === 2)?.error?.code).toBe(-32601);
  expect(stderr).toContain("broken");
});

test.each([["SIGINT"], ["SIGTERM"]] as const)("over stdio %s ends it at once, with the runs it started", async (signal) => {
  const child = started([skillsFolder(), "--sandbox", "local"]);
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  const send = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  send({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const call = { name: "run_command", arguments: { command: "echo pid=$$; exec sleep 300", skill: "kiln" }, _meta: { progressToken: 1 } };
  send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call });
  await eventually(() => /pid=(\d+)/.exec(stdout)?.[1]).toBeDefined();
  const pid = Number(/pid=(\d+)/.exec(stdout)?.[1]);
  expect(lives(pid)).toBe(true);
  child.kill(signal);
  expect(await ended(child)).toBe(130);
  await eventually(() => lives(pid)).toBe(false);
});

test("over stdio it ends when its client does", async () => {
  const { client, pid } = await overStdio([skillsFolder()]);
  expect(lives(pid)).toBe(true);
  await client.close();
  expect(lives(pid)).toBe(false);
});

test("over HTTP: the token is asked for, clients are served, Ctrl-C ends it", async () => {
  const child = started([skillsFolder(), "--http", "--port", "0"], { SKILLWRIGHT_TOKEN: "t-1" });
  const url = await listening(child);
  expect(new URL(url).hostname).toBe("127.0.0.1");
  expect((await fetch(url, { method: "POST" })).status).toBe(401);
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: "Bearer t-1" } } }));
  expect(client.getProtocolEra()).toBe("modern");
  expect(textOf(await client.callTool({ name: "load_skill", arguments: { name: "kiln" } }))).toContain("Run scripts/count.sh.");
  child.kill("SIGINT");
  expect(await ended(child)).toBe(130);
  await client.close();
});

test.each([
  [["--http", "--host", "0.0.0.0"], /token/],
  [["--http", "--host", "192.168.1.5"], /token/],
  [["--http", "--port", "70000"], /--port/],
  [["--http", "--token", ""], /token/i],
  [["--locale", "fr"], /--locale/],
  [["--sandbox", "magic"], /magic/],
])("%j is wrong use, and says what is right", async (args, message) => {
  const { code, stdout, stderr } = await runCommandLine(["mcp", skillsFolder(), ...args]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
});

test("a port that is taken is an error, not a crash", async () => {
  const first = started([skillsFolder(), "--http", "--port", "0"]);
  const { port } = new URL(await listening(first));
  const { code, stderr } = await runCommandLine(["mcp", skillsFolder(), "--http", "--port", port]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/EADDRINUSE[\s\S]*--port/)]);
});

test("a library takes skills from a command and from a URL, and goes on when the server comes back", async () => {
  const root = skillsFolder();
  const source = mcpSource({ command: process.execPath, args: [main, "mcp", root] }, { id: "kilns" });
  const library = await openSkills({ sources: [source] });
  onTestFinished(() => library.close());
  expect(library.catalog.skills).toMatchObject([{ name: "kiln", trust: "untrusted", location: "kilns#skill://kiln" }]);
  expect((await library.load("kiln")).body).toContain("Run scripts/count.sh.");
  // Its program is gone: the next listing starts another.
  await source.close?.();
  rmSync(join(root, "broken"), { recursive: true });
  writeTree(root, { "reed/SKILL.md": skillFile("reed") });
  expect(await library.refresh()).toMatchObject({ added: ["reed"] });

  const child = started([root, "--http", "--port", "0", "--token", "t-2"]);
  const url = await listening(child);
  const remote = await openSkills({ sources: [mcpSource({ url, headers: { authorization: "Bearer t-2" } })] });
  onTestFinished(() => remote.close());
  expect(remote.catalog.skills.map((skill) => skill.name)).toEqual(["kiln", "reed"]);
  child.kill("SIGINT");
  await ended(child);
  await remote.refresh();
  expect(remote.catalog.skills.map((skill) => skill.name)).toEqual(["kiln", "reed"]);
  expect(remote.catalog.diagnostics).toMatchObject([{ code: "source-failed" }]);
});

test("a library hears of changes on a server that it watches", async () => {
  const root = skillsFolder();
  const library = await openSkills({ sources: [mcpSource({ command: process.execPath, args: [main, "mcp", root] })] });
  onTestFinished(() => library.close());
  const stop = library.watch({ debounceMs: 10 });
  onTestFinished(stop);
  writeTree(root, { "reed/SKILL.md": skillFile("reed") });
  await eventually(() => library.catalog.skills.map((skill) => skill.name)).toEqual(["kiln", "reed"]);
});
