import type { ShellHost } from "../shell/shell-host.ts";

/** How a command of E2B ended; one that fails is thrown with the same fields. */
interface E2bResult {
  readonly exitCode: number;
}

/** A command of E2B that runs in the background. */
interface E2bCommand {
  wait(): Promise<E2bResult>;
  kill(): Promise<boolean>;
  sendStdin(data: string | Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
}

/** What is used of an E2B `Sandbox`; the package `e2b` (2.51 or later) brings the rest. */
export interface E2bClient {
  readonly commands: {
    run(
      command: string,
      options: {
        readonly background: true;
        readonly envs?: Record<string, string>;
        readonly stdin?: boolean;
        readonly timeoutMs?: number;
        readonly onStdout?: (text: string) => void;
        readonly onStderr?: (text: string) => void;
      },
    ): Promise<E2bCommand>;
  };
  readonly files: {
    write(path: string, data: ArrayBuffer): Promise<unknown>;
    read(path: string, options: { readonly format: "bytes" }): Promise<Uint8Array>;
  };
}

/** An E2B sandbox as a place where workspaces can be made. */
export function e2bHost(client: E2bClient, folder: string): ShellHost {
  return {
    folder,
    async start(line, { env, stdin, onOutput }) {
      const encoder = new TextEncoder();
      const command = await client.commands.run(line, {
        background: true,
        ...(env && { envs: { ...env } }),
        stdin,
        // The run has a limit of its own; E2B's would end it after a minute.
        timeoutMs: 0,
        onStdout: (text) => onOutput("stdout", encoder.encode(text)),
        onStderr: (text) => onOutput("stderr", encoder.encode(text)),
      });
      return {
        ...(stdin && { write: (data: Uint8Array) => command.sendStdin(data), closeStdin: () => command.closeStdin() }),
        kill: async () => {
          await command.kill();
        },
        ended: command.wait().then((result) => result.exitCode, exitCodeOf),
      };
    },
    write: async (path, data) => {
      // E2B takes a buffer as a whole, and the data may be a part of one.
      await client.files.write(path, new Uint8Array(data).buffer);
    },
    read: (path) => client.files.read(path, { format: "bytes" }),
  };
}

function exitCodeOf(error: unknown): number {
  const code = (error as Partial<E2bResult> | undefined)?.exitCode;
  if (typeof code === "number") return code;
  throw error;
}
