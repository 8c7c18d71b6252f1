import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Labels that say whose a container is. */
export const labels: { readonly host: string; readonly session: string } = Object.freeze({
  host: "skillwright.host",
  session: "skillwright.session",
});

/** This process as a label: which process table, which number, and when it began, so that a later process of that number is another. */
export function hostIdentity(): string {
  return `${processTable()}/${process.pid}/${startOf(process.pid)}`;
}

/** Whether the process of a label is known to be gone; of another machine or process table nothing is known. */
export function isGoneHost(identity: string): boolean {
  const [table, pid, startedAt] = identity.split("/");
  if (table !== processTable() || pid === undefined) return false;
  if (process.platform === "linux") return startOf(Number(pid)) !== startedAt;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function processTable(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
