import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type BlobStore, type Digest, digestOf } from "../core/index.ts";
import type { ContractCase, StoreContext } from "./contract-case.ts";

/** What every {@link BlobStore} promises. Blobs are random, so that the suite can run on a shared service. */
export const blobStoreContract: readonly ContractCase<StoreContext<BlobStore>>[] = [
  {
    name: "gives back bytes by their digest",
    run: async ({ open }) => {
      const store = await open();
      const bytes = unique(1_000);
      const digest = await store.put(bytes);
      assert.equal(digest, await digestOf(bytes));
      assert.deepEqual(plain(await store.get(digest)), bytes);
      assert.equal(await store.has(digest), true);
    },
  },
  {
    name: "knows nothing of bytes that were never put",
    run: async ({ open }) => {
      const store = await open();
      const digest = await digestOf(unique(10));
      assert.equal(await store.get(digest), undefined);
      assert.equal(await store.has(digest), false);
    },
  },
  {
    name: "takes what is no digest for something it does not have",
    run: async ({ open }) => {
      const store = await open();
      const kept = await store.put(unique(10));
      const hex = kept.slice("sha256:".length);
      for (const key of [
        "",
        "sha256:",
        "sha256:../../../etc/passwd",
        `sha256:${hex}/`,
        `sha256:${hex.toUpperCase()}Z`,
        `sha512:${hex}`,
        hex,
      ]) {
        assert.equal(await store.get(key as Digest), undefined);
        assert.equal(await store.has(key as Digest), false);
      }
    },
  },
  {
    name: "keeps no bytes at all, and many",
    run: async ({ open }) => {
      const store = await open();
      for (const bytes of [new Uint8Array(), unique(3_000_000)]) {
        assert.deepEqual(plain(await store.get(await store.put(bytes))), bytes);
      }
    },
  },
  {
    name: "may be given the same bytes again, also at the same time",
    run: async ({ open }) => {
      const stores = await Promise.all([open(), open(), open()]);
      const bytes = unique(100_000);
      const digests = await Promise.all(stores.flatMap((store) => [store.put(bytes), store.put(bytes)]));
      assert.equal(new Set(digests).size, 1);
      for (const store of stores) assert.deepEqual(plain(await store.get(await digestOf(bytes))), bytes);
    },
  },
  {
    name: "shares no bytes with its callers",
    run: async ({ open }) => {
      const store = await open();
      const bytes = unique(100);
      const before = bytes.slice();
      const putting = store.put(bytes);
      bytes.fill(0);
      const digest = await putting;
      assert.equal(digest, await digestOf(before));
      (await store.get(digest))?.fill(0);
      assert.deepEqual(plain(await store.get(digest)), before);
    },
  },
  {
    name: "shows a blob to one that opens later",
    run: async ({ open }) => {
      const bytes = unique(100);
      const digest = await (await open()).put(bytes);
      assert.deepEqual(plain(await (await open()).get(digest)), bytes);
    },
  },
];

function unique(bytes: number): Uint8Array {
  return new Uint8Array(randomBytes(bytes));
}

/** A Buffer and a Uint8Array of the same bytes are equal here. */
function plain(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes && new Uint8Array(bytes);
}
