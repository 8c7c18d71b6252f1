import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bubblewrapSandbox } from "skillwright/sandboxes/bubblewrap";
import { localSandbox } from "skillwright/sandboxes/local";
import { expect, test } from "vitest";
import { defaultLimits } from "../../packages/skillwright/src/core/index.ts";
import { othersCanRun, processesWith, runInHost, startHost, until } from "./host-process.ts";

test("kill -9 of the host leaves no process of its run, and the next start removes its workspace", async (context) => {
  const probe = await bubblewrapSandbox().probe();
  if (!probe.ok) context.skip(probe.reason);
  const directory = await mkdtemp(join(tmpdir(), "skillwright-death-"));
  await chmod(directory, 0o711);
  const mark = `mark-${crypto.randomUUID()}`;
  const command = `(setsid sh -c 'sleep 300; : ${mark}' &); echo running; sleep 300; : ${mark}`;
  const host = startHost({ sandbox: "bubblewrap", argv: ["sh", "-c", command], directory, timeoutMs: 300_000, live: true });
  let seen = "";
  host.stdout?.on("data", (chunk) => {
    seen += chunk;
  });
  await until(() => seen.includes("running"));
  expect(processesWith(mark).length).toBeGreaterThan(0);
  expect(readdirSync(directory)).toHaveLength(1);

  host.kill("SIGKILL");
  await until(() => processesWith(mark).length === 0);
  const [left = ""] = readdirSync(directory);
  const next = await localSandbox({ directory }).open({ sessionId: "next", limits: defaultLimits, policy: { network: "none" } });
  expect(existsSync(join(directory, left))).toBe(false);
  await next.close();
  expect(readdirSync(directory)).toEqual([]);
  await rm(directory, { recursive: true });
});

test("Ctrl-C at the terminal reaches the host alone, which ends its run itself", async (context) => {
  const probe = await bubblewrapSandbox().probe();
  if (!probe.ok) context.skip(probe.reason);
  const mark = `mark-${crypto.randomUUID()}`;
  const host = startHost(
    { sandbox: "bubblewrap", argv: ["sh", "-c", `echo running; sleep 300; : ${mark}`], timeoutMs: 300_000, live: true },
    { detached: true },
  );
  let seen = "";
  host.stdout?.on("data", (chunk) => {
    seen += chunk;
  });
  await until(() => seen.includes("running"));
  process.kill(-(host.pid ?? 0), "SIGINT");
  await new Promise((resolve) => host.once("exit", resolve));
  await until(() => processesWith(mark).length === 0);
});

test("a plain user has the same sandbox as root", async (context) => {
  const probe = await bubblewrapSandbox().probe();
  if (!probe.ok) context.skip(probe.reason);
  if (process.getuid?.() !== 0) context.skip("the tests already run as a plain user");
  if (!othersCanRun()) context.skip("another user cannot read this repository");
  const user = { uid: 12_345, gid: 12_345, env: { PATH: "/usr/bin:/bin" } };
  const bomb = "i=0; while [ $i -lt 200 ]; do sleep 20 & i=$((i+1)); done; echo all started";
  const forked = await runInHost(
    { sandbox: "bubblewrap", argv: ["sh", "-c", bomb], limits: { maxProcesses: 30 }, timeoutMs: 15_000 },
    user,
  );
  expect(forked.stdout).not.toContain("all started");
  const shown = await runInHost(
    { sandbox: "bubblewrap", argv: ["sh", "-c", "cat /proc/self/status; cat /etc/shadow; touch /etc/x /usr/x"] },
    user,
  );
  expect(shown.stdout).toMatch(/^Uid:\t65534\t/m);
  expect(shown.stdout).toMatch(/^CapEff:\t0+$/m);
  expect(shown.stdout).not.toMatch(/^root:/m);
  const greedy = await runInHost(
    { sandbox: "bubblewrap", argv: ["/usr/bin/python3", "-c", "print(len(b'x' * 400_000_000))"], limits: { maxMemoryBytes: 100_000_000 } },
    user,
  );
  expect(greedy).toMatchObject({ reason: "exited", exitCode: 1, stderr: expect.stringContaining("MemoryError") });
});
