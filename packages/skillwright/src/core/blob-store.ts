import { type Digest, digestOf } from "./digest.ts";

/** Content-addressed bytes; pins and caches share it, and so can servers. */
export interface BlobStore {
  /**
   * The bytes of a digest, or undefined; they are the caller's own.
   * @throws SkillError `digest-mismatch` when what is kept no longer has this digest
   */
  get(digest: Digest): Promise<Uint8Array | undefined>;
  /** Keeps bytes and returns their digest; keeping the same bytes twice is free. */
  put(bytes: Uint8Array): Promise<Digest>;
  has(digest: Digest): Promise<boolean>;
}

/** A {@link BlobStore} in memory. */
export function memoryBlobStore(): BlobStore {
  const blobs = new Map<Digest, Uint8Array>();
  return {
    get: async (digest) => blobs.get(digest)?.slice(),
    put: async (bytes) => {
      const kept = bytes.slice();
      const digest = await digestOf(kept);
      if (!blobs.has(digest)) blobs.set(digest, kept);
      return digest;
    },
    has: async (digest) => blobs.has(digest),
  };
}
