import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { memorySessionStore, type SessionStore } from "skillwright";
import { expect } from "vitest";

const key = fc.constantFrom("a", "a/1", "a/2", "b", "a%", "技");
const expected = fc.option(fc.nat(12), { nil: undefined });
const step = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), key, value: fc.jsonValue(), expected }),
  fc.record({ kind: fc.constant("remove" as const), key, expected }),
  fc.record({ kind: fc.constant("get" as const), key }),
  fc.record({ kind: fc.constant("list" as const), key: fc.constantFrom("", "a", "a/", "a%") }),
  fc.record({ kind: fc.constant("revision" as const) }),
  fc.record({ kind: fc.constant("clear" as const) }),
);

/** Any sequence of calls, spread over two handles, answers what the store in memory answers, versions included. */
export async function behavesLikeMemory(handles: readonly [SessionStore, SessionStore], runs: number): Promise<void> {
  const sequence = fc.array(fc.tuple(step, fc.constantFrom(0 as const, 1 as const)), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      const model = memorySessionStore();
      const id = `model ${randomUUID()}`;
      for (const [one, handle] of steps) {
        expect(await apply(handles[handle], id, one)).toEqual(await apply(model, id, one));
      }
      await handles[0].clear(id);
    }),
    { numRuns: runs },
  );
}

async function apply(store: SessionStore, id: string, one: typeof step extends fc.Arbitrary<infer Step> ? Step : never): Promise<unknown> {
  switch (one.kind) {
    case "set":
      return store.set(id, one.key, JSON.parse(JSON.stringify(one.value)), one.expected === undefined ? {} : { expected: one.expected });
    case "remove":
      return store.remove(id, one.key, one.expected === undefined ? {} : { expected: one.expected });
    case "get":
      return store.get(id, one.key);
    case "list":
      return store.list(id, one.key);
    case "revision":
      return store.revision(id);
    case "clear":
      return store.clear(id);
  }
}
