import { virtualSandbox } from "skillwright/sandboxes/virtual";
import { registerSandboxContract } from "skillwright/testing";
import { describe, test } from "vitest";

const sandbox = virtualSandbox();
const probe = await sandbox.probe();

describe("virtual keeps the contract of sandboxes", () => {
  registerSandboxContract((name, run) => {
    test(name, async (context) => {
      if (!probe.ok) context.skip(probe.reason);
      await run();
    });
  }, sandbox);
});
