import { execFile } from "node:child_process";
import { closeSync, constants, existsSync, openSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { SkillError } from "../../core/index.ts";

/** An output of a program: what it writes to and what is read from. */
export interface OutputPipe {
  readonly writer: number;
  readonly reader: Readable;
  /** Closes the host's copy of the writing end, once the program has its own. */
  handOver(): void;
}

/** Makes outputs and inputs that programs can open again by name, as `/dev/stdout` and `/dev/stdin`. */
export interface NamedPipes {
  /** Opens the two outputs of one program. */
  outputs(): Promise<readonly [stdout: OutputPipe, stderr: OutputPipe]>;
  /** A descriptor that reads the data from its beginning; the caller closes it. */
  input(data: Uint8Array | string): number;
}

const run = promisify(execFile);

/**
 * Opens {@link NamedPipes} in a folder that only the host can enter. Node's own pipes are sockets, and a socket cannot be opened by
 * name: scripts that write to `/dev/stderr` would fail. A pipe is used again only when nobody holds its writing end any more.
 */
export function namedPipes(folder: string): NamedPipes {
  const free: string[] = [];
  let count = 0;
  return {
    async outputs() {
      // Taken before anything is waited for: programs are started at the same time.
      const next = (): string => free.pop() ?? join(folder, `pipe-${++count}`);
      const paths = [next(), next()] as const;
      const missing = paths.filter((path) => !existsSync(path));
      if (missing.length > 0) await makePipes(missing);
      return [openPipe(paths[0], free), openPipe(paths[1], free)];
    },
    input(data) {
      const path = join(folder, `input-${++count}`);
      writeFileSync(path, data, { mode: 0o644 });
      const descriptor = openSync(path, "r");
      unlinkSync(path);
      return descriptor;
    },
  };
}

async function makePipes(paths: readonly string[]): Promise<void> {
  await run("mkfifo", ["-m", "0622", ...paths]).catch((cause: unknown) => {
    throw new SkillError("sandbox-failed", "The pipes for a program's output could not be made with mkfifo.", {
      hint: "Install coreutils, and see that the workspace's folder is on a disk that is not full.",
      cause,
    });
  });
}

function openPipe(path: string, free: string[]): OutputPipe {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  const stream = new Socket({ fd: reader, readable: true, writable: false });
  let finished = false;
  stream.once("end", () => {
    finished = true;
  });
  stream.once("close", () => {
    if (finished) free.push(path);
    else rmSync(path, { force: true });
  });
  return { writer, reader: stream, handOver: () => closeSync(writer) };
}
