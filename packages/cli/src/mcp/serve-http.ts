import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, isJsonContentType, isLegacyRequest } from "@modelcontextprotocol/server";
import type { McpSkills } from "skillwright/adapters/mcp";
import { clientSessions } from "./client-sessions.ts";
import { nodeListener, rpcError } from "./node-listener.ts";
import { requestGuard } from "./request-guard.ts";

/** Options of {@link serveHttp}. */
export interface ServeHttpOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  readonly token?: string | undefined;
  /** @default 4 MiB */
  readonly maxBodyBytes?: number;
  /** @default 1,000 */
  readonly maxSessions?: number;
  /** @default 10 minutes */
  readonly idleMs?: number;
  readonly onError: (error: unknown) => void;
}

/** A server that listens. */
export interface HttpServing {
  readonly url: string;
  /** Clients that have a session now. */
  readonly sessions: number;
  /** Tells clients without sessions that the library changed. */
  changed(): void;
  close(): Promise<void>;
}

const path = "/mcp";

/** Serves skills over streamable HTTP, to clients of the protocol's versions with sessions and without. */
export async function serveHttp(skills: McpSkills, options: ServeHttpOptions): Promise<HttpServing> {
  const { host, port, token, maxBodyBytes = 4 * 1024 * 1024, maxSessions = 1_000, idleMs = 10 * 60_000, onError } = options;
  const withSessions = clientSessions({ connect: () => skills.server({ era: "legacy" }), maxSessions, idleMs });
  const withoutSessions = createMcpHandler(skills.server, { legacy: "reject", maxRequestBodySize: maxBodyBytes });

  async function handle(request: Request, closed: Promise<void>): Promise<Response> {
    if (new URL(request.url).pathname !== path) return rpcError(404, -32_000, `Skills are served at ${path}.`);
    if (!["GET", "POST", "DELETE"].includes(request.method)) {
      return rpcError(405, -32_000, "Use POST, GET or DELETE.", { allow: "POST, GET, DELETE" });
    }
    if (request.method !== "POST") return withSessions.fetch(request, undefined, closed);
    if (!isJsonContentType(request.headers.get("content-type"))) return rpcError(415, -32_000, "Send application/json.");
    let body: unknown;
    try {
      body = JSON.parse(await request.text());
    } catch {
      return rpcError(400, -32_700, "The body is not JSON.");
    }
    const old = await isLegacyRequest(request, body);
    return old ? withSessions.fetch(request, body, closed) : withoutSessions.fetch(request, { parsedBody: body });
  }

  const http = createServer(nodeListener(handle, { maxBodyBytes, refuse: requestGuard({ host, token }), onError }));
  // Headers and bodies are small: who takes longer is not heard out.
  http.headersTimeout = 20_000;
  http.requestTimeout = 60_000;
  // Longer than clients keep a connection: it is they who let go of it, not the server between two of their requests.
  http.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new Error(`Cannot listen at port ${port} of ${host} (${error.code ?? error.message}). Choose another with --port or --host.`, {
          cause: error,
        }),
      );
    });
    http.listen(port, host, resolve);
  });
  const address = http.address() as AddressInfo;
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}${path}`,
    get sessions() {
      return withSessions.size;
    },
    changed() {
      withoutSessions.notify.toolsChanged();
      withoutSessions.notify.promptsChanged();
      withoutSessions.notify.resourcesChanged();
    },
    async close() {
      const closed = new Promise((resolve) => http.close(resolve));
      await Promise.allSettled([withSessions.close(), withoutSessions.close()]);
      http.closeAllConnections();
      await closed;
    },
  };
}
