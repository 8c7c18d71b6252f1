import type { Limits } from "../core/index.ts";
import type { Mount, Sandbox, SandboxPolicy, SandboxPromises, Workspace } from "../workspace/index.ts";
import type { ContractCase } from "./contract-case.ts";
import { sandboxFileCases } from "./sandbox-file-cases.ts";
import { sandboxIsolationCases } from "./sandbox-isolation-cases.ts";
import { sandboxRunCases } from "./sandbox-run-cases.ts";

/** What a case asks of a workspace. */
export interface ContractWorkspaceOptions {
  readonly limits?: Partial<Limits>;
  readonly readOnly?: readonly string[];
  readonly mounts?: readonly Mount[];
  readonly policy?: SandboxPolicy;
}

/** What the contract suite of sandboxes is run on. */
export interface SandboxContext {
  readonly sandbox: Sandbox;
  /** Opens a workspace; whoever made the context closes it when the case is over. */
  open(options?: ContractWorkspaceOptions): Promise<Workspace>;
}

/** One promise of the contract of sandboxes. */
export interface SandboxCase extends ContractCase<SandboxContext> {
  /** Whether a sandbox owes this; absent where every sandbox does. */
  readonly requires?: (promises: SandboxPromises, sandbox: Sandbox) => boolean;
}

/**
 * What every {@link Sandbox} promises, and what it owes where its `promises` say so. Programs used are `sh` and the usual small tools;
 * a case that needs a tool which the sandbox lacks says so in its own way and passes.
 */
export const sandboxContract: readonly SandboxCase[] = [...sandboxFileCases, ...sandboxRunCases, ...sandboxIsolationCases];
