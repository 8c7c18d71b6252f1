import { virtualSandbox } from "skillwright/sandboxes/virtual";
import { registerSandboxContract } from "skillwright/testing";
import { describe, expect, test } from "vitest";
import { defaultLimits, type Limits } from "../../packages/skillwright/src/core/index.ts";
import type { Workspace } from "../../packages/skillwright/src/workspace/index.ts";

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

const open = (limits: Partial<Limits> = {}): Promise<Workspace> =>
  sandbox.open({ sessionId: "s", limits: { ...defaultLimits, runTimeoutMs: 25_000, ...limits }, policy: { network: "none" } });

describe("the interpreter", () => {
  test("runs Python with its standard library over the same files, and nothing of this machine", async () => {
    const workspace = await open();
    await workspace.writeFiles([{ path: "work/in.json", data: new TextEncoder().encode('{"a": [1, 2, 3]}') }]);
    const code =
      "import json, os, sys; data = json.load(open('in.json')); open('out.txt', 'w').write(str(sum(data['a']))); print(sys.argv[1], os.path.exists('/etc/hostname'))";
    expect(await workspace.run(["python3", "-c", code, "given"])).toMatchObject({ exitCode: 0, stdout: "given False\n" });
    expect((await workspace.run(["cat", "out.txt"])).stdout).toBe("6");
    await workspace.close();
  });

  test("has no Python where that is left out", async () => {
    const workspace = await virtualSandbox({ python: false }).open({ sessionId: "s", limits: defaultLimits, policy: { network: "none" } });
    expect((await workspace.run(["python3", "-c", "print(1)"])).reason).toBe("start-failed");
    await workspace.close();
  });

  test("leaves the host awake while a script loops, and ends one that does not listen with its thread", async () => {
    const workspace = await open();
    await workspace.writeFiles([{ path: "work/kept", data: new TextEncoder().encode("kept") }]);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    for (const line of ["while :; do :; done", "awk 'BEGIN { while (1) { i++; x[i] = i \"aaaaaaaaaaaaaaaaaaaa\" } }'"]) {
      expect(await workspace.run(["sh", "-c", line], { timeoutMs: 1_000 })).toMatchObject({ reason: "timeout", exitCode: null });
    }
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(20);
    expect((await workspace.run(["cat", "kept"])).stdout).toBe("kept");
    await workspace.close();
  });

  test("refuses a network that it does not have", async () => {
    await expect(
      sandbox.open({ sessionId: "s", limits: defaultLimits, policy: { network: { allow: ["example.com"] } } }),
    ).rejects.toMatchObject({
      code: "configuration-invalid",
    });
  });
});
