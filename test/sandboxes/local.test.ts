import { localSandbox } from "skillwright/sandboxes/local";
import { registerSandboxContract } from "skillwright/testing";
import { describe, test } from "vitest";

const sandbox = localSandbox();
const probe = await sandbox.probe();

describe("local keeps the contract of sandboxes", () => {
  registerSandboxContract((name, run) => {
    test(name, async (context) => {
      if (!probe.ok) context.skip(probe.reason);
      await run();
    });
  }, sandbox);
});
