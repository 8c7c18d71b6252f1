import type { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import type { SkillSource } from "../catalog/index.ts";
import { type BlobStore, memoryBlobStore, normalizeRelativePath, SkillError } from "../core/index.ts";
import { connectServer, type McpAddress, type McpCommand } from "./mcp/connect-server.ts";
import { type HeldEntries, publishedSkills } from "./mcp/published-skills.ts";
import { resourceSkills } from "./mcp/resource-skills.ts";
import { rootOf } from "./mcp/skill-address.ts";
import type { SkillReader } from "./mcp/skill-reader.ts";

export type { McpAddress, McpCommand } from "./mcp/connect-server.ts";

/** Options of {@link mcpSource}. */
export interface McpSourceOptions {
  /** What this host calls the server; it stands in every location. @default the URL without user, query and fragment, or `mcp:` and the program's name */
  readonly id?: string;
  /** Time limit of one request. @default 30,000 */
  readonly timeoutMs?: number;
  /** Where files that were checked are kept, by digest. @default in memory */
  readonly blobs?: BlobStore;
}

const defaultTimeoutMs = 30_000;

/**
 * Skills of an MCP server: behind a URL, started as a program, or through a client that the host has connected.
 * By the skills extension (SEP-2640) where the server has it: a listing fetches no file, and every file is checked against its
 * digest before anything reads it. By the `skill://` resources that it lists otherwise.
 * What a server says is not to be trusted; a host that does trust one writes `{ source: mcpSource(...), trust: "trusted" }`.
 * @throws SkillError `configuration-invalid`
 */
export function mcpSource(server: Client | string | URL | McpAddress | McpCommand, options: McpSourceOptions = {}): SkillSource {
  const { timeoutMs = defaultTimeoutMs, blobs = memoryBlobStore() } = options;
  const named = addressOf(server);
  const id = options.id ?? labelOf(named);
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of listeners) listener();
  };
  const connection = isClient(named) ? undefined : connectServer(named, { id, timeoutMs, onChange });
  const locate = (path: string, file?: string): string => {
    if (path === "") return id;
    return `${id}#${rootOf(path)}${file === undefined ? "" : `/${file}`}`;
  };
  const held: HeldEntries = new Map();
  const checked = new Set<string>();
  const readers = new WeakMap<Client, SkillReader>();

  async function reader(signal: AbortSignal | undefined): Promise<SkillReader> {
    const client = isClient(named) ? named : await connection?.client(signal);
    // A client that lost its server forgets what that could do: an empty answer would take all skills away.
    if (client?.getServerCapabilities() === undefined) {
      throw new SkillError("source-failed", `The MCP server ${id} is not connected.`, { hint: "Connect the client, then refresh." });
    }
    const known = readers.get(client);
    if (known !== undefined) return known;
    const made = new SkillsClient(client).supported
      ? publishedSkills(client, held, checked, { locate, timeoutMs, blobs })
      : resourceSkills(client, { locate, timeoutMs });
    readers.set(client, made);
    return made;
  }

  return {
    id,
    async *list(context) {
      yield* await (await reader(context.signal)).list(context);
    },
    files: async (path, context) => (await reader(context.signal)).files(path, context),
    async read(path, file, context) {
      const name = normalizeRelativePath(file);
      if (name !== undefined) return (await reader(context.signal)).read(path, name, context);
      throw new SkillError("path-outside-root", `${JSON.stringify(file)} is not a path inside the skill.`, {
        hint: "Name a file by its path relative to the skill's folder, without `..`.",
        data: { path: file },
      });
    },
    find: async (name, context) => (await reader(context.signal)).find(name, context),
    locate,
    ...(connection === undefined
      ? {}
      : {
          watch: (listener: () => void) => {
            listeners.add(listener);
            return () => void listeners.delete(listener);
          },
          close: () => connection.close(),
        }),
  };
}

function isClient(server: Client | McpAddress | McpCommand): server is Client {
  return "getServerCapabilities" in server;
}

function addressOf(server: Client | string | URL | McpAddress | McpCommand): Client | McpAddress | McpCommand {
  if (typeof server !== "string" && !(server instanceof URL)) return server;
  const url = URL.parse(String(server));
  if (url?.protocol === "http:" || url?.protocol === "https:") return { url };
  throw new SkillError("configuration-invalid", `${JSON.stringify(String(server))} is not the http or https URL of an MCP server.`, {
    hint: 'To start a program, pass { command: "...", args: [...] }.',
  });
}

/** A label that shows where skills come from and gives no secret away. */
function labelOf(server: Client | McpAddress | McpCommand): string {
  if (isClient(server)) return "mcp";
  if ("command" in server) return `mcp:${server.command.slice(server.command.search(/[^/\\]*$/))}`;
  const { origin, pathname } = new URL(server.url);
  return `${origin}${pathname}`;
}
