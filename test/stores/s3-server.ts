import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A bucket over HTTP, as far as the store needs one. */
export interface S3Server {
  readonly endpoint: string;
  /** What the bucket holds. */
  readonly objects: Map<string, Uint8Array>;
  /** Answers this status to the next request. */
  failNext(status: number): void;
  close(): Promise<void>;
}

/** Few enough that every listing of the contract suite takes several pages. */
const pageSize = 7;

/** Speaks the three requests of S3 that matter here, in path style: put (with If-None-Match), get, and list (version 2) by pages. */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Uint8Array>();
  let failure: number | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const reply = failure === undefined ? answer(objects, request, new Uint8Array(Buffer.concat(chunks))) : refusal(failure, "Refused");
    failure = undefined;
    response.writeHead(reply.status).end(reply.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    failNext: (status) => {
      failure = status;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Reply {
  readonly status: number;
  readonly body?: string | Uint8Array;
}

function answer(objects: Map<string, Uint8Array>, request: IncomingMessage, body: Uint8Array): Reply {
  const url = new URL(request.url ?? "/", "http://bucket");
  const key = decodeURIComponent(url.pathname.split("/").slice(2).join("/"));
  if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 ")) return refusal(403, "AccessDenied");
  if (request.method === "GET" && key === "") return list(objects, url.searchParams);
  if (request.method === "GET") {
    const found = objects.get(key);
    return found === undefined ? refusal(404, "NoSuchKey") : { status: 200, body: found };
  }
  if (request.method !== "PUT") return refusal(405, "MethodNotAllowed");
  if (request.headers["if-none-match"] === "*" && objects.has(key)) return refusal(412, "PreconditionFailed");
  objects.set(key, body);
  return { status: 200 };
}

function list(objects: Map<string, Uint8Array>, query: URLSearchParams): Reply {
  const after = query.get("continuation-token") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after).sort();
  const page = keys.slice(0, pageSize);
  const next = keys.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("");
  return { status: 200, body: `<ListBucketResult><IsTruncated>${next !== ""}</IsTruncated>${next}${contents}</ListBucketResult>` };
}

function refusal(status: number, code: string): Reply {
  return { status, body: `<Error><Code>${code}</Code><Message>${code}</Message></Error>` };
}
