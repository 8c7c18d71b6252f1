import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunResult } from "../../packages/skillwright/src/workspace/index.ts";

const script = fileURLToPath(new URL("./sandbox-host.ts", import.meta.url));

/** What a host process is asked to run. */
export interface HostRequest {
  readonly sandbox: "bubblewrap" | "local" | "virtual";
  readonly argv: readonly string[];
  readonly directory?: string;
  readonly limits?: Readonly<Record<string, number>>;
  readonly timeoutMs?: number;
  /** Prints output as it comes. */
  readonly live?: boolean;
}

/** Starts a host in a process of its own. */
export function startHost(request: HostRequest, options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, ["--no-warnings", script, JSON.stringify(request)], { stdio: ["ignore", "pipe", "pipe"], ...options });
}

/** Lets a host run one command to its end. */
export async function runInHost(request: HostRequest, options: SpawnOptions = {}): Promise<RunResult> {
  const child = startHost(request, options);
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const last = out.trimEnd().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`The host failed: ${err}`);
  return JSON.parse(last) as RunResult;
}

/** Numbers of the processes whose command line or environment holds a text. */
export function processesWith(text: string, file: "cmdline" | "environ" = "cmdline"): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/${file}`, "utf8").includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Waits until something holds, as long as the test may take. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Whether another user could read this repository and start the Node that runs it. */
export function othersCanRun(): boolean {
  return [script, process.execPath].every((path) => {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if ((statSync(folder).mode & 0o001) === 0) return false;
      if (folder === dirname(folder)) return true;
    }
  });
}
