import type { SandboxProcess, Workspace } from "skillwright";
import type { DaytonaClient } from "skillwright/sandboxes/remote";
import { placed } from "./placed.ts";

/** Plays Daytona: sessions whose commands are told about apart from being started, answered by a real workspace. */
export function daytonaServer(workspace: Workspace): DaytonaClient & { readonly commands: readonly string[] } {
  const sessions = new Map<
    string,
    { process?: SandboxProcess; output: ["stdout" | "stderr", string][]; heard?: () => void; exitCode?: number }
  >();
  const commands: string[] = [];
  const sessionOf = (id: string) => {
    const session = sessions.get(id);
    if (session === undefined) throw new Error(`there is no session ${id}`);
    return session;
  };
  return {
    commands,
    process: {
      createSession: async (id) => {
        sessions.set(id, { output: [] });
      },
      async executeSessionCommand(id, { command }) {
        commands.push(command);
        const session = sessionOf(id);
        const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
        const process = await workspace.start?.(["sh", "-c", command], {
          timeoutMs: 60_000,
          onOutput: (stream, chunk) => {
            session.output.push([stream, decoders[stream].decode(chunk, { stream: true })]);
            session.heard?.();
          },
        });
        if (process === undefined) throw new Error("the workspace starts nothing");
        session.process = process;
        await process.closeStdin();
        process.exited.then(
          (result) => {
            session.exitCode = result.exitCode ?? 137;
            session.heard?.();
          },
          () => undefined,
        );
        return { cmdId: "command-1" };
      },
      getSessionCommand: async (id) => {
        const { exitCode } = sessionOf(id);
        return exitCode === undefined ? {} : { exitCode };
      },
      async getSessionCommandLogs(id, _command, onStdout, onStderr) {
        const session = sessionOf(id);
        for (;;) {
          for (const [stream, text] of session.output.splice(0)) (stream === "stdout" ? onStdout : onStderr)(text);
          if (session.exitCode !== undefined) return;
          await new Promise<void>((resolve) => {
            session.heard = resolve;
          });
        }
      },
      async deleteSession(id) {
        const session = sessionOf(id);
        sessions.delete(id);
        await session.process?.kill();
      },
    },
    fs: {
      uploadFile: (data, path) => workspace.writeFiles([{ path: placed(workspace, path), data }]),
      downloadFile: async (path) => Buffer.from(await workspace.read(placed(workspace, path), { maxBytes: 1e9 })),
    },
  };
}
