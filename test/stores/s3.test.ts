import { S3 } from "@aws-sdk/client-s3";
import { s3Artifacts, s3Blobs } from "skillwright/stores/s3";
import { artifactStoreContract, blobStoreContract } from "skillwright/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runContract } from "./run-contract.ts";
import { type S3Server, startS3Server } from "./s3-server.ts";

let server: S3Server;
let client: S3;
beforeAll(async () => {
  server = await startS3Server();
  client = new S3({
    endpoint: server.endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    maxAttempts: 1,
  });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

runContract("artifacts in S3", artifactStoreContract, async () => ({ open: () => s3Artifacts(client, { bucket: "kept" }) }));
runContract("blobs in S3", blobStoreContract, async () => ({ open: () => s3Blobs(client, { bucket: "kept" }) }));

const bytes = new TextEncoder().encode("whole");

test("every object stands below one prefix, and no name becomes part of a key", async () => {
  server.objects.clear();
  await s3Artifacts(client, { bucket: "kept" }).save("../s", "../../a?x=1&y", bytes, { mediaType: "text/plain" });
  expect([...server.objects.keys()].sort()).toEqual([
    expect.stringMatching(/^skillwright\/artifacts\/[0-9a-f]{64}\/[0-9a-f]{64}\/00000000\.json$/),
    expect.stringMatching(/^skillwright\/blobs\/[0-9a-f]{64}$/),
  ]);
});

test("equal bytes are sent once", async () => {
  server.objects.clear();
  const artifacts = s3Artifacts(client, { bucket: "kept" });
  await artifacts.save("s", "a", bytes, { mediaType: "text/plain" });
  await artifacts.save("s", "b", bytes, { mediaType: "text/plain" });
  expect([...server.objects.keys()].filter((key) => key.startsWith("skillwright/blobs/"))).toHaveLength(1);
});

test("a damaged object is an error", async () => {
  const artifacts = s3Artifacts(client, { bucket: "kept" });
  const { digest } = await artifacts.save("damaged", "a", bytes, { mediaType: "text/plain" });
  server.objects.set(`skillwright/blobs/${digest.slice(7)}`, new Uint8Array([1]));
  await expect(artifacts.read("damaged", "a")).rejects.toMatchObject({ code: "digest-mismatch" });
});

test("what the service refuses is an error that names the bucket", async () => {
  server.failNext(403);
  await expect(s3Artifacts(client, { bucket: "kept" }).list("s")).rejects.toMatchObject({
    code: "store-failed",
    hint: expect.stringContaining('"kept"'),
  });
});
