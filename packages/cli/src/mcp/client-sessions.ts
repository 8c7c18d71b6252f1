import { isInitializeRequest, type McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { rpcError } from "./node-listener.ts";

/** Options of {@link clientSessions}. */
export interface ClientSessionsOptions {
  /** Makes the server of a new client. */
  readonly connect: () => Promise<McpServer>;
  readonly maxSessions: number;
  /** A session without an open request is ended after this time: most clients leave without a word. */
  readonly idleMs: number;
}

/** The sessions of clients that speak a version of the protocol that has them. */
export interface ClientSessions {
  fetch(request: Request, body: unknown, closed: Promise<void>): Promise<Response>;
  readonly size: number;
  close(): Promise<void>;
}

interface ClientSession {
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  seenAt: number;
  open: number;
}

/** At the limit, a session that has been quiet for this long makes room for a new one. */
const quietMs = 60_000;

/** Keeps the sessions of clients: one server each, ended by the client, or when it has been gone for a while. */
export function clientSessions(options: ClientSessionsOptions): ClientSessions {
  const { connect, maxSessions, idleMs } = options;
  const sessions = new Map<string, ClientSession>();
  let opening = 0;
  const timer = setInterval(() => void endQuiet(idleMs), Math.min(idleMs / 4, 30_000)).unref();

  async function end(entries: readonly (readonly [string, ClientSession])[]): Promise<void> {
    for (const [id] of entries) sessions.delete(id);
    await Promise.allSettled(entries.map(([, { server }]) => server.close()));
  }

  function quiet(sinceMs: number): [string, ClientSession][] {
    const before = Date.now() - sinceMs;
    return [...sessions]
      .filter(([, session]) => session.open === 0 && session.seenAt <= before)
      .sort(([, a], [, b]) => a.seenAt - b.seenAt);
  }

  const endQuiet = (sinceMs: number): Promise<void> => end(quiet(sinceMs));

  async function hasRoom(): Promise<boolean> {
    if (sessions.size + opening < maxSessions) return true;
    const [oldest] = quiet(Math.min(quietMs, idleMs));
    if (oldest === undefined) return false;
    await end([oldest]);
    return true;
  }

  async function open(): Promise<ClientSession> {
    const server = await connect();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: async (id) => {
        const ended = sessions.get(id);
        if (ended !== undefined) await end([[id, ended]]);
      },
    });
    const session: ClientSession = { server, transport, seenAt: Date.now(), open: 0 };
    await server.connect(transport);
    return session;
  }

  function inUse(session: ClientSession, closed: Promise<void>): void {
    session.open++;
    void closed.then(() => {
      session.open--;
      session.seenAt = Date.now();
    });
  }

  async function begin(request: Request, body: unknown, closed: Promise<void>): Promise<Response> {
    if (!isInitializeRequest(body))
      return rpcError(400, -32_000, "The header Mcp-Session-Id is missing; a session begins with initialize.");
    if (!(await hasRoom())) return rpcError(503, -32_000, "Too many sessions are open.", { "retry-after": "30" });
    opening++;
    try {
      const session = await open();
      const { transport, server } = session;
      inUse(session, closed);
      const response = await transport.handleRequest(request, { parsedBody: body });
      if (transport.sessionId === undefined) await server.close();
      return response;
    } finally {
      opening--;
    }
  }

  return {
    async fetch(request, body, closed) {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return begin(request, body, closed);
      const session = sessions.get(id);
      if (session === undefined) return rpcError(404, -32_001, "Session not found. Begin a new one with initialize.");
      inUse(session, closed);
      return session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
    },
    get size() {
      return sessions.size;
    },
    async close() {
      clearInterval(timer);
      await end([...sessions]);
    },
  };
}
