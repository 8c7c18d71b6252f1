import { setTimeout } from "node:timers/promises";
import type { Experimental_SandboxSession as AiSession } from "ai";
import { SkillError } from "../../core/index.ts";
import type { ShellHost, ShellProgram } from "../shell/shell-host.ts";

/** How long output may still come after a program has ended: what it left behind may hold its streams open. */
const drainMs = 250;

/** A sandbox session of the AI SDK as a place where workspaces can be made. */
export async function fromAiSession(session: AiSession, directory: string | undefined): Promise<ShellHost> {
  return {
    folder: directory ?? (await startFolder(session)),
    async start(line, options) {
      const spawn = { command: line, ...(options.env && { env: { ...options.env } }) };
      if (!options.stdin) {
        const child = await session.spawn(spawn);
        return { kill: async () => child.kill(), ended: follow(child, options.onOutput) };
      }
      const child = await session.spawn({ ...spawn, stdin: true });
      const input = child.stdin.getWriter();
      const program: ShellProgram = {
        write: (data) => input.write(data),
        closeStdin: () => input.close(),
        kill: async () => child.kill(),
        ended: follow(child, options.onOutput),
      };
      return program;
    },
    write: async (path, content) => session.writeBinaryFile({ path, content }),
    read: async (path) => (await session.readBinaryFile({ path })) ?? undefined,
  };
}

type Started = Awaited<ReturnType<AiSession["spawn"]>>;
type OnOutput = (stream: "stdout" | "stderr", chunk: Uint8Array) => void;

async function follow(child: Started, onOutput: OnOutput): Promise<number> {
  let open = true;
  const read = async (name: "stdout" | "stderr"): Promise<void> => {
    const reader = child[name].getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !open) return;
      onOutput(name, value);
    }
  };
  const streams = Promise.allSettled([read("stdout"), read("stderr")]);
  const { exitCode } = await child.wait();
  await Promise.race([streams, setTimeout(drainMs, undefined, { ref: false })]);
  open = false;
  return exitCode;
}

async function startFolder(session: AiSession): Promise<string> {
  const { exitCode, stdout, stderr } = await session.run({ command: "pwd" });
  const folder = stdout.trim();
  if (exitCode === 0 && folder.startsWith("/")) return folder;
  throw new SkillError("sandbox-unavailable", `The sandbox session does not say where it stands: ${stderr.trim() || stdout.trim()}`, {
    hint: "Name a folder in it in the options.",
  });
}
