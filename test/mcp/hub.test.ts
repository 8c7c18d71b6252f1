import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JsonObject, McpConnection } from "skillwright";
import { toMcp } from "skillwright/adapters/mcp";
import { mcpHub } from "skillwright/adapters/mcp-hub";
import { expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../../packages/cli/src/mcp/serve-http.ts";
import { makeLibrary, skillFile, temporaryFolder } from "../session/make-library.ts";
import { eventually } from "./connect.ts";

/** Where a config wants a variable. */
function place(name: string): string {
  return `$\{${name}}`;
}

const echoServer = fileURLToPath(new URL("./servers/echo-server.ts", import.meta.url));

async function started(
  config: JsonObject,
  options: Parameters<typeof mcpHub>[0] = {},
  location = "nowhere#skill://rain",
): Promise<McpConnection> {
  const connection = await mcpHub(options).connect({ name: "echo", skill: "rain", location, config }, {});
  onTestFinished(() => connection.close());
  return connection;
}

/** Whether a process is there. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function surroundings(connection: McpConnection) {
  const { text } = await connection.call("surroundings", {}, {});
  return JSON.parse(text) as { env: Record<string, string>; cwd: string; pid: number; argv: string[] };
}

test("a program is started in the skill's folder, called, and gone when it is closed", async () => {
  const folder = temporaryFolder();
  const connection = await started({ command: process.execPath, args: [echoServer] }, {}, folder);
  expect(connection.tools).toMatchObject([
    { name: "echo", description: "Says it again.", inputSchema: { type: "object", properties: { text: { type: "string" } } } },
    { name: "surroundings", description: "" },
    { name: "fail" },
    { name: "die" },
  ]);
  expect(await connection.call("echo", { text: "hello" }, {})).toEqual({ text: "hello\n[image, image/png]", isError: false });
  expect(await connection.call("fail", {}, {})).toEqual({ text: "It went wrong.", isError: true });
  const { cwd, pid } = await surroundings(connection);
  expect(cwd).toBe(realpathSync(folder));
  await connection.close();
  await eventually(() => lives(pid)).toBe(false);
});

test("a program sees what its config names and the host gave it, and none of the host's secrets", async () => {
  process.env.HUB_TEST_SECRET = "secret";
  onTestFinished(() => void delete process.env.HUB_TEST_SECRET);
  const config = {
    command: process.execPath,
    args: [echoServer, `--city=${place("CITY")}`],
    env: { PLAIN: "as it is", KEY: `key-${place("CITY")}` },
  };
  const { env, argv } = await surroundings(await started(config, { variables: { CITY: "Bonn" } }));
  expect(env).toMatchObject({ PLAIN: "as it is", KEY: "key-Bonn", PATH: process.env.PATH });
  expect(argv).toEqual(["--city=Bonn"]);
  expect(JSON.stringify(env)).not.toContain("secret");
});

test.each<[string, JsonObject, RegExp]>([
  ["a program that is not there", { command: "no-such-program-anywhere", args: [] }, /ENOENT|not found/],
  ["a program that is no server", { command: process.execPath, args: ["-e", "process.exit(1)"] }, /closed/i],
  ["a config without a command", { args: [] }, /neither a `command`/],
  ["arguments that are no list", { command: "node", args: "server.js" }, /neither a `command`/],
  ["a word that is no text", { command: "node", args: [1] }, /not a text/],
  ["variables that are no texts", { command: "node", args: [], env: { A: 1 } }, /not a text/],
  [
    "a variable that the host does not give",
    { command: "node", args: [], env: { A: place("HOME") } },
    /HOME, which this host does not give/,
  ],
  ["a variable with an inherited name", { command: "node", args: [place("constructor")] }, /constructor, which this host does not give/],
  ["an address of another kind", { url: "file:///etc/passwd" }, /neither a `command`/],
  ["an address where nobody listens", { url: "http://127.0.0.1:9/mcp" }, /fetch failed|ECONNREFUSED|bad port/],
])("%s is an error that says so", async (_what, config, message) => {
  await expect(started(config)).rejects.toThrow(message);
});

test("a program that dies fails its calls, and nothing hangs", async () => {
  const connection = await started({ command: process.execPath, args: [echoServer] });
  await expect(connection.call("die", {}, {})).rejects.toThrow(/closed/i);
  await expect(connection.call("echo", { text: "hello" }, {})).rejects.toThrow();
});

test("a call can be aborted", async () => {
  const connection = await started({ command: process.execPath, args: [echoServer] });
  await expect(connection.call("echo", {}, { signal: AbortSignal.abort() })).rejects.toThrow();
  expect((await connection.call("echo", { text: "still there" }, {})).text).toContain("still there");
});

test("a server behind a URL gets the headers that its config names", async () => {
  const { library } = await makeLibrary({ "moss/SKILL.md": skillFile("moss") });
  const skills = toMcp(library);
  const serving = await serveHttp(skills, {
    host: "127.0.0.1",
    port: 0,
    token: "t-1",
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(async () => {
    await serving.close();
    await skills.close();
  });
  const config = { url: serving.url, headers: { authorization: `Bearer ${place("TOKEN")}` } };
  const connection = await started(config, { variables: { TOKEN: "t-1" } });
  expect((await connection.call("load_skill", { name: "moss" }, {})).text).toContain("Instructions of moss.");
  await expect(started(config, { variables: { TOKEN: "t-2" } })).rejects.toThrow(/bearer token|401/i);
});

test("a session runs a skill's server from the question to the end", async () => {
  const mcp = { mcpServers: { echo: { command: process.execPath, args: [echoServer] } } };
  const { library } = await makeLibrary({ "rain/SKILL.md": skillFile("rain"), "rain/mcp.json": JSON.stringify(mcp) });
  const session = await library.openSession({ hosts: { mcp: mcpHub() } });
  await session.call("load_skill", { name: "rain" }, { callId: "1" });
  await session.beforeRequest();
  await session.resolve("mcp:rain:echo", { approved: true });
  expect(await session.call("rain__echo", { text: "hello" }, { callId: "2" })).toMatchObject({
    isError: false,
    text: expect.stringContaining("hello"),
  });
  const { text } = await session.call("rain__surroundings", {}, { callId: "3" });
  const { pid } = JSON.parse(text) as { pid: number };
  await session.close();
  await eventually(() => lives(pid)).toBe(false);
});
