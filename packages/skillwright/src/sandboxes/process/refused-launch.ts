import type { RunResult, SandboxProcess } from "../../workspace/index.ts";

/** A program that was never started, and why. */
export function refusedLaunch(reason: string): SandboxProcess {
  const result: RunResult = {
    exitCode: null,
    reason: "start-failed",
    stdout: "",
    stderr: reason,
    truncated: { stdout: 0, stderr: 0 },
    durationMs: 0,
  };
  return {
    write: async () => undefined,
    closeStdin: async () => undefined,
    kill: async () => undefined,
    exited: Promise.resolve(result),
  };
}
