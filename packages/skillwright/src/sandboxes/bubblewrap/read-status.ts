import type { Readable } from "node:stream";

/** What bubblewrap tells about itself while it runs. */
export interface SandboxStatus {
  /** The first process inside, by its number on the host. */
  childPid(): number | undefined;
  /** How the program ended; undefined when it never ran. */
  exitCode(): number | undefined;
}

/** Reads the JSON lines of `--json-status-fd`. */
export function readStatus(stream: Readable, onChild: (pid: number) => void): SandboxStatus {
  let text = "";
  let childPid: number | undefined;
  let exitCode: number | undefined;
  stream.setEncoding("utf8");
  stream.on("error", () => undefined);
  stream.on("data", (chunk: string) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const pid = Number(/"child-pid"\s*:\s*(\d+)/.exec(line)?.[1]);
      if (pid > 0 && childPid === undefined) {
        childPid = pid;
        onChild(pid);
      }
      const code = /"exit-code"\s*:\s*(\d+)/.exec(line)?.[1];
      if (code !== undefined) exitCode = Number(code);
    }
  });
  return { childPid: () => childPid, exitCode: () => exitCode };
}
