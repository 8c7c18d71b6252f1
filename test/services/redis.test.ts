import { createClient } from "redis";
import { redisStore } from "skillwright/stores/redis";
import { sessionStoreContract } from "skillwright/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { crashTimeoutMs } from "../stores/crash-rounds.ts";
import { runContract } from "../stores/run-contract.ts";
import { behavesLikeMemory } from "../stores/session-store-model.ts";
import { keepsWhatWasAcknowledged, losesNoStepOf } from "../stores/shared-by-processes.ts";

const location = process.env.SKILLWRIGHT_REDIS;
const missing = "no Redis server: start one by scripts/ci/redis.sh and set SKILLWRIGHT_REDIS to its socket";
const connect = () => createClient({ socket: { path: location ?? "", tls: false } });
const clients = [connect(), connect()] as const;

beforeAll(async () => {
  if (location !== undefined) for (const client of clients) await client.connect();
});
afterAll(() => {
  for (const client of clients) if (client.isOpen) client.destroy();
});

test("a Redis server is there", (context) => {
  if (location === undefined) context.skip(missing);
});

describe.skipIf(location === undefined)("a Redis server", () => {
  let opened = 0;
  const open = () => redisStore(clients[opened++ % 2 === 0 ? 0 : 1]);

  runContract("sessions in Redis", sessionStoreContract, async () => ({ open }));

  runContract("sessions in Redis, by a client with `call`", sessionStoreContract, async () => ({
    open: () => redisStore({ call: (command: string, ...args: string[]) => clients[0].sendCommand([command, ...args]) }),
  }));

  runContract("sessions in Redis, by a function", sessionStoreContract, async () => ({
    open: () => redisStore((command, ...args) => clients[1].sendCommand([command, ...args])),
  }));

  test("any sequence of calls over two connections answers what memory answers", async () => {
    await behavesLikeMemory([open(), open()], 200);
  });

  test("a session is one key, gone when it is cleared", async () => {
    const store = open();
    await store.set("one key", "a", 1);
    await store.set("one key", "b", 2);
    expect(await clients[0].keys("*one key*")).toEqual(["skillwright:session:one key"]);
    await store.clear("one key");
    expect(await clients[0].keys("*one key*")).toEqual([]);
  });

  test("what the server refuses is an error that says what to do", async () => {
    await clients[0].set("skillwright:session:taken", "not a hash");
    await expect(open().set("taken", "a", 1)).rejects.toMatchObject({ code: "store-failed", hint: expect.stringContaining("Redis") });
    await clients[0].del("skillwright:session:taken");
  });

  test("processes that share a session lose nothing", { timeout: 120_000 }, async () => {
    await losesNoStepOf(4, 50, { kind: "redis", location: location ?? "" });
  });

  test("every acknowledged fact of a process that is killed is there", { timeout: crashTimeoutMs }, async () => {
    await keepsWhatWasAcknowledged({ kind: "redis", location: location ?? "" });
  });
});
