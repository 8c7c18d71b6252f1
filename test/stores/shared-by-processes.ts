import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { crashRounds } from "./crash-rounds.ts";
import { openSessionStore, type StoreAddress } from "./open-store.ts";

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Several processes open one store at the same moment and raise one number; none of their steps is lost. */
export async function losesNoStepOf(processes: number, steps: number, address: StoreAddress): Promise<void> {
  const sessionId = `processes ${randomUUID()}`;
  const argv = ["--disable-warning=ExperimentalWarning", program("increment.ts"), address.kind, address.location, sessionId];
  const run = promisify(execFile);
  await Promise.all(Array.from({ length: processes }, (_, at) => run(process.execPath, [...argv, `process ${at}`, String(steps)])));
  const store = await openSessionStore(address);
  try {
    expect((await store.get(sessionId, "count"))?.value).toBe(processes * steps);
    const names = (await store.list(sessionId, "step/")).map((fact) => String(fact.value));
    for (let at = 0; at < processes; at++) expect(names.filter((name) => name === `process ${at}`)).toHaveLength(steps);
    await store.clear(sessionId);
  } finally {
    await store.close();
  }
}

/** A process is killed at random points while it writes facts; every fact that it had acknowledged is there each time. */
export async function keepsWhatWasAcknowledged(address: StoreAddress): Promise<void> {
  const sessionId = `crash ${randomUUID()}`;
  const store = await openSessionStore(address);
  try {
    const all = await crashRounds({
      argv: [program("fact-writer.ts"), address.kind, address.location, sessionId],
      check: async (acknowledged) => {
        const count = Number((await store.get(sessionId, "count"))?.value ?? 0);
        for (const number of acknowledged) {
          expect(count).toBeGreaterThanOrEqual(Number(number));
          expect((await store.get(sessionId, `fact/${number}`))?.value).toMatchObject({ number: Number(number) });
        }
      },
    });
    const kept = new Set((await store.list(sessionId, "fact/")).map((fact) => fact.key));
    expect(all.filter((number) => !kept.has(`fact/${number}`))).toEqual([]);
    // A killed write may be there without its acknowledgement, but never a gap before it.
    const count = Number((await store.get(sessionId, "count"))?.value);
    expect(Array.from({ length: count }, (_, at) => `fact/${at + 1}`).filter((key) => !kept.has(key))).toEqual([]);
    await store.clear(sessionId);
  } finally {
    await store.close();
  }
}
