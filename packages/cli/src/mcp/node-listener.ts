import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** What a handler is given beside the request: the request's end on the wire, which comes when the client is gone too. */
export type FetchHandler = (request: Request, closed: Promise<void>) => Promise<Response>;

/** Options of {@link nodeListener}. */
export interface ListenerOptions {
  /** A larger body is answered 413, and not kept. */
  readonly maxBodyBytes: number;
  /** Refuses a request by its headers, before its body is read. */
  readonly refuse: (request: IncomingMessage) => Response | undefined;
  readonly onError: (error: unknown) => void;
}

/** Beyond this a client that goes on sending after its answer is cut off. */
const maxDiscardedBytes = 256 * 1024 * 1024;

/** Serves a handler of web requests with Node's own server. */
export function nodeListener(handle: FetchHandler, options: ListenerOptions): RequestListener {
  return (request, response) => {
    serve(handle, request, response, options).catch((error: unknown) => {
      if (!response.destroyed) options.onError(error);
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(500).end();
    });
  };
}

async function serve(handle: FetchHandler, request: IncomingMessage, response: ServerResponse, options: ListenerOptions): Promise<void> {
  const abort = new AbortController();
  const closed = new Promise<void>((resolve) => {
    response.once("close", () => {
      abort.abort();
      resolve();
    });
  });
  const refused = options.refuse(request);
  if (refused !== undefined) {
    discard(request);
    return send(refused, response);
  }
  const body = await readBody(request, options.maxBodyBytes);
  if (body === "too-large") return send(tooLarge(options.maxBodyBytes), response);
  if (body === "cut-off") return;
  const { method = "GET", headers, url = "/" } = request;
  const init = { method, headers: headersOf(headers), signal: abort.signal, ...(body.length > 0 ? { body } : {}) };
  await send(await handle(new Request(new URL(url, "http://localhost"), init), closed), response);
}

/** Reads a body to its end. One that is too large is answered while it still arrives: what comes after is thrown away. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | "too-large" | "cut-off"> {
  return new Promise((resolve) => {
    if (Number(request.headers["content-length"]) > maxBytes) {
      discard(request);
      resolve("too-large");
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      request.off("data", onData);
      discard(request);
      resolve("too-large");
    };
    request.on("data", onData);
    request.once("end", () => resolve(new Uint8Array(Buffer.concat(chunks))));
    request.once("close", () => resolve("cut-off"));
    request.on("error", () => resolve("cut-off"));
  });
}

function discard(request: IncomingMessage): void {
  let size = 0;
  request.on("error", () => undefined);
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxDiscardedBytes) request.destroy();
  });
}

async function send(result: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) return void (await result.body?.cancel());
  response.writeHead(result.status, Object.fromEntries(result.headers));
  if (result.body === null) {
    response.end();
    return;
  }
  // A stream may say nothing for a long time: its headers are not kept back until it does.
  response.flushHeaders();
  await pipeline(Readable.fromWeb(result.body as Parameters<typeof Readable.fromWeb>[0]), response).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    },
  );
}

function headersOf(headers: IncomingMessage["headers"]): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) result.append(name, item);
  }
  return result;
}

/** An error of the protocol that belongs to no message. */
export function rpcError(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });
}

function tooLarge(maxBytes: number): Response {
  return rpcError(413, -32_000, `The body is larger than ${maxBytes} bytes.`);
}
