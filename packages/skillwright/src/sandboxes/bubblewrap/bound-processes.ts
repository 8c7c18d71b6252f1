import { execFile } from "node:child_process";
import { release } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Since Linux 5.14 a limit on processes counts those of the user namespace; before, it counted all of the user's, on the desktop too. */
export const processesCountedInside: boolean = (() => {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major > 5 || (major === 5 && minor >= 14);
})();

/**
 * Bounds how many processes and threads a blocked sandbox may have, from outside: set before the namespace is made, the limit would
 * count every process of the user who runs this.
 */
export async function boundProcesses(prlimit: string, pid: number, count: number): Promise<void> {
  await run(prlimit, ["--pid", String(pid), `--nproc=${count}`]);
}
