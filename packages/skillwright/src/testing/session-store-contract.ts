import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { JsonObject, JsonValue } from "../core/index.ts";
import type { SessionStore } from "../session/index.ts";
import type { ContractCase, StoreContext } from "./contract-case.ts";

/** Keys that a store might trim, fold, unescape, match as a pattern or take for its own. */
const awkwardKeys: readonly string[] = [
  "",
  " ",
  "a ",
  "A",
  "a",
  "a%",
  "a_",
  "a*b",
  "a?[x]",
  "a\\b",
  "a\\u0041",
  "{a}b",
  "'; DROP TABLE skillwright_fact; --",
  '"quoted"',
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "revision",
  "fact:a",
  "line\nbreak\r\ttab",
  "nul\0nul",
  "e\u0301",
  "\u00e9",
  "技能",
  "\u{1f600}",
  "\ue000",
  "\ud83d",
  "\u007f",
  "x".repeat(5_000),
  "键".repeat(2_000),
];

const values: readonly (readonly [name: string, value: JsonValue])[] = [
  ["null", null],
  ["false", false],
  ["zero", 0],
  ["a fraction", -1.5e-7],
  ["the greatest whole number", Number.MAX_SAFE_INTEGER],
  ["an empty text", ""],
  ["text of every kind", "a\0b\n'\"\\ \ud83d 技能 \u{1f600} \u2028"],
  ["an empty list", []],
  ["an empty object", {}],
  ["a nested value", { list: [1, [2, { three: null }]], "": "", "a b": true }],
  ["a key named like a prototype", JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}')],
  ["a long text", "0123456789abcdef".repeat(65_536)],
];

/** What every {@link SessionStore} promises. Sessions have random ids, so that the suite can run on a shared server. */
export const sessionStoreContract: readonly ContractCase<StoreContext<SessionStore>>[] = [
  {
    name: "knows nothing of a session that was never written",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      assert.equal(await store.get(id, "a"), undefined);
      assert.deepEqual(await store.list(id, ""), []);
      assert.equal(await store.revision(id), 0);
      assert.equal(await store.remove(id, "a"), false);
      assert.equal(await store.set(id, "a", 1, { expected: 1 }), undefined);
      await store.clear(id);
      assert.equal(await store.revision(id), 0);
    },
  },
  {
    name: "gives back what was set, at the version that was answered",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const version = await store.set(id, "a", { text: "one" });
      assert.deepEqual(await store.get(id, "a"), { key: "a", value: { text: "one" }, version });
      assert.deepEqual(await store.list(id, ""), [{ key: "a", value: { text: "one" }, version }]);
    },
  },
  ...values.map(([name, value]) => ({
    name: `keeps ${name} as it is`,
    run: async ({ open }: StoreContext<SessionStore>) => {
      const { store, id } = await fresh(open);
      await store.set(id, "a", value);
      const kept = (await store.get(id, "a"))?.value;
      assert.equal(JSON.stringify(kept), JSON.stringify(value));
    },
  })),
  {
    name: "keeps awkward keys apart and lists them sorted",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      for (const key of awkwardKeys) await store.set(id, key, key.length, { expected: 0 });
      for (const key of awkwardKeys)
        assert.equal((await store.get(id, key))?.value, key.length, `the value of ${JSON.stringify(key.slice(0, 40))}`);
      assert.deepEqual(await keysOf(store, id, ""), [...awkwardKeys].sort());
    },
  },
  {
    name: "lists by prefix literally, never as a pattern",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      for (const key of awkwardKeys) await store.set(id, key, 1);
      for (const prefix of ["a", "A", "a%", "a_", "a*", "a?", "a\\", "{", "fact:", "nul\0", "技", "\u{1f600}", "\ud83d", "nothing"]) {
        const expected = awkwardKeys.filter((key) => key.startsWith(prefix)).sort();
        assert.deepEqual(await keysOf(store, id, prefix), expected, `the keys below ${JSON.stringify(prefix)}`);
      }
    },
  },
  {
    name: "keeps sessions apart, also where one id is the beginning of another",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const ids = [id, `${id}/`, `${id}%`, `${id}\0`, `${id}技`, ` ${id}`];
      for (const one of ids) await store.set(one, "a", one);
      for (const one of ids)
        assert.deepEqual(
          (await store.list(one, "")).map((fact) => fact.value),
          [one],
        );
      await store.clear(id);
      assert.deepEqual(await store.list(id, ""), []);
      for (const one of ids.slice(1)) assert.equal((await store.get(one, "a"))?.value, one);
      for (const one of ids) await store.clear(one);
    },
  },
  {
    name: "creates a fact once",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      assert.notEqual(await store.set(id, "a", "first", { expected: 0 }), undefined);
      assert.equal(await store.set(id, "a", "second", { expected: 0 }), undefined);
      assert.equal((await store.get(id, "a"))?.value, "first");
    },
  },
  {
    name: "replaces a fact only at the version that was expected",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const first = await store.set(id, "a", 1);
      const second = await store.set(id, "a", 2, { expected: first ?? 0 });
      assert.ok(first !== undefined && second !== undefined && second > first, "the version grows");
      assert.equal(await store.set(id, "a", 3, { expected: first }), undefined);
      assert.equal(await store.set(id, "a", 3, { expected: second + 1 }), undefined);
      assert.deepEqual(await store.get(id, "a"), { key: "a", value: 2, version: second });
    },
  },
  {
    name: "always replaces a fact when nothing is expected",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const versions = [await store.set(id, "a", 1), await store.set(id, "a", 2), await store.set(id, "a", 3)];
      assert.ok(
        versions.every((version, at) => version !== undefined && version > (versions[at - 1] ?? 0)),
        "the version grows",
      );
      assert.equal((await store.get(id, "a"))?.value, 3);
    },
  },
  {
    name: "removes a fact, once, and only at the version that was expected",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const version = (await store.set(id, "a", 1)) ?? 0;
      await store.set(id, "b", 1);
      assert.equal(await store.remove(id, "a", { expected: version + 100 }), false);
      assert.equal((await store.get(id, "a"))?.value, 1);
      assert.equal(await store.remove(id, "a", { expected: version }), true);
      assert.equal(await store.remove(id, "a"), false);
      assert.equal(await store.get(id, "a"), undefined);
      assert.deepEqual(await keysOf(store, id, ""), ["b"]);
      assert.equal(await store.remove(id, "b"), true);
    },
  },
  {
    name: "lets a removed fact be created again, at a version it never had",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const stale = (await store.set(id, "a", "old", { expected: 0 })) ?? 0;
      await store.remove(id, "a");
      const version = await store.set(id, "a", "new", { expected: 0 });
      assert.ok(version !== undefined && version > stale, "the version goes on growing");
      assert.equal(await store.set(id, "a", "lost", { expected: stale }), undefined);
      assert.equal(await store.remove(id, "a", { expected: stale }), false);
      assert.equal((await store.get(id, "a"))?.value, "new");
    },
  },
  {
    name: "raises the revision with every write, seen by every other writer, and with nothing else",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const other = await open();
      const seen: number[] = [];
      const changes = async (write: () => Promise<unknown>, changed: boolean) => {
        const before = await other.revision(id);
        await write();
        const after = await other.revision(id);
        assert.equal(after > before, changed, `revision ${before} became ${after}`);
        seen.push(after);
      };
      await changes(() => store.set(id, "a", 1), true);
      await changes(() => store.set(id, "a", 1), true);
      await changes(() => store.set(id, "b", 1, { expected: 0 }), true);
      await changes(() => store.set(id, "b", 2, { expected: 0 }), false);
      await changes(() => store.set(id, "b", 2, { expected: 1_000 }), false);
      await changes(() => store.get(id, "a"), false);
      await changes(() => store.list(id, ""), false);
      await changes(() => store.remove(id, "c"), false);
      await changes(() => store.remove(id, "b", { expected: 1_000 }), false);
      await changes(() => store.remove(id, "b"), true);
      assert.equal(await store.revision(id), seen.at(-1));
    },
  },
  {
    name: "forgets a session",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      for (const key of ["a", "b", "c"]) await store.set(id, key, 1);
      await store.clear(id);
      assert.deepEqual(await store.list(id, ""), []);
      assert.equal(await store.revision(id), 0);
      assert.notEqual(await store.set(id, "a", 2, { expected: 0 }), undefined);
      assert.deepEqual(await keysOf(store, id, ""), ["a"]);
    },
  },
  {
    name: "shares no object with its callers",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const value: JsonObject = { list: ["a"] };
      await store.set(id, "a", value);
      value.list = ["changed"];
      for (const read of [await store.get(id, "a"), (await store.list(id, ""))[0]]) {
        assert.deepEqual(read?.value, { list: ["a"] });
        (read?.value as JsonObject).list = ["changed"];
      }
      assert.deepEqual((await store.get(id, "a"))?.value, { list: ["a"] });
    },
  },
  {
    name: "shows what one writer acknowledged to one that opens later",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const version = await store.set(id, "a", "kept");
      const later = await open();
      assert.deepEqual(await later.get(id, "a"), { key: "a", value: "kept", version });
    },
  },
  {
    name: "loses no increment of writers that compare and set at the same time",
    run: async ({ open }) => {
      const { id } = await fresh(open);
      const writers = await Promise.all([open(), open(), open(), open()]);
      const increments = 25;
      await Promise.all(
        writers.map(async (store) => {
          for (let done = 0; done < increments; ) {
            const fact = await store.get(id, "count");
            const next = Number(fact?.value ?? 0) + 1;
            if ((await store.set(id, "count", next, { expected: fact?.version ?? 0 })) !== undefined) done++;
          }
        }),
      );
      assert.equal((await writers[0]?.get(id, "count"))?.value, writers.length * increments);
    },
  },
  {
    name: "loses no fact of writers that write different keys at the same time",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const writers = await Promise.all([open(), open(), open(), open()]);
      const written = await Promise.all(
        writers.flatMap((one, writer) => Array.from({ length: 25 }, (_, n) => one.set(id, `load/${writer}/${n}`, n, { expected: 0 }))),
      );
      assert.equal(new Set(written).size, 100, "every write has a version of its own");
      assert.ok(!written.includes(undefined), "every write was acknowledged");
      assert.equal((await store.list(id, "load/")).length, 100);
      assert.equal((await store.list(id, "load/2/")).length, 25);
    },
  },
  {
    name: "lets one of many create a fact, and one of many remove it",
    run: async ({ open }) => {
      const { store, id } = await fresh(open);
      const writers = await Promise.all([open(), open(), open(), open()]);
      for (let round = 0; round < 10; round++) {
        const created = await Promise.all(writers.map((one, at) => one.set(id, "lock", at, { expected: 0 })));
        assert.equal(created.filter((version) => version !== undefined).length, 1, "one created it");
        assert.equal(
          (await store.get(id, "lock"))?.value,
          created.findIndex((version) => version !== undefined),
        );
        const removed = await Promise.all(writers.map((one) => one.remove(id, "lock")));
        assert.equal(removed.filter(Boolean).length, 1, "one removed it");
      }
    },
  },
];

async function fresh(open: StoreContext<SessionStore>["open"]): Promise<{ readonly store: SessionStore; readonly id: string }> {
  return { store: await open(), id: `contract ${randomUUID()}` };
}

async function keysOf(store: SessionStore, id: string, prefix: string): Promise<readonly string[]> {
  return (await store.list(id, prefix)).map((fact) => fact.key);
}
