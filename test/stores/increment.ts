import { openSessionStore, type StoreAddress } from "./open-store.ts";

// One of several processes that raise one number by compare-and-set, and leave a fact for each step.
const [kind, location, sessionId, name, steps] = process.argv.slice(2) as [StoreAddress["kind"], string, string, string, string];
const store = await openSessionStore({ kind, location });
for (let done = 0; done < Number(steps); ) {
  const count = await store.get(sessionId, "count");
  const next = Number(count?.value ?? 0) + 1;
  if ((await store.set(sessionId, "count", next, { expected: count?.version ?? 0 })) === undefined) continue;
  await store.set(sessionId, `step/${next}`, name, { expected: 0 });
  done++;
}
await store.close();
