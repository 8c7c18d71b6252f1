import { readFileSync } from "node:fs";

/** Numbers that no distribution, container tool or service manager hands out. */
const preferredFirst = 0x7000_0000;
const perProcess = 512;

const taken = new Set<number>();

/**
 * Takes a user number that nothing else on the host runs under, so that limits on processes count this workspace's alone and no
 * other workspace's files are its own; undefined for a host that is not root and cannot change users.
 */
export function takeHostUser(): { readonly uid: number; release(): void } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const first = firstOfThisProcess();
  for (let index = 0; index < perProcess; index++) {
    const uid = first + index;
    if (taken.has(uid)) continue;
    taken.add(uid);
    return { uid, release: () => taken.delete(uid) };
  }
  // More open workspaces than numbers: they share the last one.
  return { uid: first, release: () => undefined };
}

function firstOfThisProcess(): number {
  const preferred = preferredFirst + (process.pid % 0x7_0000) * perProcess;
  const ranges = mappedRanges();
  if (ranges.some((range) => range.first <= preferred && preferred + perProcess <= range.end)) return preferred;
  // Inside a container that has few numbers: the highest ones, below the one for nobody.
  const widest = ranges.reduce((best, range) => (range.end - range.first > best.end - best.first ? range : best), { first: 0, end: 65536 });
  return Math.max(widest.first + 1, Math.min(widest.end, 65520) - perProcess * (1 + (process.pid % 8)));
}

function mappedRanges(): { readonly first: number; readonly end: number }[] {
  try {
    return readFileSync("/proc/self/uid_map", "utf8")
      .trim()
      .split("\n")
      .map((line) => {
        const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
        return { first: inside, end: inside + count };
      });
  } catch {
    return [];
  }
}
