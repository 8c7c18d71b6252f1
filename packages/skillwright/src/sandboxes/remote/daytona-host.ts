import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { ShellHost } from "../shell/shell-host.ts";
import { shellQuote } from "../shell/shell-quote.ts";

/** How often a command is asked whether it has ended, after its output has. */
const pollMs = 100;

/** What is used of a Daytona `Sandbox`; the package `@daytona/sdk` (0.216 or later) brings the rest. */
export interface DaytonaClient {
  readonly process: {
    createSession(sessionId: string): Promise<unknown>;
    executeSessionCommand(
      sessionId: string,
      request: { command: string; runAsync?: boolean },
    ): Promise<{ readonly cmdId?: string; readonly exitCode?: number }>;
    getSessionCommand(sessionId: string, commandId: string): Promise<{ readonly exitCode?: number }>;
    getSessionCommandLogs(
      sessionId: string,
      commandId: string,
      onStdout: (text: string) => void,
      onStderr: (text: string) => void,
    ): Promise<unknown>;
    deleteSession(sessionId: string): Promise<unknown>;
  };
  readonly fs: {
    uploadFile(data: Buffer, path: string): Promise<unknown>;
    downloadFile(path: string): Promise<Buffer>;
  };
}

/** A Daytona sandbox as a place where workspaces can be made: each line runs in a session of its own, which is deleted to end it. */
export function daytonaHost(client: DaytonaClient, folder: string): ShellHost {
  const { process, fs } = client;
  return {
    folder,
    async start(line, { env, onOutput }) {
      const encoder = new TextEncoder();
      const session = `skillwright-${randomUUID()}`;
      let deleted: Promise<void> | undefined;
      const end = (): Promise<void> => {
        deleted ??= process.deleteSession(session).then(
          () => undefined,
          () => undefined,
        );
        return deleted;
      };
      await process.createSession(session);
      try {
        const { cmdId = "" } = await process.executeSessionCommand(session, { command: await withVariables(line, env), runAsync: true });
        const told = process.getSessionCommandLogs(
          session,
          cmdId,
          (text) => onOutput("stdout", encoder.encode(text)),
          (text) => onOutput("stderr", encoder.encode(text)),
        );
        return {
          kill: end,
          ended: told
            .then(() => exitCodeOf(session, cmdId))
            .catch((error: unknown) => {
              // Its session was deleted to end it.
              if (deleted !== undefined) return 137;
              throw error;
            })
            .finally(() => {
              end().catch(() => undefined);
            }),
        };
      } catch (error) {
        await end();
        throw error;
      }
    },
    write: async (path, data) => {
      await fs.uploadFile(Buffer.from(data), path);
    },
    read: (path) => fs.downloadFile(path),
  };

  /** Daytona keeps the text of commands, so that values travel in a file that the command removes first. */
  async function withVariables(line: string, env: Readonly<Record<string, string>> | undefined): Promise<string> {
    const exported = Object.entries(env ?? {}).map(([name, value]) => `export ${name}=${shellQuote([value])}\n`);
    // A session's shell goes on after its command; a program that takes its place would end it.
    if (exported.length === 0) return `( ${line} )`;
    const path = `${folder}/.skillwright-${randomUUID()}`;
    await fs.uploadFile(Buffer.from(exported.join("")), path);
    return `( . ${shellQuote([path])}; rm -f ${shellQuote([path])}; ${line} )`;
  }

  async function exitCodeOf(session: string, command: string): Promise<number> {
    for (;;) {
      const { exitCode } = await process.getSessionCommand(session, command);
      if (exitCode !== undefined && exitCode !== null) return exitCode;
      await setTimeout(pollMs);
    }
  }
}
