import type { JsonObject, Limits } from "../../core/index.ts";
import type { Mount, WorkspaceEntry, WorkspaceFile } from "../../workspace/index.ts";

/** What the worker is started with. */
export interface WorkerSetup {
  readonly limits: Limits;
  readonly readOnly: readonly string[];
  readonly mounts: readonly Mount[];
  readonly python: boolean;
  readonly javascript: boolean;
}

/** One program to run. */
export interface WorkerRun {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array | string;
  readonly timeoutMs: number;
  /** Its first number becomes 1 when the run is to stop; read between statements, also while no message can arrive. */
  readonly stop: SharedArrayBuffer;
}

/** How a program ended in the worker. */
export interface WorkerRunResult {
  readonly end: "exited" | "timeout" | "output-limit" | "start-failed";
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** What the host asks; the worker answers each by its number. */
export type WorkerRequest =
  | { readonly operation: "read"; readonly path: string; readonly maxBytes: number }
  | { readonly operation: "write"; readonly files: readonly WorkspaceFile[] }
  | { readonly operation: "list"; readonly path: string; readonly maxEntries: number }
  | { readonly operation: "remove"; readonly path: string }
  | { readonly operation: "run"; readonly run: WorkerRun };

/** What each operation answers. */
export interface WorkerAnswers {
  readonly read: Uint8Array;
  readonly write: undefined;
  readonly list: readonly WorkspaceEntry[];
  readonly remove: undefined;
  readonly run: WorkerRunResult;
}

/** A fault as a message can carry it. */
export interface WorkerFault {
  /** The code of a SkillError, or of a package that is missing. */
  readonly code?: string;
  readonly message: string;
  readonly hint?: string;
  readonly data?: JsonObject;
}

/** From the host to the worker. */
export interface WorkerCall {
  readonly number: number;
  readonly request: WorkerRequest;
}

/** From the worker to the host. */
export type WorkerReply = { readonly number: number; readonly value: unknown } | { readonly number: number; readonly fault: WorkerFault };
