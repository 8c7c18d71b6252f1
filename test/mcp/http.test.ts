import { request } from "node:http";
import { connect as connectSocket } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { toMcp } from "skillwright/adapters/mcp";
import { expect, onTestFinished, test } from "vitest";
import { type HttpServing, type ServeHttpOptions, serveHttp } from "../../packages/cli/src/mcp/serve-http.ts";
import { makeLibrary, skillFile, writeTree } from "../session/make-library.ts";
import { type Era, eventually, textOf } from "./connect.ts";

const tree = { "moss/SKILL.md": skillFile("moss"), "moss/references/G.md": "Guide." };
const token = "a-token-of-the-test";

async function serving(
  options: Partial<ServeHttpOptions> = {},
): Promise<HttpServing & { root: string; refresh(): Promise<boolean>; errors: unknown[] }> {
  const { library, root } = await makeLibrary(tree);
  const skills = toMcp(library);
  const errors: unknown[] = [];
  const http = await serveHttp(skills, { host: "127.0.0.1", port: 0, onError: (error) => errors.push(error), ...options });
  onTestFinished(async () => {
    await http.close();
    await skills.close();
  });
  const refresh = async () => {
    const changed = await skills.refresh();
    if (changed) http.changed();
    return changed;
  };
  return {
    url: http.url,
    get sessions() {
      return http.sessions;
    },
    changed: http.changed,
    close: http.close,
    root,
    refresh,
    errors,
  };
}

async function clientAt(
  url: string,
  era: Era = "2025",
  options: { headers?: Record<string, string>; onChange?: () => void } = {},
): Promise<Client> {
  const { headers = {}, onChange } = options;
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: era === "2026" ? { pin: "2026-07-28" } : "legacy" },
      ...(onChange === undefined ? {} : { listChanged: { resources: { onChanged: onChange, autoRefresh: false, debounceMs: 0 } } }),
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

test.each<Era>(["2025", "2026"])("a client lists, reads, loads, and hears of changes (%s)", async (era) => {
  const http = await serving({ token });
  let heard = 0;
  const client = await clientAt(http.url, era, { headers: { authorization: `Bearer ${token}` }, onChange: () => void heard++ });
  expect(client.getInstructions()).toContain('<skill name="moss">');
  const skills = new SkillsClient(client);
  const { skill } = await skills.get("skill://moss/SKILL.md");
  expect((await skills.read(skill, "references/G.md")).text).toBe("Guide.");
  expect(textOf(await client.callTool({ name: "load_skill", arguments: { name: "moss" } }))).toContain("Instructions of moss.");
  writeTree(http.root, { "fern/SKILL.md": skillFile("fern") });
  expect(await http.refresh()).toBe(true);
  await eventually(() => heard).toBeGreaterThan(0);
  expect(http.sessions).toBe(era === "2025" ? 1 : 0);
  expect(http.errors).toEqual([]);
});

test("a client that says goodbye is gone", async () => {
  const http = await serving();
  const client = await clientAt(http.url);
  expect(http.sessions).toBe(1);
  await (client.transport as StreamableHTTPClientTransport).terminateSession();
  expect(http.sessions).toBe(0);
});

test("a client that vanished is ended when it was quiet for long enough, and its id is no session any more", async () => {
  const http = await serving({ idleMs: 60 });
  const answer = await post(http.url, initialize);
  const session = answer.headers.get("mcp-session-id") ?? "";
  expect([answer.status, http.sessions]).toEqual([200, 1]);
  const stream = new AbortController();
  const headers = { accept: "text/event-stream", "mcp-session-id": session };
  const open = await fetch(http.url, { headers, signal: stream.signal });
  expect(open.status).toBe(200);
  stream.abort();
  await eventually(() => http.sessions).toBe(0);
  const late = await post(http.url, { jsonrpc: "2.0", id: 2, method: "tools/list" }, { "mcp-session-id": session });
  expect(late.status).toBe(404);
});

test("a client with an open stream is not idle", async () => {
  const http = await serving({ idleMs: 40 });
  const client = await clientAt(http.url, "2025");
  await post(http.url, initialize);
  expect(http.sessions).toBe(2);
  // The one without a stream is ended; by then the other was quiet for as long.
  await eventually(() => http.sessions).toBe(1);
  expect((await client.listTools()).tools).not.toEqual([]);
});

test.each<[string, Record<string, string>, number]>([
  ["no token", {}, 401],
  ["another token", { authorization: "Bearer another-token" }, 401],
  ["the token in another scheme", { authorization: `Basic ${token}` }, 401],
  ["the beginning of the token", { authorization: `Bearer ${token.slice(0, -1)}` }, 401],
  ["the token", { authorization: `Bearer ${token}` }, 200],
  ["the token from a page of this machine", { authorization: `Bearer ${token}`, origin: "http://localhost:5173" }, 200],
  ["the token from another page", { authorization: `Bearer ${token}`, origin: "https://example.com" }, 403],
  ["the token from a page without an origin", { authorization: `Bearer ${token}`, origin: "null" }, 403],
])("%s", async (_what, headers, status) => {
  const http = await serving({ token });
  const answer = await post(http.url, initialize, headers);
  expect(answer.status).toBe(status);
  if (status === 401) expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
  expect(http.sessions).toBe(status === 200 ? 1 : 0);
});

/** Sends a request as it is written; what the server answers until it closes. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ host: hostname, port: Number(port) });
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
    socket.end(text);
  });
}

test.each([
  ["evil.example:80", 403],
  ["localhost.evil.example", 403],
  ["127.0.0.1", 404],
  ["localhost:1234", 404],
])("a request for the host %s is answered %i", async (host, status) => {
  const http = await serving();
  expect(await raw(http.url, `GET /elsewhere HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
    new RegExp(`^HTTP/1.1 ${status} `),
  );
});

test.each<[string, RequestInit & { path?: string }, number]>([
  ["no JSON", { method: "POST", body: "{" }, 400],
  ["no message", { method: "POST", body: '{"hello": 1}' }, 400],
  ["a list of nothing", { method: "POST", body: "[]" }, 400],
  ["null", { method: "POST", body: "null" }, 400],
  ["a request without a session", { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }, 400],
  ["another kind of content", { method: "POST", body: "hello", headers: { "content-type": "text/plain" } }, 415],
  ["an unknown session", { method: "GET", headers: { "mcp-session-id": "made-up" } }, 404],
  ["a stream without a session", { method: "GET" }, 400],
  ["another method", { method: "PUT", body: "{}" }, 405],
  ["another path", { method: "GET", path: "/" }, 404],
])("%s is answered, and leaves nothing", async (_what, { path, ...init }, status) => {
  const http = await serving();
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...init.headers };
  const answer = await fetch(new URL(path ?? "/mcp", http.url), { ...init, headers });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) } });
  expect([http.sessions, http.errors]).toEqual([0, []]);
});

/** Sends so many bytes, a megabyte at a time, and answers what came back first. */
function upload(url: string, bytes: number, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const upload = request(url, { method: "POST", headers: { "content-type": "application/json", ...headers } }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode));
    });
    upload.on("error", reject);
    const chunk = Buffer.alloc(1024 * 1024, "x");
    let left = bytes;
    const send = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!upload.write(chunk)) return void upload.once("drain", send);
      }
      upload.end();
    };
    send();
  });
}

const size = 100 * 1024 * 1024;

test.each<[Record<string, string>, string, number]>([
  [{ "content-length": `${size}` }, token, 413],
  [{ "transfer-encoding": "chunked" }, token, 413],
  [{ "content-length": `${size}` }, "wrong", 401],
  [{ "transfer-encoding": "chunked" }, "wrong", 401],
])("a body of 100 MB is answered and not kept (%o, token %s)", async (headers, bearer, status) => {
  const http = await serving({ token });
  const before = process.memoryUsage().arrayBuffers;
  expect(await upload(http.url, size, { authorization: `Bearer ${bearer}`, ...headers })).toBe(status);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50e6);
  expect((await post(http.url, initialize, { authorization: `Bearer ${token}` })).status).toBe(200);
  expect(http.errors).toEqual([]);
});

test("a client that is cut off in the middle of its body leaves nothing", async () => {
  const http = await serving();
  const { hostname, port } = new URL(http.url);
  const socket = connectSocket({ host: hostname, port: Number(port) });
  socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"jsonrpc"`);
  socket.destroy();
  expect((await post(http.url, initialize)).status).toBe(200);
  expect([http.sessions, http.errors]).toEqual([1, []]);
});

test("at the limit new sessions are refused, those that are open go on", async () => {
  const http = await serving({ maxSessions: 2 });
  const clients = [await clientAt(http.url), await clientAt(http.url)];
  const refused = await post(http.url, initialize);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
  for (const client of clients) expect((await client.listTools()).tools).not.toEqual([]);
  for (const { transport } of clients.slice(1)) await (transport as StreamableHTTPClientTransport).terminateSession();
  expect((await post(http.url, initialize)).status).toBe(200);
});

test("a server that closes ends its clients' streams", async () => {
  const http = await serving();
  const client = await clientAt(http.url);
  await http.close();
  await expect(client.listTools(undefined, { cacheMode: "refresh" })).rejects.toThrow();
  expect(http.sessions).toBe(0);
});
