/** A program that runs elsewhere. */
export interface ShellProgram {
  /** Absent where its input cannot be written to. */
  readonly write?: (data: Uint8Array) => Promise<void>;
  readonly closeStdin?: () => Promise<void>;
  kill(): Promise<void>;
  /** The exit code, once all that it printed has been told. */
  readonly ended: Promise<number>;
}

/** How a shell line is started. */
export interface ShellLineOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Whether its input stays open for `write`. */
  readonly stdin: boolean;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
}

/** A machine elsewhere that runs shell lines and keeps files: all that a workspace on it needs. Paths are absolute. */
export interface ShellHost {
  /** A folder in which workspaces can be made. */
  readonly folder: string;
  start(line: string, options: ShellLineOptions): Promise<ShellProgram>;
  write(path: string, data: Uint8Array): Promise<void>;
  /** Undefined where there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
}
