import type { Experimental_SandboxSession as AiSession } from "ai";
import type { Isolation, Sandbox, SandboxPromises, Workspace } from "../workspace/index.ts";
import { fromAiSession } from "./ai-sandbox/from-ai-session.ts";
import { aiSession } from "./ai-sandbox/to-ai-session.ts";
import { probeSandbox } from "./process/probe-sandbox.ts";
import { openShellWorkspace } from "./shell/shell-workspace.ts";

/** Options of {@link aiSandbox}. */
export interface AiSandboxOptions {
  /** What to call it in listings and events. @default "ai-sandbox" */
  readonly id?: string;
  /** What stands between its programs and its host; the session does not tell. @default "none" */
  readonly isolation?: Isolation;
  /** What its provider enforces; the session does not tell, so that nothing is promised that is not named here. */
  readonly promises?: Partial<SandboxPromises>;
  /** A folder in it where workspaces are made. @default the folder that its commands start in */
  readonly directory?: string;
}

const nothingPromised: SandboxPromises = {
  writesConfined: false,
  readsConfined: false,
  network: "open",
  environmentHidden: false,
  memoryLimited: false,
  processesLimited: false,
  cpuLimited: false,
  fileSizeLimited: false,
  workspaceSizeLimited: false,
  treeKilled: false,
  diesWithHost: false,
  skillsReadOnly: false,
  interactive: false,
  terminal: false,
};

/**
 * Any sandbox of the AI SDK as ours: Vercel's, and whoever else gives a `SandboxSession`. Each workspace is a folder in it; the session
 * stays its maker's to stop. What it holds back is the provider's affair, so its promises are what the host says they are.
 */
export function aiSandbox(session: AiSession, options: AiSandboxOptions = {}): Sandbox {
  const promises = { ...nothingPromised, ...options.promises };
  const sandbox: Sandbox = {
    id: options.id ?? "ai-sandbox",
    isolation: options.isolation ?? "none",
    promises,
    probe: (probeOptions) => probeSandbox(sandbox, "a sandbox session of the AI SDK", probeOptions?.signal),
    open: async (request) => {
      const { start, ...workspace } = await openShellWorkspace(await fromAiSession(session, options.directory), request);
      return { ...workspace, ...(promises.interactive && start !== undefined && { start }) };
    },
  };
  return sandbox;
}

/** Options of {@link toAiSandbox}. */
export interface ToAiSandboxOptions {
  /** What a model is told about it. @default where files are and what is not there */
  readonly description?: string;
  /** The largest file that is read at once. @default 256 MiB */
  readonly maxFileBytes?: number;
}

/** Our workspace as a sandbox session of the AI SDK, for its tools and agents; paths are relative to the workspace's `work/`. */
export function toAiSandbox(workspace: Workspace, options: ToAiSandboxOptions = {}): AiSession {
  return aiSession(workspace, options);
}
