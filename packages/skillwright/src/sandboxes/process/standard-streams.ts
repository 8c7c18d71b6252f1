import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import type { StdioEntry } from "./inherited-descriptors.ts";
import type { NamedPipes } from "./named-pipes.ts";

/** The three standard streams of a program, before and after it is started. */
export interface StandardStreams {
  readonly entries: readonly [stdin: StdioEntry, stdout: StdioEntry, stderr: StdioEntry];
  /** Lets go of what the program has got, and answers what is read from it. */
  attach(child: ChildProcess): { readonly stdout: Readable; readonly stderr: Readable };
}

/** What the program is to have as its input: nothing, given data, or what is written to it while it runs. */
export type ProgramInput =
  | { readonly kind: "none" }
  | { readonly kind: "data"; readonly data: Uint8Array | string }
  | { readonly kind: "live" };

/** Opens the standard streams of one program, as pipes and files that it can open again by name. */
export async function standardStreams(pipes: NamedPipes, input: ProgramInput): Promise<StandardStreams> {
  if (process.platform !== "linux") {
    return {
      entries: [input.kind === "none" ? "ignore" : "pipe", "pipe", "pipe"],
      attach: (child) => {
        if (input.kind === "data") child.stdin?.end(input.data);
        return { stdout: child.stdout as Readable, stderr: child.stderr as Readable };
      },
    };
  }
  const stdin = input.kind === "data" ? pipes.input(input.data) : input.kind === "live" ? "pipe" : "ignore";
  const [out, err] = await pipes.outputs();
  return {
    entries: [stdin, out.writer, err.writer],
    attach: () => {
      if (typeof stdin === "number") closeSync(stdin);
      for (const pipe of [out, err]) pipe.handOver();
      return { stdout: out.reader, stderr: err.reader };
    },
  };
}

/** What the options of a run say about its input. */
export function programInput(interactive: boolean, stdin: Uint8Array | string | undefined): ProgramInput {
  if (interactive) return { kind: "live" };
  return stdin === undefined ? { kind: "none" } : { kind: "data", data: stdin };
}
