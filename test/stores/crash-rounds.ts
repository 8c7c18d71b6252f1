import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const wantedRounds = Number(process.env.SKILLWRIGHT_CRASHES ?? 20);

/** Room for all rounds on a machine that has much else to do. */
export const crashTimeoutMs = 60_000 + wantedRounds * 10_000;

/** What {@link crashRounds} runs, and how often. */
export interface CrashOptions {
  /**
   * A program, and its arguments, that never ends by itself and prints a line for each thing that was acknowledged,
   * with a "." at its end, by which a line that was cut is told from a whole one. Where it calls `flushCompileCache()`
   * of `node:module` once it has loaded, later rounds start in a fraction of the time.
   */
  readonly argv: readonly [program: string, ...args: string[]];
  /** @default SKILLWRIGHT_CRASHES, or 20 */
  readonly rounds?: number;
  /** Asserts, after each round, that everything is there: the lines of this round, without their ".". */
  check(acknowledged: readonly string[]): Promise<void>;
}

/** Runs a program again and again, kills it with SIGKILL at a random point, and answers all that it had acknowledged. */
export async function crashRounds({ argv, rounds = wantedRounds, check }: CrashOptions): Promise<readonly string[]> {
  const cache = await mkdtemp(join(tmpdir(), "skillwright-crash-"));
  try {
    const all: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const acknowledged = await killAtRandom(argv, cache);
      await check(acknowledged);
      all.push(...acknowledged);
    }
    return all;
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}

async function killAtRandom(argv: readonly string[], cache: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
  });
  const closed = once(child, "close");
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const enough = 1 + Math.floor(Math.random() * 30);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length !== enough) continue;
    // The program goes on meanwhile, so the signal meets it anywhere between two lines.
    for (let turns = Math.floor(Math.random() * 20); turns > 0; turns--) await new Promise(setImmediate);
    child.kill("SIGKILL");
  }
  const [, signal] = await closed;
  if (signal !== "SIGKILL") throw new Error(`The program ended by itself after ${lines.length} lines: ${complaint}`);
  return lines.filter((line) => line.endsWith(".")).map((line) => line.slice(0, -1));
}
