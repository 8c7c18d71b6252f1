import { defaultLimits } from "../core/index.ts";
import type { Sandbox, Workspace } from "../workspace/index.ts";
import { type SandboxContext, sandboxContract } from "./sandbox-contract.ts";

/** How a test runner takes a test: `test` of vitest, jest and `node:test` all fit. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;

/**
 * Registers the contract of sandboxes as tests. A promise that the sandbox does not make becomes a test that says so, so that a report
 * shows what it does not hold. Workspaces are closed after each test.
 */
export function registerSandboxContract(test: RegisterTest, sandbox: Sandbox): void {
  for (const contract of sandboxContract) {
    const owed = contract.requires?.(sandbox.promises, sandbox) ?? true;
    if (!owed) {
      test(`does not promise: ${contract.name}`, async () => undefined);
      continue;
    }
    test(contract.name, async () => {
      const opened: Workspace[] = [];
      const context: SandboxContext = {
        sandbox,
        open: async (options = {}) => {
          const workspace = await sandbox.open({
            sessionId: crypto.randomUUID(),
            limits: { ...defaultLimits, runTimeoutMs: 20_000, ...options.limits },
            policy: options.policy ?? { network: "none" },
            ...(options.readOnly && { readOnly: options.readOnly }),
            ...(options.mounts && { mounts: options.mounts }),
          });
          opened.push(workspace);
          return workspace;
        },
      };
      try {
        await contract.run(context);
      } finally {
        for (const workspace of opened) await workspace.close();
      }
    });
  }
}
