import { expect, test } from "vitest";
import { virtualSandbox } from "../sandboxes/virtual.ts";
import type { ProbeResult, Sandbox } from "../workspace/index.ts";
import { autoSandbox, firstThatWorks, probeSandboxes } from "./auto-sandbox.ts";

function sandboxThat(id: string, result: ProbeResult): Sandbox {
  return { ...virtualSandbox(), id, probe: async () => result };
}

const broken = sandboxThat("first", { ok: false, reason: "it is not installed.", hint: "Install it." });
const working = sandboxThat("second", { ok: true, detail: "works" });

test("takes the first in which a real command works, and says what was tried before", async () => {
  const { sandbox, probes } = await firstThatWorks([broken, working, broken], undefined);
  expect(sandbox).toBe(working);
  expect(probes.map((probe) => [probe.sandbox.id, probe.result.ok])).toEqual([
    ["first", false],
    ["second", true],
  ]);
});

test("where none works it says why and what to do, for each", async () => {
  await expect(firstThatWorks([broken, broken], undefined)).rejects.toMatchObject({
    code: "sandbox-unavailable",
    message: expect.stringContaining("first: it is not installed."),
    hint: expect.stringContaining("For first: Install it."),
    data: { probes: [{ sandbox: "first" }, { sandbox: "first" }] },
  });
});

test("an abort ends the search", async () => {
  await expect(firstThatWorks([working], AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
});

test("prefers what it is told to, and never knows a sandbox without isolation", async () => {
  const { sandbox } = await autoSandbox({ prefer: "virtual" });
  expect(sandbox.id).toBe("virtual");
  const probes = await probeSandboxes();
  expect(probes.map((probe) => probe.sandbox.id)).toEqual(["bubblewrap", "container", "virtual"]);
  for (const probe of probes) expect(probe.sandbox.isolation).not.toBe("none");
});
