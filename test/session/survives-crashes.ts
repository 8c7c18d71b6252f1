import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memorySource, openSkills } from "skillwright";
import { directoryBlobs } from "skillwright/stores/directory";
import { expect } from "vitest";
import { crashRounds } from "../stores/crash-rounds.ts";
import { openSessionStore, type StoreAddress } from "../stores/open-store.ts";
import { activeBefore, skillNames } from "./session-operations.ts";

const writer = fileURLToPath(new URL("session-writer.ts", import.meta.url));

/** Kills a process at random points of one session's life; after each, the session resumes with everything that was acknowledged. */
export async function survivesCrashes(address: StoreAddress): Promise<void> {
  const blobs = await mkdtemp(join(tmpdir(), "skillwright-blobs-"));
  const sessionId = `crash-${Math.random()}`;
  // The skills are not in this library: what resumes is what the session pinned.
  const library = await openSkills({ sources: [memorySource([])], blobs: directoryBlobs(blobs) });
  try {
    await crashRounds({
      argv: [writer, address.kind, address.location, blobs, sessionId],
      check: async (acknowledged) => {
        const store = await openSessionStore(address);
        const done = Number((await store.get(sessionId, "progress"))?.value ?? 0);
        for (const line of acknowledged) expect(Number(line)).toBeLessThan(done);
        const session = await library.openSession({ id: sessionId, store });
        const active = session.active.map((skill) => skill.name).sort();
        // The operation that was under way may have happened or not; every one before it has.
        expect([activeBefore(done), activeBefore(done + 1)].map((set) => [...set].sort())).toContainEqual(active);
        const text = await session.rehydrate({ maxSkills: skillNames.length, maxTokens: 1_000_000 });
        for (const name of active) expect(text).toContain(`Body of ${name}.`);
        await session.close();
        await store.close();
      },
    });
  } finally {
    await library.close();
    await rm(blobs, { recursive: true, force: true });
  }
}
