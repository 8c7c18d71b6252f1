import type { Limits } from "../core/index.ts";

/** What stands between a script and the host, weakest first. */
export type Isolation = "none" | "interpreter" | "process" | "container" | "vm";

/** What a sandbox promises, as data that a policy reads and `doctor` prints: true means enforced, not hoped for. */
export interface SandboxPromises {
  /** Host files outside the workspace cannot be written. */
  readonly writesConfined: boolean;
  /** Host files outside the workspace cannot be read. */
  readonly readsConfined: boolean;
  /** The strongest network rule that it can enforce. */
  readonly network: "none" | "allow-list" | "open";
  /** The host's environment is invisible. */
  readonly environmentHidden: boolean;
  readonly memoryLimited: boolean;
  readonly processesLimited: boolean;
  readonly cpuLimited: boolean;
  readonly fileSizeLimited: boolean;
  readonly workspaceSizeLimited: boolean;
  /** No process outlives its run, whatever it did to escape. */
  readonly treeKilled: boolean;
  /** No process outlives the host process, even when that is killed. */
  readonly diesWithHost: boolean;
  /** Staged skills are read-only for runs. */
  readonly skillsReadOnly: boolean;
  /** `start` works (processes that read while they run), and with a terminal. */
  readonly interactive: boolean;
  readonly terminal: boolean;
}

/** What a real probe found. */
export type ProbeResult =
  | { readonly ok: true; readonly detail: string }
  | { readonly ok: false; readonly reason: string; readonly hint: string };

/** What runs of a workspace may reach. */
export interface SandboxPolicy {
  /** Hosts that runs may reach. @default none */
  readonly network: "none" | { readonly allow: readonly string[] };
}

/** A host folder made visible in a workspace. */
export interface Mount {
  readonly hostPath: string;
  /** Where in the workspace, relative to its root. */
  readonly path: string;
  readonly readOnly: boolean;
}

/** Options of {@link Sandbox.open}. */
export interface OpenWorkspaceOptions {
  readonly sessionId: string;
  readonly limits: Limits;
  readonly policy: SandboxPolicy;
  readonly mounts?: readonly Mount[];
  /** Workspace-relative folders that the host writes and runs only read. */
  readonly readOnly?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Opens workspaces and runs programs in them; one file each in `sandboxes/`. */
export interface Sandbox {
  /** `bubblewrap`, `virtual`, `container`, `local`, ... */
  readonly id: string;
  readonly isolation: Isolation;
  readonly promises: SandboxPromises;
  /** Runs a real command and says whether it worked; never throws. */
  probe(options?: { readonly signal?: AbortSignal }): Promise<ProbeResult>;
  /** @throws SkillError `sandbox-unavailable` with the reason and the fix */
  open(options: OpenWorkspaceOptions): Promise<Workspace>;
  close?(): Promise<void>;
}

/** A file to write; `link` makes a symbolic link with that target instead. What stands there is replaced in one step. */
export interface WorkspaceFile {
  /** Relative to the workspace's root; parents are made. A path that ends in `/` makes an empty folder. */
  readonly path: string;
  readonly data?: Uint8Array;
  /** POSIX permission bits. @default 0o644 */
  readonly mode?: number;
  readonly link?: string;
}

/** One entry of a listing; links are named, never followed. */
export interface WorkspaceEntry {
  /** Relative to the workspace's root. */
  readonly path: string;
  readonly kind: "file" | "directory" | "link" | "other";
  readonly bytes: number;
  readonly mode: number;
  /** How many names a file has, where the sandbox can tell: more than one is a hard link. */
  readonly links?: number;
  /** Changes whenever the content does. */
  readonly stamp: string;
}

/** How one program is run. */
export interface RunOptions {
  /** Relative to the workspace's root. @default "work" */
  readonly cwd?: string;
  /** Exactly what the program sees beside `PATH`, `HOME`, `TMPDIR` and `LANG`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array | string;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
}

/**
 * Why a run ended: `timeout` for wall or CPU time, `output-limit` for what it printed, `disk-limit` for what it wrote,
 * `start-failed` when no program ran at all (stderr says why).
 */
export type RunReason = "exited" | "signal" | "timeout" | "aborted" | "output-limit" | "memory-limit" | "disk-limit" | "start-failed";

/** How a run ended; a program that fails is a result, not an exception. */
export interface RunResult {
  /** 128 + n after signal n, as shells say it; null where the run was ended from outside or never began. */
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly reason: RunReason;
  /** Decoded as UTF-8; head and tail are kept where it was cut, with a marker between. */
  readonly stdout: string;
  readonly stderr: string;
  /** Bytes cut from each stream. */
  readonly truncated: { readonly stdout: number; readonly stderr: number };
  readonly durationMs: number;
}

/** A program that runs while others look: for interactive tools. */
export interface SandboxProcess {
  write(data: Uint8Array | string): Promise<void>;
  closeStdin(): Promise<void>;
  kill(): Promise<void>;
  /** Settles when the whole process tree is gone. */
  readonly exited: Promise<RunResult>;
}

/** Options of {@link Workspace.start}. */
export interface StartOptions extends RunOptions {
  /** Gives the program a terminal. @default false */
  readonly terminal?: boolean;
}

/**
 * A session's folder inside a sandbox. Programs may write in every folder below the root that is not named read-only;
 * whether they may write beside those folders, in the root itself, is the sandbox's choice.
 */
export interface Workspace {
  /** Its root as programs inside see it. */
  readonly root: string;
  /** @throws SkillError `file-not-found`, `path-outside-root`, `limit-exceeded` */
  read(path: string, options: { readonly maxBytes: number; readonly signal?: AbortSignal }): Promise<Uint8Array>;
  writeFiles(files: readonly WorkspaceFile[], options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Everything below a folder, sorted by path; [] where there is none. */
  list(path: string, options?: { readonly maxEntries?: number; readonly signal?: AbortSignal }): Promise<readonly WorkspaceEntry[]>;
  /** Removes a file or a folder; what is not there is no fault. */
  remove(path: string): Promise<void>;
  run(argv: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Absent where the sandbox cannot. */
  start?(argv: readonly string[], options?: StartOptions): Promise<SandboxProcess>;
  /** Ends every process and removes what the sandbox made. */
  close(): Promise<void>;
}
