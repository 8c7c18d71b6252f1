import type { ContractCase, StoreContext } from "skillwright/testing";
import { describe, test } from "vitest";

/** Proves a store by its published suite. */
export function runContract<Store extends object>(
  name: string,
  suite: readonly ContractCase<StoreContext<Store>>[],
  begin: () => Promise<{ open(): Store | Promise<Store>; end?(): Promise<void> }>,
): void {
  describe(name, () => {
    test.each(suite.map((one) => [one.name, one] as const))("%s", async (_, { run }) => {
      const { open, end } = await begin();
      const opened: Store[] = [];
      try {
        await run({
          open: async () => {
            const store = await open();
            opened.push(store);
            return store;
          },
        });
      } finally {
        for (const store of opened) if ("close" in store) await (store as { close(): Promise<void> }).close();
        await end?.();
      }
    });
  });
}
