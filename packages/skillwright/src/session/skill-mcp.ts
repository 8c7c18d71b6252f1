import { digestOf, type JsonObject, SkillError } from "../core/index.ts";
import { decide, keepPending, type Question } from "./approvals.ts";
import { reportOnce } from "./host-tools.ts";
import { readHeld } from "./read-resource.ts";
import type { SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";
import type { McpConnection } from "./skill-session.ts";
import type { Approval } from "./skill-tool.ts";

/** The file in a skill's folder that names its MCP servers. */
const serversFile = "mcp.json";

/** An MCP server that an active, trusted skill declares. */
export interface DeclaredServer {
  readonly skill: string;
  readonly name: string;
  /** Where the skill lies. */
  readonly location: string;
  readonly config: JsonObject;
  /** Of its config: another one is another server. */
  readonly digest: string;
}

/** A server that was started for this session, or could not be. */
export interface StartedServer {
  readonly declared: DeclaredServer;
  /** Undefined where it did not start; why was reported. */
  readonly connection: Promise<McpConnection | undefined>;
}

/**
 * Brings the servers of a session in line with its active skills: closes those whose skill left, starts those that were approved,
 * and asks about the others. A server that fails is a diagnostic, and the session goes on without it.
 */
export async function syncServers(
  context: SessionContext,
): Promise<{ readonly declared: DeclaredServer; readonly connection: McpConnection }[]> {
  if (context.options.hosts?.mcp === undefined) return [];
  const declared = (await Promise.all(context.facts.loaded.map((fact) => declaredBy(context, fact)))).flat();
  const wanted = new Map(declared.map((server) => [keyOf(server), server]));
  const ended = [...context.servers].filter(([key, server]) => wanted.get(key)?.digest !== server.declared.digest);
  await endServers(context, ended);
  const running = await Promise.all(
    declared.map(async (server) => {
      const started = context.servers.get(keyOf(server)) ?? ((await mayStart(context, server)) ? start(context, server) : undefined);
      const connection = await started?.connection;
      return connection === undefined ? [] : [{ declared: server, connection }];
    }),
  );
  return running.flat();
}

/** Closes the servers of one skill, or of all. */
export async function closeServers(context: SessionContext, skill?: string): Promise<void> {
  await endServers(
    context,
    [...context.servers].filter(([, server]) => skill === undefined || server.declared.skill === skill),
  );
}

/**
 * Answers the question about a server: starts it, or remembers the refusal.
 * @throws SkillError `approval-invalid` when no active skill declares it any more
 */
export async function answerServer(
  context: SessionContext,
  asked: Approval,
  approved: boolean,
): Promise<{ text: string; isError: boolean }> {
  const fact = context.facts.get(asked.skill ?? "");
  const servers = fact === undefined ? [] : await declaredBy(context, fact);
  const server = servers.find((candidate) => idOf(candidate) === asked.id);
  if (server === undefined) {
    throw new SkillError("approval-invalid", `No active skill declares the MCP server that "${asked.id}" asked about.`, {
      hint: "Load the skill again; it asks anew.",
    });
  }
  const what = `The MCP server "${server.name}" of skill "${server.skill}"`;
  const verdict = await decide(context, questionOf(server), approved);
  if (verdict.kind !== "allowed") {
    await context.facts.write("note", idOf(server), { refused: server.digest });
    return { text: `${what} was not started. ${verdict.kind === "denied" ? verdict.reason : ""}`.trimEnd(), isError: true };
  }
  const connection = await start(context, server).connection;
  if (connection === undefined) return { text: `${what} could not be started.`, isError: true };
  return { text: `${what} runs. Its tools: ${connection.tools.map((tool) => tool.name).join(", ")}.`, isError: false };
}

/** Whether a question is about a server, and not about a call. */
export function asksForServer(approval: Approval): boolean {
  return approval.id.startsWith("mcp:") && approval.tool.startsWith("mcp:");
}

async function mayStart(context: SessionContext, server: DeclaredServer): Promise<boolean> {
  const note = (await context.facts.read("note", idOf(server))) as { readonly refused?: string } | undefined;
  if (note?.refused === server.digest) return false;
  const verdict = await decide(context, questionOf(server), undefined);
  if (verdict.kind === "ask") await keepPending(context, verdict.approval);
  if (verdict.kind === "denied") report(context, server, verdict.reason, "Allow it in the host's `approve`, or load another skill.");
  return verdict.kind === "allowed";
}

function start(context: SessionContext, declared: DeclaredServer): StartedServer {
  const { name, skill, location, config } = declared;
  const connecting = context.options.hosts?.mcp?.connect({ name, skill, location, config }, {}) ?? Promise.resolve(undefined);
  const connection = connecting.catch((error: unknown) => {
    const hint = SkillError.is(error) ? error.hint : undefined;
    report(context, declared, error instanceof Error ? error.message : String(error), hint ?? `Correct the skill's ${serversFile}.`);
    return undefined;
  });
  const started = { declared, connection };
  context.servers.set(keyOf(declared), started);
  return started;
}

async function endServers(context: SessionContext, servers: readonly (readonly [string, StartedServer])[]): Promise<void> {
  for (const [key] of servers) context.servers.delete(key);
  await Promise.allSettled(servers.map(async ([, { connection }]) => (await connection)?.close()));
}

async function declaredBy(context: SessionContext, fact: LoadedFact): Promise<DeclaredServer[]> {
  if (!fact.files.some((file) => file.path === serversFile)) return [];
  if (!fact.trusted) {
    report(
      context,
      { skill: fact.name, location: fact.location },
      "its source is not trusted",
      "Trust the source to use the servers it names.",
    );
    return [];
  }
  const servers = await readServers(context, fact);
  if (servers === undefined) {
    const hint = 'Write { "mcpServers": { "name": { "command": "...", "args": [...] } } }, or "url" in place of the command.';
    report(context, { skill: fact.name, location: fact.location }, `its ${serversFile} names no servers`, hint);
    return [];
  }
  return Promise.all(
    Object.entries(servers).map(async ([name, config]) => ({
      skill: fact.name,
      name,
      location: fact.location,
      config: config as JsonObject,
      digest: await digestOf(JSON.stringify(config)),
    })),
  );
}

async function readServers(context: SessionContext, fact: LoadedFact): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const parsed: unknown = JSON.parse((await readHeld(context, fact.name, fact, serversFile)).text ?? "");
    const servers = isObject(parsed) ? parsed.mcpServers : undefined;
    return isObject(servers) && Object.values(servers).every(isObject) ? servers : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a person is asked; the answer is bound to the whole of the config, and values of variables are not shown. */
function questionOf({ skill, name, config, digest }: DeclaredServer): Question {
  const command = [config.command, ...(Array.isArray(config.args) ? config.args : [])].filter((word) => typeof word === "string").join(" ");
  const target = typeof config.url === "string" ? `Connect to ${config.url}` : `Start \`${command}\` outside any sandbox`;
  return {
    callId: idOf({ skill, name }),
    tool: `mcp:${name}`,
    operation: "skill",
    input: { skill, server: name },
    skill,
    subject: digest,
    summary: `${target} as MCP server "${name}" of skill "${skill}"`,
    unconfined: true,
  };
}

function idOf({ skill, name }: Pick<DeclaredServer, "skill" | "name">): string {
  return `mcp:${skill}:${name}`;
}

function keyOf({ skill, name }: DeclaredServer): string {
  return `${skill}\0${name}`;
}

function report(
  context: SessionContext,
  server: Pick<DeclaredServer, "skill" | "location"> & { readonly name?: string },
  reason: string,
  hint: string,
): void {
  const what = server.name === undefined ? "The MCP servers" : `The MCP server "${server.name}"`;
  reportOnce(context, `${serversFile} ${server.skill} ${server.name ?? ""} ${reason}`, {
    severity: "warning",
    code: "mcp-server-refused",
    message: `${what} of skill "${server.skill}" cannot be used: ${reason}`.replace(/\.?$/, "."),
    location: `${server.location}/${serversFile}`,
    hint,
  });
}
