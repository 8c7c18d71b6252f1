import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { concludeSignal, type SuperviseOptions, superviseProcess } from "./supervise-process.ts";

const limits = { timeoutMs: 20_000, maxOutputBytes: 1000, maxTotalOutputBytes: 100_000 };

function supervise(line: string, options: Partial<SuperviseOptions> = {}): ReturnType<typeof superviseProcess> {
  const child = spawn("sh", ["-c", line], { detached: true });
  return superviseProcess({
    child,
    stdout: child.stdout,
    stderr: child.stderr,
    ...limits,
    end: () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    },
    ...options,
  });
}

test("a process that nothing can end does not delay the answer", async () => {
  const child = spawn("sh", ["-c", "sleep 60"], { detached: true });
  const result = await superviseProcess({
    child,
    stdout: child.stdout,
    stderr: child.stderr,
    ...limits,
    timeoutMs: 50,
    end: () => undefined,
  }).exited;
  expect(result).toMatchObject({ reason: "timeout", exitCode: null });
  process.kill(-(child.pid ?? 0), "SIGKILL");
});

test("a stream that stays open after the end does not delay the answer, and what was written is there", async () => {
  const child = spawn("sh", ["-c", "echo done; sleep 60 & exit 4"], { detached: true });
  const result = await superviseProcess({ child, stdout: child.stdout, stderr: child.stderr, ...limits, end: () => undefined }).exited;
  expect(result).toMatchObject({ reason: "exited", exitCode: 4, stdout: "done\n" });
  process.kill(-(child.pid ?? 0), "SIGKILL");
});

test("everything written before the end is read, also by a host that was busy", async () => {
  const running = supervise("i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done; exit 7", { maxOutputBytes: 100_000 });
  await new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + 700;
  while (performance.now() < until) {
    // Busy.
  }
  const result = await running.exited;
  expect(result.exitCode).toBe(7);
  expect(result.stdout.trim().split("\n")).toHaveLength(500);
});

test("a listener that throws ends the run and its fault is told", async () => {
  const running = supervise("echo x; sleep 60", {
    onOutput: () => {
      throw new Error("listener");
    },
  });
  await expect(running.exited).rejects.toThrow("listener");
});

test("what is watched ends the run with its reason", async () => {
  const running = supervise("sleep 60", { watch: async () => "disk-limit" });
  expect((await running.exited).reason).toBe("disk-limit");
});

test("the first reason stays", async () => {
  const controller = new AbortController();
  const running = supervise("echo x; sleep 60", { signal: controller.signal, onOutput: () => controller.abort() });
  await running.kill();
  expect((await running.exited).reason).toBe("aborted");
});

test.each([
  [9, { exitCode: 137, reason: "signal", signal: "SIGKILL" }],
  [11, { exitCode: 139, reason: "signal", signal: "SIGSEGV" }],
])("signal %i is told as %j", (number, conclusion) => {
  expect(concludeSignal(number)).toEqual(conclusion);
});
