import { defaultLimits, SkillError } from "../../core/index.ts";
import type { ProbeResult, Sandbox } from "../../workspace/index.ts";

/** Opens a workspace, runs a real command in it and says whether it answered. */
export async function probeSandbox(sandbox: Sandbox, detail: string, signal: AbortSignal | undefined): Promise<ProbeResult> {
  try {
    const workspace = await sandbox.open({
      sessionId: "probe",
      limits: { ...defaultLimits, runTimeoutMs: 20_000 },
      policy: { network: "none" },
      ...(signal && { signal }),
    });
    try {
      const result = await workspace.run(["sh", "-c", "echo works"], signal ? { signal } : {});
      if (result.stdout.trim() === "works") return { ok: true, detail };
      return {
        ok: false,
        reason: `A test command ended with ${result.reason}: ${result.stderr.trim().slice(0, 500)}`,
        hint: "Run the same command by hand to see more.",
      };
    } finally {
      await workspace.close();
    }
  } catch (error) {
    const hint = SkillError.is(error) ? error.hint : undefined;
    return { ok: false, reason: error instanceof Error ? error.message : String(error), hint: hint ?? "Choose another sandbox." };
  }
}
