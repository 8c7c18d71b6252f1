import type { Isolation, Sandbox, SandboxPromises } from "../workspace/index.ts";
import { probeSandbox } from "./process/probe-sandbox.ts";
import { type DaytonaClient, daytonaHost } from "./remote/daytona-host.ts";
import { type E2bClient, e2bHost } from "./remote/e2b-host.ts";
import type { ShellHost } from "./shell/shell-host.ts";
import { openShellWorkspace } from "./shell/shell-workspace.ts";

export type { DaytonaClient } from "./remote/daytona-host.ts";
export type { E2bClient } from "./remote/e2b-host.ts";
export type { ShellHost, ShellLineOptions, ShellProgram } from "./shell/shell-host.ts";

/** Options of {@link e2bSandbox} and {@link daytonaSandbox}. */
export interface RemoteSandboxOptions {
  /** A folder in the sandbox where workspaces are made. @default "/tmp" */
  readonly directory?: string;
}

/**
 * On a machine elsewhere nothing of this host can be touched or seen. How much it has, and what it may reach, was decided where it was
 * made; and it goes on when this process ends, until its maker or its own time limit stops it.
 */
const elsewhere: SandboxPromises = {
  writesConfined: true,
  readsConfined: true,
  network: "open",
  environmentHidden: true,
  memoryLimited: false,
  processesLimited: false,
  cpuLimited: true,
  fileSizeLimited: true,
  workspaceSizeLimited: false,
  treeKilled: false,
  diesWithHost: false,
  skillsReadOnly: false,
  interactive: false,
  terminal: false,
};

/** What describes a sandbox elsewhere to {@link remoteSandbox}. */
export interface RemoteSandboxShape {
  readonly id: string;
  readonly isolation: Isolation;
  readonly promises: SandboxPromises;
  readonly host: ShellHost;
}

/** Any machine that runs shell lines and keeps files, as a sandbox: each workspace is a folder on it. */
export function remoteSandbox(shape: RemoteSandboxShape): Sandbox {
  const sandbox: Sandbox = {
    id: shape.id,
    isolation: shape.isolation,
    promises: shape.promises,
    probe: (options) => probeSandbox(sandbox, `a machine elsewhere (${shape.id})`, options?.signal),
    open: async (request) => {
      const { start, ...workspace } = await openShellWorkspace(shape.host, request);
      return { ...workspace, ...(shape.promises.interactive && start !== undefined && { start }) };
    },
  };
  return sandbox;
}

/** A sandbox of E2B: pass what `Sandbox.create()` of the package `e2b` answers. It stays its maker's to kill. */
export function e2bSandbox(client: E2bClient, options: RemoteSandboxOptions = {}): Sandbox {
  const host = e2bHost(client, options.directory ?? "/tmp");
  return remoteSandbox({ id: "e2b", isolation: "vm", promises: { ...elsewhere, interactive: true }, host });
}

/** A sandbox of Daytona: pass what `new Daytona().create()` of the package `@daytona/sdk` answers. It stays its maker's to delete. */
export function daytonaSandbox(client: DaytonaClient, options: RemoteSandboxOptions = {}): Sandbox {
  const host = daytonaHost(client, options.directory ?? "/tmp");
  return remoteSandbox({ id: "daytona", isolation: "container", promises: elsewhere, host });
}
