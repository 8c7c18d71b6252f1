import { readdirSync, readFileSync } from "node:fs";

/** The variable by which processes of one run are found again, whatever session or group they moved to. */
export const runMark = "SKILLWRIGHT_RUN";

/** Sends a signal to a process group; one that is gone is no fault. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // No such group any more.
  }
}

/** Ends every process that carries the mark of a run: those that left its group. Linux only; elsewhere nothing is found. */
export function endMarked(mark: string): void {
  const needle = Buffer.from(`${runMark}=${mark}\0`);
  // A process that forks while it is looked for shows up in the next round.
  for (let round = 0; round < 5; round++) {
    const found = markedProcesses(needle);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Gone meanwhile.
      }
    }
  }
}

function markedProcesses(needle: Buffer): number[] {
  const found: number[] = [];
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return found;
  }
  for (const name of names) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (readFileSync(`/proc/${pid}/environ`).includes(needle)) found.push(pid);
    } catch {
      // Another user's, or gone.
    }
  }
  return found;
}
