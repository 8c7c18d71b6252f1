import { type BlobStore, digestOf } from "../core/index.ts";
import type { Artifact, ArtifactStore } from "../session/index.ts";
import { hashKey } from "./wire/hash-key.ts";
import { guarded } from "./wire/store-failure.ts";
import { isDigest, verifyBytes } from "./wire/verify-bytes.ts";

/** The three calls that are made: `new S3(...)` of `@aws-sdk/client-s3` has them, and so can a wrapper of any other client. */
export interface S3Calls {
  putObject(input: { Bucket: string; Key: string; Body: Uint8Array; ContentType: string; IfNoneMatch?: "*" }): Promise<unknown>;
  getObject(input: {
    Bucket: string;
    Key: string;
  }): Promise<{ readonly Body?: { transformToByteArray(): Promise<Uint8Array> } | undefined }>;
  listObjectsV2(input: { Bucket: string; Prefix: string; ContinuationToken?: string }): Promise<{
    readonly Contents?: readonly { readonly Key?: string | undefined }[] | undefined;
    readonly NextContinuationToken?: string | undefined;
  }>;
}

/** Which bucket. */
export interface S3Options {
  /** An existing bucket; everything is kept below `skillwright/` in it. */
  readonly bucket: string;
}

/**
 * An {@link ArtifactStore} in an S3-compatible bucket that honours `If-None-Match`, by which parallel saves get their own versions:
 * bytes below `skillwright/blobs/`, versions as `skillwright/artifacts/<session>/<name>/<version>.json`, sessions and names as digests.
 * The client stays the host's own to close.
 * @throws SkillError `store-failed` when the service refuses an operation
 * @throws SkillError `digest-mismatch` when the bytes kept of an artifact are damaged
 */
export function s3Artifacts(client: S3Calls, { bucket }: S3Options): ArtifactStore {
  const run = <T>(work: () => Promise<T>): Promise<T> => guarded("S3 artifact store", s3Hint(bucket), work);
  const blobs = s3Blobs(client, { bucket });
  const sessionPrefix = (sessionId: string) => `skillwright/artifacts/${hashKey(sessionId)}/`;
  const namePrefix = (sessionId: string, name: string) => `${sessionPrefix(sessionId)}${hashKey(name)}/`;

  const describe = async (key: string): Promise<Artifact | undefined> => {
    const record = await getIfThere(client, bucket, key);
    return record && JSON.parse(new TextDecoder().decode(record));
  };

  const claimVersion = async (prefix: string, described: Omit<Artifact, "version">): Promise<number> => {
    for (let version = versionOf((await keysBelow(client, bucket, prefix)).at(-1)) + 1; ; version++) {
      const record = JSON.stringify({
        name: described.name,
        version,
        mediaType: described.mediaType,
        bytes: described.bytes,
        digest: described.digest,
      });
      const object = {
        Bucket: bucket,
        Key: recordKey(prefix, version),
        Body: new TextEncoder().encode(record),
        ContentType: "application/json",
      };
      try {
        await client.putObject({ ...object, IfNoneMatch: "*" });
        return version;
      } catch (error) {
        // 412: another save has this version; 409: another save is just taking it.
        if (![409, 412].includes(statusOf(error))) throw error;
      }
    }
  };

  return {
    save: (sessionId, name, data, { mediaType }) =>
      run(async () => {
        const described = { name, mediaType, bytes: data.byteLength, digest: await blobs.put(data) };
        return { ...described, version: await claimVersion(namePrefix(sessionId, name), described) };
      }),
    list: (sessionId) =>
      run(async () => {
        const newest = new Map<string, string>();
        for (const key of await keysBelow(client, bucket, sessionPrefix(sessionId))) newest.set(key.slice(0, key.lastIndexOf("/")), key);
        const artifacts = await Promise.all([...newest.values()].map(describe));
        return artifacts.filter((artifact) => artifact !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
      }),
    read: (sessionId, name, version) =>
      run(async () => {
        const prefix = namePrefix(sessionId, name);
        const key = version === undefined ? (await keysBelow(client, bucket, prefix)).at(-1) : recordKey(prefix, version);
        const artifact = key === undefined ? undefined : await describe(key);
        const data = artifact && (await blobs.get(artifact.digest));
        return artifact && data && { artifact, data };
      }),
  };
}

/**
 * A {@link BlobStore} in an S3-compatible bucket, below `skillwright/blobs/`.
 * @throws SkillError `store-failed` when the service refuses an operation
 */
export function s3Blobs(client: S3Calls, { bucket }: S3Options): BlobStore {
  const run = <T>(work: () => Promise<T>): Promise<T> => guarded("S3 blob store", s3Hint(bucket), work);
  const keyOf = (digest: string) => `skillwright/blobs/${digest.slice("sha256:".length)}`;

  return {
    get: (digest) =>
      run(async () => {
        const bytes = isDigest(digest) ? await getIfThere(client, bucket, keyOf(digest)) : undefined;
        return bytes && verifyBytes(bytes, digest, `s3://${bucket}/${keyOf(digest)}`);
      }),
    put: (bytes) =>
      run(async () => {
        const kept = bytes.slice();
        const digest = await digestOf(kept);
        if ((await keysBelow(client, bucket, keyOf(digest))).length > 0) return digest;
        await client.putObject({ Bucket: bucket, Key: keyOf(digest), Body: kept, ContentType: "application/octet-stream" });
        return digest;
      }),
    has: (digest) => run(async () => isDigest(digest) && (await keysBelow(client, bucket, keyOf(digest))).length > 0),
  };
}

async function getIfThere(client: S3Calls, bucket: string, key: string): Promise<Uint8Array | undefined> {
  try {
    const { Body } = await client.getObject({ Bucket: bucket, Key: key });
    return (await Body?.transformToByteArray()) ?? new Uint8Array();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Every key below a prefix; S3 answers them sorted, a page at a time. */
async function keysBelow(client: S3Calls, bucket: string, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.listObjectsV2({ Bucket: bucket, Prefix: prefix, ...(token !== undefined && { ContinuationToken: token }) });
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key);
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return keys;
}

/** Versions are padded, so that the order of keys is the order of versions. */
function recordKey(prefix: string, version: number): string {
  return `${prefix}${String(version).padStart(8, "0")}.json`;
}

function versionOf(key: string | undefined): number {
  return key === undefined ? -1 : Number.parseInt(key.slice(key.lastIndexOf("/") + 1), 10);
}

function statusOf(error: unknown): number {
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode ?? 0;
}

function s3Hint(bucket: string): string {
  return `Check that the bucket "${bucket}" exists and that the client's credentials may list, read and write it.`;
}
