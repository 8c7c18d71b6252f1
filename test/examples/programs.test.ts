import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const repository = fileURLToPath(new URL("../../", import.meta.url));

// Each program checks itself; here they run as a reader would run them, against what is built.
test.each([
  ["hand-loop", /bathtub/],
  ["ai-sdk", /South/],
])("examples/%s.ts runs offline", async (name, expected) => {
  const { stdout } = await promisify(execFile)(process.execPath, [`examples/${name}.ts`], { cwd: repository });
  expect(stdout).toMatch(expected);
});
