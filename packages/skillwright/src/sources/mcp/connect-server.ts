import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { SkillError } from "../../core/index.ts";

/** A server that is started as a program. It gets the variables named here beside a few harmless ones, never all of the host's. */
export interface McpCommand {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server behind a URL, with headers for every request: `{ authorization: "Bearer ..." }`. */
export interface McpAddress {
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A connection that is made when it is needed, and made again when it broke. */
export interface ServerConnection {
  /** @throws SkillError `source-failed` */
  client(signal?: AbortSignal): Promise<Client>;
  close(): Promise<void>;
}

/** A listing is walked to its end, but not for ever: with entries in small pages this is still more than a library holds. */
const maxPages = 2_000;
/** The largest message of a program: the largest skill file, in base64, with room. */
const maxMessageBytes = 64 * 1024 * 1024;

/** A connection to a server that the source itself opens and closes. */
export function connectServer(
  server: McpCommand | McpAddress,
  options: { readonly id: string; readonly timeoutMs: number; readonly onChange: () => void },
): ServerConnection {
  let connecting: Promise<Client> | undefined;

  async function open(signal: AbortSignal | undefined): Promise<Client> {
    const client = new Client(
      { name: "skillwright", version: "1.0.0" },
      {
        listMaxPages: maxPages,
        listChanged: { resources: { onChanged: options.onChange, autoRefresh: false } },
        // A program would be started twice to find out which versions it speaks; all of them speak the older one.
        versionNegotiation: { mode: "url" in server ? "auto" : "legacy" },
      },
    );
    client.onclose = () => {
      connecting = undefined;
    };
    const connected = client.connect(await transportOf(server), { timeout: options.timeoutMs, ...(signal ? { signal } : {}) });
    return connected.then(
      () => client,
      async (error: unknown) => {
        await client.close().catch(() => undefined);
        throw unreachable(error);
      },
    );
  }

  function unreachable(error: unknown): SkillError {
    const reason = error instanceof Error ? error.message : String(error);
    return new SkillError("source-failed", `The MCP server ${options.id} cannot be reached: ${reason}`, {
      hint: "url" in server ? "Check the URL and its headers." : "Check the command by running it in a terminal.",
      cause: error,
    });
  }

  return {
    client(signal) {
      if (connecting === undefined) {
        const opening = open(signal);
        connecting = opening;
        opening.catch(() => {
          if (connecting === opening) connecting = undefined;
        });
      }
      return connecting;
    },
    async close() {
      const client = await connecting?.catch(() => undefined);
      connecting = undefined;
      await client?.close();
    },
  };
}

async function transportOf(server: McpCommand | McpAddress): Promise<Transport> {
  if ("url" in server) {
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { ...server.headers } } });
  }
  // Read only where a program is started, so that everything else runs without Node.
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  return new StdioClientTransport({
    command: server.command,
    args: [...(server.args ?? [])],
    env: { ...server.env },
    ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
    stderr: "ignore",
    maxBufferSize: maxMessageBytes,
  });
}
