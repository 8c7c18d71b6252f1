import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openSessionStore, type StoreAddress } from "./open-store.ts";

// Goes on counting where an earlier process was killed: a fact for each number, then the number itself by compare-and-set.
const [kind, location, sessionId] = process.argv.slice(2) as [StoreAddress["kind"], string, string];
const store = await openSessionStore({ kind, location });
flushCompileCache();
for (;;) {
  const count = await store.get(sessionId, "count");
  const next = Number(count?.value ?? 0) + 1;
  await store.set(sessionId, `fact/${next}`, { number: next, text: "x".repeat(next % 5_000) });
  await store.set(sessionId, "count", next, { expected: count?.version ?? 0 });
  writeSync(1, `${next}.\n`);
}
