import { type McpRequestContext, McpServer } from "@modelcontextprotocol/server";
import { type SkillSource as SkillEntries, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import type { SessionOptions, SkillLibrary } from "../session/index.ts";
import { type Caller, connectionCaller } from "./mcp/caller.ts";
import { addTools, announceLibrary, serveHandlers } from "./mcp/serve-handlers.ts";
import { sessionlessCaller } from "./mcp/sessionless-caller.ts";
import { skillEntries } from "./mcp/skill-entries.ts";

/** Options of {@link toMcp}. */
export interface McpOptions {
  /** What clients are told the server is called. @default "skillwright" */
  readonly name?: string;
  /** @default "1.0.0" */
  readonly version?: string;
  /**
   * What the session of each client is opened with: a sandbox for run tools, `approve`, `scope`, `locale`. Approvals are asked
   * through the client where it can ask its user.
   */
  readonly session?: Omit<SessionOptions, "id" | "conversation">;
}

/** A library as an MCP server. */
export interface McpSkills {
  /**
   * Makes the server of one client, for `serveStdio()`, `createMcpHandler()` or a transport: tools, prompts, `skill://` resources
   * and the skills extension, with a session of its own that ends with the connection.
   */
  readonly server: (context: McpRequestContext) => Promise<McpServer>;
  /** Adds tools, `skill://` resources and the skills extension to a server that has tools of its own, before it is connected. */
  attach(server: McpServer): Promise<void>;
  /** The text for the `instructions` of such a server; "" when there are no skills. */
  instructions(): Promise<string>;
  /** The skills alone, for a `SkillsExtension` that the host makes itself. */
  readonly entries: SkillEntries;
  /** Refreshes the library on file events and tells connected clients; answers a function that stops. `onChange` is for handlers without connections. */
  watch(onChange?: () => void): () => void;
  /** Refreshes the library now, and tells connected clients if it changed; answers whether it did. */
  refresh(): Promise<boolean>;
  /** Ends every session; the library stays open. */
  close(): Promise<void>;
}

/**
 * Serves a library over MCP: by the skills extension (SEP-2640) for clients that know it, by a few tools for all others.
 * One client has one session; requests of protocol versions without connections share one, and runs get named workspaces.
 */
export function toMcp(library: SkillLibrary, options: McpOptions = {}): McpSkills {
  const { name = "skillwright", version = "1.0.0" } = options;
  const { scope, ...session } = options.session ?? {};
  const visible = scope === undefined ? library : library.scope(scope);
  const entries = skillEntries(visible);
  const extension = new SkillsExtension({
    source: entries,
    onWarning: ({ path, message }) =>
      visible.onEvent({
        type: "diagnostic",
        diagnostic: { severity: "warning", code: "skill-not-published", message, location: path, hint: "Its tools serve it all the same." },
      }),
  });
  const connected = new Map<McpServer, Caller>();
  let sessionless: Promise<Caller> | undefined;
  let seen = visible.catalog;

  const withoutSession = (): Promise<Caller> => {
    sessionless ??= sessionlessCaller(visible, session);
    return sessionless;
  };

  function connect(server: McpServer, caller: Caller): void {
    connected.set(server, caller);
    const onclose = server.server.onclose;
    server.server.onclose = () => {
      onclose?.();
      connected.delete(server);
      void caller.close();
    };
  }

  async function announce(): Promise<boolean> {
    if (seen === visible.catalog) return false;
    seen = visible.catalog;
    await (await sessionless)?.follow();
    await Promise.allSettled(Array.from(connected, ([server, caller]) => announceLibrary(server, caller)));
    return true;
  }

  return {
    async server({ era, requestInfo }) {
      // A server that is made for one request has no connection whose end would end a session.
      const single = requestInfo !== undefined;
      const caller = single ? await withoutSession() : await connectionCaller(visible, session, { fixedTools: era === "modern" });
      const { instructions } = caller;
      const server = new McpServer({ name, version }, instructions === "" ? {} : { instructions });
      extension.attach(server);
      serveHandlers(server, visible, caller);
      if (!single) connect(server, caller);
      return server;
    },
    async attach(server) {
      const caller = await connectionCaller(visible, session, { fixedTools: true });
      extension.attach(server);
      addTools(server, caller);
      connect(server, caller);
    },
    instructions: async () => (await withoutSession()).instructions,
    entries,
    watch: (onChange) =>
      visible.watch({
        onChange: () => {
          void announce();
          onChange?.();
        },
      }),
    async refresh() {
      await visible.refresh();
      return announce();
    },
    async close() {
      const callers = [...connected.values(), ...(sessionless === undefined ? [] : [await sessionless])];
      connected.clear();
      sessionless = undefined;
      await Promise.allSettled(callers.map((caller) => caller.close()));
    },
  };
}
