import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openFiles } from "./open-store.ts";

// Saves random bytes as a blob and as the next version of an artifact, for as long as it is let.
const [kind, folder, sessionId] = process.argv.slice(2) as ["sqlite" | "directory", string, string];
const { artifacts, blobs } = openFiles(kind, folder);
flushCompileCache();
for (;;) {
  const bytes = new Uint8Array(randomBytes(20_000));
  const digest = await blobs.put(bytes);
  const { version } = await artifacts.save(sessionId, "file", bytes, { mediaType: "application/octet-stream" });
  writeSync(1, `${version} ${digest}.\n`);
}
