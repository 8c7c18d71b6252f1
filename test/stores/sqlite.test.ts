import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteArtifacts, sqliteBlobs, sqliteStore } from "skillwright/stores/sqlite";
import { artifactStoreContract, blobStoreContract, sessionStoreContract } from "skillwright/testing";
import { expect, test } from "vitest";
import { runContract } from "./run-contract.ts";
import { behavesLikeMemory } from "./session-store-model.ts";
import { temporaryFolder } from "./temporary-folder.ts";

runContract("sessions in SQLite", sessionStoreContract, async () => {
  const path = join(await temporaryFolder(), "new folder", "sessions.db");
  return { open: () => sqliteStore(path) };
});

runContract("artifacts in SQLite", artifactStoreContract, async () => {
  const path = join(await temporaryFolder(), "artifacts.db");
  return { open: () => sqliteArtifacts(path) };
});

runContract("blobs in SQLite", blobStoreContract, async () => {
  const path = join(await temporaryFolder(), "blobs.db");
  return { open: () => sqliteBlobs(path) };
});

test("any sequence of calls over two connections answers what memory answers", async () => {
  const path = join(await temporaryFolder(), "sessions.db");
  const handles = [sqliteStore(path), sqliteStore(path)] as const;
  await behavesLikeMemory(handles, 200);
  for (const handle of handles) await handle.close();
});

test("sessions, artifacts and blobs may share one file", async () => {
  const path = join(await temporaryFolder(), "all.db");
  const [store, artifacts, blobs] = [sqliteStore(path), sqliteArtifacts(path), sqliteBlobs(path)];
  const data = new TextEncoder().encode("shared");
  await store.set("s", "a", 1);
  const { digest } = await artifacts.save("s", "a", data, { mediaType: "text/plain" });
  expect(await blobs.has(digest)).toBe(true);
  for (const one of [store, artifacts, blobs]) await one.close();
});

test("a store in memory works and is its own", async () => {
  const [one, other] = [sqliteStore(":memory:"), sqliteStore(":memory:")];
  await one.set("s", "a", 1);
  expect(await other.get("s", "a")).toBeUndefined();
  await one.close();
  await other.close();
});

test("a file that is no database is refused at once, with what to do", async () => {
  const path = join(await temporaryFolder(), "notes.txt");
  await writeFile(path, "not a database, whatever its name says ".repeat(100));
  expect(() => sqliteStore(path)).toThrow(expect.objectContaining({ code: "store-failed", hint: expect.stringContaining(path) }));
});

test("a closed store says so, and may be closed again", async () => {
  const store = sqliteStore(join(await temporaryFolder(), "sessions.db"));
  await store.close();
  await store.close();
  await expect(store.get("s", "a")).rejects.toMatchObject({ code: "store-failed", hint: expect.stringContaining("still open") });
});

test("damaged bytes are an error, and putting them again repairs them", async () => {
  const path = join(await temporaryFolder(), "blobs.db");
  const blobs = sqliteBlobs(path);
  const bytes = new TextEncoder().encode("whole");
  const digest = await blobs.put(bytes);
  const direct = new DatabaseSync(path);
  direct.exec("UPDATE skillwright_blob SET bytes = x'00'");
  direct.close();
  await expect(blobs.get(digest)).rejects.toMatchObject({ code: "digest-mismatch" });
  await blobs.put(bytes);
  expect(await blobs.get(digest)).toEqual(bytes);
  await blobs.close();
});
