import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { openSkills } from "skillwright";
import { toMcp } from "skillwright/adapters/mcp";
import { serveHttp } from "../packages/cli/src/mcp/serve-http.ts";

// Skills over HTTP: many clients at once, many calls, what is malformed, too large or gone, and whether anything is left of it.
// The server is a process of its own, so that its memory is its own.

const [clients, callsEach, rounds, skills] = [200, 50, 1, 100];
const self = fileURLToPath(import.meta.url);
const token = "bench";

/** What the server says of itself, after it has collected its garbage. */
interface State {
  readonly url: string;
  readonly sessions: number;
  readonly heapMb: number;
  readonly descriptors: number;
  readonly cpuMs: number;
}

const [role = "", place = "", era = ""] = process.argv.slice(2);
if (role === "serve") await serve(place);
else if (role === "load") await report(place, era === "2026" ? "2026" : "2025");
else if (role === "misuse") await misuse(place);
else await measure();

async function serve(root: string): Promise<void> {
  const library = await openSkills([root]);
  const served = toMcp(library);
  const http = await serveHttp(served, { host: "127.0.0.1", port: 0, token, idleMs: 60_000, onError: (error) => console.error(error) });
  const state = (): State => {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const descriptors = readdirSync("/proc/self/fd").length;
    return {
      url: http.url,
      sessions: http.sessions,
      heapMb: process.memoryUsage().heapUsed / 1e6,
      descriptors,
      cpuMs: (user + system) / 1000,
    };
  };
  process.on("message", () => process.send?.(state()));
  process.send?.(state());
  process.once("disconnect", () => process.exit());
}

async function measure(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "skillwright-bench-"));
  for (let index = 0; index < skills; index++) writeSkill(root, `skill-${index}`);
  const server = fork(self, ["serve", root], { execArgv: ["--expose-gc", "--no-warnings"] });
  const next = (): Promise<State> => new Promise((resolve) => server.once("message", (message) => resolve(message as State)));
  try {
    const { url } = await next();
    const ask = (): Promise<State> => {
      const answer = next();
      server.send("state");
      return answer;
    };
    await play("load", url, "2025");
    const before = await settled(ask);
    for (let round = 0; round < rounds; round++) {
      for (const version of ["2025", "2026"]) {
        const { cpuMs } = await ask();
        await play("load", url, version);
        console.log(`  of the server's time: ${(((await ask()).cpuMs - cpuMs) / (clients * callsEach)).toFixed(2)} ms a call`);
      }
    }
    await play("misuse", url);
    const after = await settled(ask);
    const grown = after.heapMb - before.heapMb;
    console.log(
      `left behind: ${after.sessions} sessions, ${after.descriptors - before.descriptors} descriptors, ${grown.toFixed(1)} MB of heap`,
    );
    if (after.sessions > 0 || after.descriptors > before.descriptors + 2 || grown > 10) throw new Error("Something was left behind.");
  } finally {
    server.kill();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Plays a part in a process of its own: when it ends, its clients are gone, whether they said goodbye or not. */
async function play(...part: string[]): Promise<void> {
  const child = fork(self, part, { execArgv: ["--no-warnings"] });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`The part ${part[0]} failed.`);
}

function writeSkill(root: string, name: string): void {
  mkdirSync(join(root, name, "references"), { recursive: true });
  writeFileSync(
    join(root, name, "SKILL.md"),
    `---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${"Do this, then that.\n".repeat(100)}`,
  );
  writeFileSync(join(root, name, "references", "guide.md"), "A guide.\n".repeat(500));
}

/** Waits until the clients that left are gone for the server too. */
async function settled(ask: () => Promise<State>): Promise<State> {
  for (let time = 0; time < 1_200; time++) {
    const state = await ask();
    if (state.sessions === 0) return state;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return ask();
}

async function report(url: string, version: "2025" | "2026"): Promise<void> {
  const started = performance.now();
  const times = (await load(url, version, clients, callsEach)).sort((a, b) => a - b);
  const seconds = (performance.now() - started) / 1000;
  const at = (share: number): string => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(0)} ms`;
  console.log(
    `${version}: ${clients} clients, ${times.length} calls, no error, ${seconds.toFixed(1)} s (${(times.length / seconds).toFixed(0)}/s); a call: median ${at(0.5)}, p99 ${at(0.99)}`,
  );
}

/** Calls of many clients at once; the time of each, in milliseconds. Half of the clients say goodbye, the others vanish. */
async function load(url: string, version: "2025" | "2026", count: number, calls: number): Promise<number[]> {
  const times = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
      const client = new Client(
        { name: "bench", version: "1" },
        { versionNegotiation: { mode: version === "2026" ? { pin: "2026-07-28" } : "legacy" } },
      );
      await client.connect(transport);
      const taken: number[] = [];
      for (let call = 0; call < calls; call++) taken.push(await timed(() => callOne(client, (index + call) % skills, call)));
      if (index % 2 === 0 && version === "2025") await transport.terminateSession();
      await client.close();
      return taken;
    }),
  );
  return times.flat();
}

async function timed(call: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await call();
  return performance.now() - started;
}

async function callOne(client: Client, skill: number, call: number): Promise<void> {
  const name = `skill-${skill}`;
  const kind = call % 5;
  if (kind === 0) return expectText(await client.callTool({ name: "load_skill", arguments: { name } }), "Do this");
  if (kind === 1)
    return expectText(await client.callTool({ name: "read_skill_resource", arguments: { name, path: "references/guide.md" } }), "A guide.");
  if (kind === 2) return expectText(await client.callTool({ name: "search_skills", arguments: { query: name } }), name);
  const entries = new SkillsClient(client);
  const entry = await entries.get(`skill://${name}/SKILL.md`);
  if (kind === 4) await entries.read(entry.skill, "references/guide.md");
}

function expectText(result: { readonly isError?: boolean | undefined; readonly content: readonly unknown[] }, text: string): void {
  if (result.isError || !JSON.stringify(result.content).includes(text))
    throw new Error(`A call went wrong: ${JSON.stringify(result).slice(0, 500)}`);
}

/** What nobody should send: answered, and nothing comes of it. */
async function misuse(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json, text/event-stream" };
  const malformed = await fetch(url, { method: "POST", headers, body: "{" });
  console.log(`malformed message: ${malformed.status}`);
  const size = 100 * 1024 * 1024;
  console.log(
    `body of 100 MB: ${await upload(url, size, { ...headers, "content-length": `${size}` })}; without a length: ${await upload(url, size, headers)}`,
  );
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "gone", version: "1" } };
  const opened = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize }),
  });
  const session = opened.headers.get("mcp-session-id") ?? "";
  await opened.text();
  const stream = new AbortController();
  await fetch(url, { headers: { ...headers, "mcp-session-id": session }, signal: stream.signal });
  stream.abort();
  console.log("vanished client: opened a session and a stream, and left");
  if (malformed.status !== 400 || session === "") throw new Error("What nobody should send was not answered as it should be.");
}

function upload(url: string, bytes: number, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: "POST", headers }, (answer) => {
      answer.resume();
      answer.once("end", () =>
        answer.statusCode === 413 ? resolve(413) : reject(new Error(`A large body was answered ${answer.statusCode}.`)),
      );
    });
    sending.on("error", reject);
    const chunk = Buffer.alloc(1024 * 1024, "x");
    let left = bytes;
    const send = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!sending.write(chunk)) return void sending.once("drain", send);
      }
      sending.end();
    };
    send();
  });
}
