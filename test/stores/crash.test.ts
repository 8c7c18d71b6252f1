import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { crashRounds, crashTimeoutMs } from "./crash-rounds.ts";
import { openFiles } from "./open-store.ts";
import { keepsWhatWasAcknowledged } from "./shared-by-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("SQLite keeps every acknowledged fact of a process that is killed", { timeout: crashTimeoutMs }, async () => {
  await keepsWhatWasAcknowledged({ kind: "sqlite", location: join(await temporaryFolder(), "sessions.db") });
});

test.each(["sqlite", "directory"] as const)(
  "%s keeps every acknowledged artifact and blob of a process that is killed",
  { timeout: crashTimeoutMs },
  async (kind) => {
    const folder = await temporaryFolder();
    const { artifacts, blobs } = openFiles(kind, folder);
    const all = await crashRounds({
      argv: [fileURLToPath(new URL("file-writer.ts", import.meta.url)), kind, folder, "session"],
      check: async (acknowledged) => {
        for (const line of acknowledged) {
          const [version, digest] = line.split(" ") as [string, `sha256:${string}`];
          expect((await artifacts.read("session", "file", Number(version)))?.artifact.digest).toBe(digest);
          expect((await blobs.get(digest))?.byteLength).toBe(20_000);
        }
        // Whatever else is there is whole as well, so that reading it throws nothing.
        for (const { name } of await artifacts.list("session")) await artifacts.read("session", name);
      },
    });
    expect(new Set(all).size).toBe(all.length);
    for (const store of [artifacts, blobs]) if ("close" in store) await (store as { close(): Promise<void> }).close();
  },
);
