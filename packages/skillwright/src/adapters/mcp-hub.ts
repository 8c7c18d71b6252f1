import { isAbsolute } from "node:path";
import { type CallToolResult, Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type JsonObject, SkillError } from "../core/index.ts";
import type { McpConnection, McpHub } from "../session/index.ts";

/** Options of {@link mcpHub}. */
export interface McpHubOptions {
  /**
   * Values for `${NAME}` in the `env`, `args`, `url` and `headers` of a skill's mcp.json. Nothing else of the host's environment reaches
   * a server, but for HOME, PATH and the like. @default none
   */
  readonly variables?: Readonly<Record<string, string>>;
  /** Time limit of the start, and of one call. @default 60,000 */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 60_000;

/**
 * Starts the MCP servers that skills declare: `openSession({ hosts: { mcp: mcpHub() } })`. A program runs as the host's user, outside any
 * sandbox, in the skill's folder where that lies on this machine; that is why a session asks before it starts one.
 */
export function mcpHub(options: McpHubOptions = {}): McpHub {
  const { variables = {}, timeoutMs = defaultTimeoutMs } = options;
  return {
    async connect({ name, skill, location, config }, { signal }) {
      const transport = transportOf(config, { server: `"${name}" of skill "${skill}"`, location, variables });
      const client = new Client({ name: "skillwright", version: "1.0.0" }, "url" in config ? { versionNegotiation: { mode: "auto" } } : {});
      const request = { timeout: timeoutMs, ...(signal ? { signal } : {}) };
      try {
        await client.connect(transport, request);
        const { tools } = client.getServerCapabilities()?.tools === undefined ? { tools: [] } : await client.listTools(undefined, request);
        return connectionOf(client, tools, timeoutMs);
      } catch (error) {
        await client.close().catch(() => undefined);
        throw error;
      }
    },
  };
}

function connectionOf(
  client: Client,
  tools: readonly { readonly name: string; readonly description?: string | undefined; readonly inputSchema: object }[],
  timeoutMs: number,
): McpConnection {
  return {
    tools: tools.map(({ name, description = "", inputSchema }) => ({ name, description, inputSchema: inputSchema as JsonObject })),
    async call(name, input, { signal }) {
      const result = await client.callTool(
        { name, arguments: { ...input } },
        { timeout: timeoutMs, resetTimeoutOnProgress: true, ...(signal ? { signal } : {}) },
      );
      return { text: result.content.map(textOf).join("\n"), isError: result.isError === true };
    },
    close: () => client.close(),
  };
}

/** What a model reads of an answer: text, and a word about everything that is none. */
function textOf(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type}, ${part.mimeType}]`;
    case "resource":
      return "text" in part.resource ? part.resource.text : `[${part.resource.uri}, ${part.resource.mimeType ?? "bytes"}]`;
    case "resource_link":
      return `[${part.name}: ${part.uri}]`;
  }
}

interface Place {
  /** For messages. */
  readonly server: string;
  readonly location: string;
  readonly variables: Readonly<Record<string, string>>;
}

function transportOf(config: JsonObject, place: Place): Transport {
  const { command, args = [], url } = config;
  if (typeof command === "string" && command !== "" && Array.isArray(args)) {
    return new StdioClientTransport({
      command: filled(command, place),
      args: args.map((word) => filled(word, place)),
      env: record(config.env, place),
      stderr: "ignore",
      ...(isAbsolute(place.location) ? { cwd: place.location } : {}),
    });
  }
  const address = typeof url === "string" ? URL.parse(filled(url, place)) : null;
  if (address?.protocol === "http:" || address?.protocol === "https:") {
    return new StreamableHTTPClientTransport(address, { requestInit: { headers: record(config.headers, place) } });
  }
  throw invalid(place, "it has neither a `command` with `args` nor an http `url`");
}

function record(value: JsonObject[string] | undefined, place: Place): Record<string, string> {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(place, "`env` and `headers` are objects of texts");
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, filled(text, place)]));
}

/** A text with the host's variables in it: only those that the host named for this. */
function filled(text: unknown, place: Place): string {
  if (typeof text !== "string") throw invalid(place, `${JSON.stringify(text)} is not a text`);
  return text.replaceAll(/\$\{(\w+)\}/g, (_whole, name: string) => {
    if (Object.hasOwn(place.variables, name)) return place.variables[name] ?? "";
    throw invalid(place, `it needs the variable ${name}, which this host does not give it`, "Name it in the hub's `variables`.");
  });
}

function invalid({ server }: Place, reason: string, hint = "Correct the skill's mcp.json."): SkillError {
  return new SkillError("configuration-invalid", `The MCP server ${server} cannot be started: ${reason}.`, { hint });
}
