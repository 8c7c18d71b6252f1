import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { rpcError } from "./node-listener.ts";

const loopback = ["localhost", "127.0.0.1", "[::1]"];
const everywhere = new Set(["0.0.0.0", "::", "[::]"]);

/** Who may speak to the server. */
export interface GuardOptions {
  /** The address that it listens at. */
  readonly host: string;
  /** What every request must bear; without one, whoever reaches it may. */
  readonly token: string | undefined;
}

/** Whether an address can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return loopback.includes(bracketed(host)) || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/**
 * Checks a request by its headers: that its host is one of the server's names, so that no page can reach it under another; that it comes
 * from no other page; and that it bears the token. Answers the refusal, or nothing.
 */
export function requestGuard({ host, token }: GuardOptions): (request: IncomingMessage) => Response | undefined {
  const names = [...loopback, bracketed(host)];
  const expected = token === undefined ? undefined : digest(token);
  return ({ headers }) => {
    // Listening everywhere it goes by names that are not known here; then the token, which such a server must have, is the guard.
    const named = everywhere.has(host) ? [...names, hostnameOf(headers.host)] : names;
    const hostCheck = validateHostHeader(headers.host, named);
    if (!hostCheck.ok) return rpcError(403, -32_000, hostCheck.message);
    const originCheck = validateOriginHeader(headers.origin, named);
    if (!originCheck.ok) return rpcError(403, -32_000, originCheck.message);
    if (expected === undefined || bears(headers.authorization, expected)) return undefined;
    return rpcError(401, -32_000, "This server wants a bearer token.", { "www-authenticate": 'Bearer realm="skillwright"' });
  };
}

/** Compares digests, so that neither content nor length of the token shows in the time it takes. */
function bears(authorization: string | undefined, expected: Buffer): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(digest(given), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function hostnameOf(header: string | undefined): string {
  return URL.parse(`http://${header ?? ""}`)?.hostname ?? "";
}
