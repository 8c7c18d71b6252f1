import pg from "pg";
import { postgresBlobs, postgresStore } from "skillwright/stores/postgres";
import { blobStoreContract, sessionStoreContract } from "skillwright/testing";
import { afterAll, describe, expect, test } from "vitest";
import { crashTimeoutMs } from "../stores/crash-rounds.ts";
import { runContract } from "../stores/run-contract.ts";
import { behavesLikeMemory } from "../stores/session-store-model.ts";
import { keepsWhatWasAcknowledged, losesNoStepOf } from "../stores/shared-by-processes.ts";

const location = process.env.SKILLWRIGHT_POSTGRES;
const missing = "no PostgreSQL server: start one by scripts/ci/postgres.sh and set SKILLWRIGHT_POSTGRES to its address";
const connect = (options: pg.PoolConfig = {}) => new pg.Pool({ connectionString: location, max: 4, ...options });
const pools = [connect(), connect()] as const;

afterAll(async () => {
  for (const pool of pools) await pool.end();
});

test("a PostgreSQL server is there", (context) => {
  if (location === undefined) context.skip(missing);
});

describe.skipIf(location === undefined)("a PostgreSQL server", () => {
  let opened = 0;
  const pool = () => pools[opened++ % 2 === 0 ? 0 : 1];

  test("many that start at once create the tables once, again and again", async () => {
    for (let round = 0; round < 10; round++) {
      await pools[0].query("DROP TABLE IF EXISTS skillwright_fact, skillwright_session");
      const stores = Array.from({ length: 8 }, () => postgresStore(pool()));
      const versions = await Promise.all(stores.map((store, at) => store.set("start", `a/${at}`, at)));
      expect(versions.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    }
    await postgresStore(pool()).clear("start");
  });

  runContract("sessions in PostgreSQL", sessionStoreContract, async () => ({ open: () => postgresStore(pool()) }));
  runContract("blobs in PostgreSQL", blobStoreContract, async () => ({ open: () => postgresBlobs(pool()) }));

  test("any sequence of calls over two pools answers what memory answers", async () => {
    await behavesLikeMemory([postgresStore(pools[0]), postgresStore(pools[1])], 200);
  });

  test("writers, removers and one that clears never deadlock or leave a fact without its session", async () => {
    const stores = [postgresStore(pools[0]), postgresStore(pools[1])] as const;
    const work = Array.from({ length: 400 }, (_, at) => {
      const store = stores[at % 2 === 0 ? 0 : 1];
      const key = `k/${at % 5}`;
      if (at % 50 === 49) return store.clear("busy");
      if (at % 7 === 0) return store.remove("busy", key);
      return at % 3 === 0 ? store.set("busy", key, at, { expected: 0 }) : store.set("busy", key, at);
    });
    await Promise.all(work);
    const { rows } = await pools[0].query(
      "SELECT count(*)::int AS lost FROM skillwright_fact WHERE session NOT IN (SELECT digest FROM skillwright_session)",
    );
    expect(rows).toEqual([{ lost: 0 }]);
    await stores[0].clear("busy");
  });

  test("a role that may not create tables can use those it was given", async () => {
    await postgresStore(pools[0]).revision("tables are there");
    await pools[0].query("DROP ROLE IF EXISTS guest");
    await pools[0].query("CREATE ROLE guest LOGIN");
    await pools[0].query("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    await pools[0].query("GRANT SELECT, INSERT, UPDATE, DELETE ON skillwright_session, skillwright_fact TO guest");
    const guest = connect({ options: "-c role=guest" });
    const store = postgresStore(guest);
    expect(await store.set("guest", "a", 1)).toBe(1);
    await store.clear("guest");
    await expect(postgresBlobs(guest).put(new Uint8Array([1]))).rejects.toMatchObject({
      code: "store-failed",
      hint: expect.stringContaining("create them"),
    });
    await guest.end();
    await pools[0].query("DROP OWNED BY guest");
    await pools[0].query("DROP ROLE guest");
  });

  test("after a failed start the next call tries again", async () => {
    let down = true;
    const store = postgresStore({
      query: (text, values) => (down ? Promise.reject(new Error("connection refused")) : pools[0].query(text, values)),
    });
    await expect(store.get("s", "a")).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringContaining("connection refused"),
    });
    down = false;
    expect(await store.get("s", "a")).toBeUndefined();
  });

  test("processes that share a session lose nothing", { timeout: 120_000 }, async () => {
    await losesNoStepOf(4, 50, { kind: "postgres", location: location ?? "" });
  });

  test("every acknowledged fact of a process that is killed is there", { timeout: crashTimeoutMs }, async () => {
    await keepsWhatWasAcknowledged({ kind: "postgres", location: location ?? "" });
  });
});
