import type { Duplex } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type Docker from "dockerode";
import { streamFrames } from "./stream-frames.ts";

/** A program to start in a running container. */
export interface ExecRequest {
  readonly argv: readonly string[];
  /** `uid:gid`. */
  readonly user: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether its input stays open for `write`; without it, the program has no input. */
  readonly stdin?: boolean;
  readonly terminal?: boolean;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
}

/** A started program. */
export interface EngineExec {
  write(data: Uint8Array | string): Promise<void>;
  closeStdin(): Promise<void>;
  /** The exit code, once the program and its streams have ended. */
  readonly ended: Promise<number>;
}

/** Starts a program in a container. */
export async function startExec(container: Docker.Container, request: ExecRequest): Promise<EngineExec> {
  const exec = await container.exec({
    Cmd: [...request.argv],
    User: request.user,
    Env: Object.entries(request.env ?? {}).map(([name, value]) => `${name}=${value}`),
    AttachStdin: request.stdin ?? false,
    AttachStdout: true,
    AttachStderr: true,
    Tty: request.terminal ?? false,
  });
  const stream = await exec.start({ hijack: true, stdin: request.stdin ?? false, Tty: request.terminal ?? false });
  const feed = request.terminal ? (chunk: Uint8Array) => request.onOutput("stdout", chunk) : streamFrames(request.onOutput);
  stream.on("data", feed);
  const closed = new Promise<void>((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
    // A connection that breaks when its program is ended is no fault; the exit code says how it ended.
    stream.on("error", () => resolve());
  });
  return {
    write: (data) => writeTo(stream, data),
    closeStdin: async () => {
      stream.end();
    },
    ended: closed.then(() => exitCodeOf(exec)).finally(() => stream.destroy()),
  };
}

async function writeTo(stream: Duplex, data: Uint8Array | string): Promise<void> {
  if (!stream.writable) return;
  await new Promise<void>((resolve) => stream.write(data, () => resolve()));
}

/** The stream may end a moment before the engine has noted the exit. */
async function exitCodeOf(exec: Docker.Exec): Promise<number> {
  for (let waitMs = 2; ; waitMs = Math.min(waitMs * 2, 250)) {
    const state = await exec.inspect();
    if (!state.Running && state.ExitCode !== null) return state.ExitCode;
    await setTimeout(waitMs);
  }
}
