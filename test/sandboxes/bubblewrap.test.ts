import { bubblewrapSandbox } from "skillwright/sandboxes/bubblewrap";
import { registerSandboxContract } from "skillwright/testing";
import { describe, test } from "vitest";

const sandbox = bubblewrapSandbox();
const probe = await sandbox.probe();

describe("bubblewrap keeps the contract of sandboxes", () => {
  registerSandboxContract((name, run) => {
    test(name, async (context) => {
      if (!probe.ok) context.skip(probe.reason);
      await run();
    });
  }, sandbox);
});
