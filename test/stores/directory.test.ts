import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { directoryArtifacts, directoryBlobs } from "skillwright/stores/directory";
import { artifactStoreContract, blobStoreContract } from "skillwright/testing";
import { expect, test } from "vitest";
import { runContract } from "./run-contract.ts";
import { temporaryFolder } from "./temporary-folder.ts";

runContract("artifacts in a folder", artifactStoreContract, async () => {
  const dir = join(await temporaryFolder(), "new folder");
  return { open: () => directoryArtifacts(dir) };
});

runContract("blobs in a folder", blobStoreContract, async () => {
  const dir = join(await temporaryFolder(), "new folder");
  return { open: () => directoryBlobs(dir) };
});

const bytes = new TextEncoder().encode("whole");

test.each([
  ["cut short", ""],
  ["changed", "other"],
])("a blob that was %s is an error, and putting it again repairs it", async (_, damage) => {
  const dir = await temporaryFolder();
  const blobs = directoryBlobs(dir);
  const digest = await blobs.put(bytes);
  await writeFile(join(dir, digest.slice(7, 9), digest.slice(9)), damage);
  await expect(blobs.get(digest)).rejects.toMatchObject({ code: "digest-mismatch", hint: expect.stringContaining("again") });
  await blobs.put(bytes);
  expect(new Uint8Array((await blobs.get(digest)) ?? [])).toEqual(bytes);
});

test("a damaged artifact is an error", async () => {
  const dir = await temporaryFolder();
  const artifacts = directoryArtifacts(dir);
  await artifacts.save("s", "a", bytes, { mediaType: "text/plain" });
  const found = (await readdir(dir, { recursive: true })).filter((path) => path.endsWith("data"));
  expect(found).toHaveLength(1);
  await writeFile(join(dir, found[0] ?? ""), "other");
  await expect(artifacts.read("s", "a")).rejects.toMatchObject({ code: "digest-mismatch" });
});

test("nothing is written outside the folder, whatever a name says", async () => {
  const parent = await temporaryFolder();
  const artifacts = directoryArtifacts(join(parent, "kept"));
  await artifacts.save("../../s", "../../../a", bytes, { mediaType: "text/plain" });
  expect(await readdir(parent)).toEqual(["kept"]);
  expect((await readdir(join(parent, "kept"))).sort()).toEqual(["drafts", "sessions"]);
});

test("drafts that a crash left are removed, drafts being written are not", async () => {
  const dir = await temporaryFolder();
  await mkdir(join(dir, "drafts", "abandoned"), { recursive: true });
  await writeFile(join(dir, "drafts", "abandoned", "data"), "half");
  await utimes(join(dir, "drafts", "abandoned"), 0, 0);
  await writeFile(join(dir, "drafts", "new"), "half");
  await directoryArtifacts(dir).save("s", "a", bytes, { mediaType: "text/plain" });
  expect(await readdir(join(dir, "drafts"))).toEqual(["new"]);
});

test("a folder that cannot be is an error that names it, and the next call tries again", async () => {
  const parent = await temporaryFolder();
  await writeFile(join(parent, "file"), "in the way");
  const blobs = directoryBlobs(join(parent, "file"));
  await expect(blobs.put(bytes)).rejects.toMatchObject({ code: "store-failed", hint: expect.stringContaining("file") });
  await expect(blobs.put(bytes)).rejects.toMatchObject({ code: "store-failed" });
  expect(await readFile(join(parent, "file"), "utf8")).toBe("in the way");
});
