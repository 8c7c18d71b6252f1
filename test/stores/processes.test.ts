import { join } from "node:path";
import { test } from "vitest";
import { losesNoStepOf } from "./shared-by-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test("processes that create one SQLite file at the same moment and share a session lose nothing", { timeout: 120_000 }, async () => {
  await losesNoStepOf(4, 50, { kind: "sqlite", location: join(await temporaryFolder(), "sessions.db") });
});
