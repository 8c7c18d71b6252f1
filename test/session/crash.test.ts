import { join } from "node:path";
import { test } from "vitest";
import { crashTimeoutMs } from "../stores/crash-rounds.ts";
import { temporaryFolder } from "./make-library.ts";
import { survivesCrashes } from "./survives-crashes.ts";

test("a session in SQLite resumes with everything it had acknowledged, wherever its process was killed", {
  timeout: crashTimeoutMs,
}, async () => {
  await survivesCrashes({ kind: "sqlite", location: join(temporaryFolder(), "sessions.db") });
});
