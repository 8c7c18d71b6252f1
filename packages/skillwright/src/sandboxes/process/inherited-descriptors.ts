import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

const closeOnExecute = 0o2000000;

/** An entry of `stdio` as `spawn` takes it. */
export type StdioEntry = "ignore" | "pipe" | number;

/**
 * Fills up a `stdio` list so that a program gets nothing of what this process inherited itself: descriptors that its parent left open
 * pass through `spawn`, and a sandbox that hides every file would still hand over an open one. Answers the list and what to close after.
 */
export function withoutInherited(stdio: readonly StdioEntry[]): { readonly stdio: StdioEntry[]; done(): void } {
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= stdio.length);
  if (inherited.length === 0) return { stdio: [...stdio], done: () => undefined };
  const nothing = openSync("/dev/null", "r");
  const filled: StdioEntry[] = [...stdio];
  for (const descriptor of inherited) {
    while (filled.length < descriptor) filled.push("ignore");
    filled[descriptor] = nothing;
  }
  return { stdio: filled, done: () => closeSync(nothing) };
}

/** Open descriptors above the three standard ones that stay open when a program is executed. */
function inheritedDescriptors(): number[] {
  if (process.platform !== "linux") return [];
  const found: number[] = [];
  for (const name of readdirSync("/proc/self/fd")) {
    const descriptor = Number(name);
    if (descriptor > 2 && staysOpen(descriptor)) found.push(descriptor);
  }
  return found.sort((a, b) => a - b);
}

function staysOpen(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExecute) === 0;
  } catch {
    // It was the one that the listing itself used.
    return false;
  }
}
