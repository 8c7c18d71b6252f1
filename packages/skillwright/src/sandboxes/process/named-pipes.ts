import { execFile } from "node:child_process";
import { closeSync, constants, openSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
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
  /** Makes as many pipes as are missing for so many outputs at once. */
  reserve(count: number): Promise<void>;
  /** Opens one that was reserved. */
  output(): OutputPipe;
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
  // Promised to callers who have not taken them yet: programs are started at the same time.
  let promised = 0;
  return {
    async reserve(wanted) {
      promised += wanted;
      const missing = promised - free.length;
      if (missing <= 0) return;
      const paths = Array.from({ length: missing }, () => join(folder, `pipe-${++count}`));
      await run("mkfifo", ["-m", "0622", ...paths]).catch((cause: unknown) => {
        promised -= wanted;
        throw new SkillError("sandbox-failed", "The pipes for a program's output could not be made with mkfifo.", {
          hint: "Install coreutils, and see that the workspace's folder is on a disk that is not full.",
          cause,
        });
      });
      free.push(...paths);
    },
    output() {
      const path = free.pop();
      if (path === undefined) throw new Error("No pipe was reserved.");
      promised--;
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
