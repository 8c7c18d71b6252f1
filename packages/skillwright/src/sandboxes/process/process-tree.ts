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

/**
 * Ends every process that carries the mark of a run: those that left its group. Only processes younger than the run's first one are
 * looked at. Linux only; elsewhere nothing is found.
 */
export function endMarked(mark: string, first: number): void {
  const needle = Buffer.from(`${runMark}=${mark}\0`);
  // A process that forks while it is looked for shows up in the next round.
  for (let round = 0; round < 5; round++) {
    const found = youngerThan(first).filter((pid) => isMarked(pid, needle));
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

/** Numbers are given in order, from the beginning again after the highest. */
function youngerThan(first: number): number[] {
  try {
    const newest = Number(readFileSync("/proc/loadavg", "utf8").trim().split(" ").at(-1));
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
      .filter((pid) => (newest >= first ? pid >= first && pid <= newest : pid >= first || pid <= newest));
  } catch {
    return [];
  }
}

function isMarked(pid: number, needle: Buffer): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(needle);
  } catch {
    // Another user's, or gone.
    return false;
  }
}
