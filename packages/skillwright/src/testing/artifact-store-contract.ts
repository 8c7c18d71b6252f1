import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { digestOf } from "../core/index.ts";
import type { ArtifactStore } from "../session/index.ts";
import type { ContractCase, StoreContext } from "./contract-case.ts";

/** Names that must never become paths, patterns or headers. */
const awkwardNames: readonly string[] = [
  "",
  ".",
  "..",
  "../../escape.txt",
  "/etc/passwd",
  "C:\\windows\\system.ini",
  "a/b.txt",
  "a",
  "A",
  "a ",
  "%2e%2e%2f",
  "a*?.txt",
  "nul\0name",
  "line\nbreak",
  "__proto__",
  "drafts",
  "报告.csv",
  "\u{1f600}.png",
  "e\u0301",
  "\u00e9",
  "\ud83d",
  "x".repeat(4_000),
];

/** What every {@link ArtifactStore} promises. Sessions have random ids, so that the suite can run on a shared service. */
export const artifactStoreContract: readonly ContractCase<StoreContext<ArtifactStore>>[] = [
  {
    name: "knows nothing of a session that saved nothing",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      assert.deepEqual(await store.list(id), []);
      assert.equal(await store.read(id, "a"), undefined);
      assert.equal(await store.read(id, "a", 0), undefined);
    },
  },
  {
    name: "gives back the bytes, and says what they are",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const data = new Uint8Array(256).map((_, at) => at);
      const artifact = await store.save(id, "chart.png", data, { mediaType: "image/png" });
      assert.deepEqual(artifact, { name: "chart.png", version: 0, mediaType: "image/png", bytes: 256, digest: await digestOf(data) });
      const read = await store.read(id, "chart.png");
      assert.deepEqual(read?.artifact, artifact);
      assert.deepEqual(plain(read?.data), plain(data));
      assert.deepEqual(await store.list(id), [artifact]);
    },
  },
  {
    name: "keeps an empty file and a large one",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const large = new Uint8Array(3_000_000).map((_, at) => at * 31);
      await store.save(id, "empty", new Uint8Array(), { mediaType: "text/plain" });
      await store.save(id, "large", large, { mediaType: "application/octet-stream" });
      assert.equal((await store.read(id, "empty"))?.data.byteLength, 0);
      assert.deepEqual(plain((await store.read(id, "large"))?.data), plain(large));
    },
  },
  {
    name: "counts versions of a name from 0 and keeps every one",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      // Past ten, where versions that are sorted as text go wrong.
      for (let version = 0; version < 12; version++) {
        assert.equal((await store.save(id, "a", text(`v${version}`), { mediaType: "text/plain" })).version, version);
      }
      await store.save(id, "b", text("v0"), { mediaType: "text/markdown" });
      for (let version = 0; version < 12; version++)
        assert.deepEqual(plain((await store.read(id, "a", version))?.data), plain(text(`v${version}`)));
      assert.equal((await store.read(id, "a"))?.artifact.version, 11);
      for (const version of [12, -1, 0.5, Number.NaN]) assert.equal(await store.read(id, "a", version), undefined);
      const listed = await store.list(id);
      assert.deepEqual(
        listed.map(({ name, version, mediaType }) => [name, version, mediaType]),
        [
          ["a", 11, "text/plain"],
          ["b", 0, "text/markdown"],
        ],
      );
    },
  },
  {
    name: "takes names as keys, never as paths, and lists them sorted",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      for (const name of awkwardNames) assert.equal((await store.save(id, name, text(name), { mediaType: "text/plain" })).version, 0);
      for (const name of awkwardNames) assert.deepEqual(plain((await store.read(id, name))?.data), plain(text(name)));
      assert.deepEqual(
        (await store.list(id)).map((artifact) => artifact.name),
        [...awkwardNames].sort(),
      );
    },
  },
  {
    name: "keeps sessions apart, whatever their ids look like",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const ids = [id, `${id}/..`, `../${id}`, `${id}\0`, `${id}技`];
      for (const one of ids) await store.save(one, "a", text(one), { mediaType: "text/plain" });
      for (const one of ids) {
        assert.deepEqual(plain((await store.read(one, "a"))?.data), plain(text(one)));
        assert.equal((await store.list(one)).length, 1);
      }
    },
  },
  {
    name: "shares no bytes with its callers",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const data = text("before");
      const saving = store.save(id, "a", data, { mediaType: "text/plain" });
      data.fill(0);
      await saving;
      (await store.read(id, "a"))?.data.fill(0);
      assert.deepEqual(plain((await store.read(id, "a"))?.data), plain(text("before")));
    },
  },
  {
    name: "gives saves of one name at the same time a version each",
    run: async ({ open }) => {
      const { id } = await fresh(open);
      const writers = await Promise.all([open(), open(), open(), open()]);
      const saved = await Promise.all(
        writers.flatMap((store, writer) =>
          Array.from({ length: 5 }, (_, n) => store.save(id, "a", text(`${writer}/${n}`), { mediaType: "text/plain" })),
        ),
      );
      assert.deepEqual(
        saved.map((artifact) => artifact.version).sort((a, b) => a - b),
        Array.from({ length: 20 }, (_, version) => version),
      );
      for (const artifact of saved) {
        assert.deepEqual((await writers[0]?.read(id, "a", artifact.version))?.artifact, artifact);
      }
    },
  },
];

async function fresh(open: StoreContext<ArtifactStore>["open"]): Promise<{ readonly store: ArtifactStore; readonly id: string }> {
  return { store: await open(), id: `contract ${randomUUID()}` };
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

/** A Buffer and a Uint8Array of the same bytes are equal here. */
function plain(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes && new Uint8Array(bytes);
}
