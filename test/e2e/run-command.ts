import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const main = `${repository}packages/cli/dist/main.js`;

/** How a run of the command ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of {@link runCommandLine}. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The program that runs it. @default this Node */
  readonly node?: string;
  /** Called with what it prints to stderr, to interrupt it at a known point. */
  readonly onStderr?: (text: string, interrupt: () => void) => void;
}

/** Runs the built command as a process of its own, with an environment that holds no keys. */
export function runCommandLine(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.node ?? process.execPath, [main, ...args], {
      cwd: options.cwd ?? repository,
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", LANG: "C.UTF-8", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk;
    });
    let interrupted = false;
    const interrupt = (): void => {
      if (!interrupted) child.kill("SIGINT");
      interrupted = true;
    };
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk;
      options.onStderr?.(stderr, interrupt);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
