import type { Workspace } from "skillwright";
import type { E2bClient } from "skillwright/sandboxes/remote";
import { placed } from "./placed.ts";

/** Plays E2B: the calls that the adapter makes, answered by a real workspace. */
export function e2bServer(workspace: Workspace): E2bClient {
  return {
    commands: {
      async run(command, { envs, stdin, onStdout, onStderr }) {
        const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
        const tell = { stdout: onStdout, stderr: onStderr };
        const process = await workspace.start?.(["sh", "-c", command], {
          timeoutMs: 60_000,
          ...(envs && { env: envs }),
          onOutput: (stream, chunk) => tell[stream]?.(decoders[stream].decode(chunk, { stream: true })),
        });
        if (process === undefined) throw new Error("the workspace starts nothing");
        if (!stdin) await process.closeStdin();
        return {
          // A command that fails is thrown, with its exit code.
          wait: async () => {
            const exitCode = (await process.exited).exitCode ?? 137;
            if (exitCode !== 0) throw Object.assign(new Error(`exit status ${exitCode}`), { exitCode });
            return { exitCode };
          },
          kill: async () => {
            await process.kill();
            return true;
          },
          sendStdin: (data) => process.write(data),
          closeStdin: () => process.closeStdin(),
        };
      },
    },
    files: {
      write: (path, data) => workspace.writeFiles([{ path: placed(workspace, path), data: new Uint8Array(data) }]),
      read: (path) => workspace.read(placed(workspace, path), { maxBytes: 1e9 }),
    },
  };
}
