import { spawn } from "node:child_process";
import { defaultLimits } from "../packages/skillwright/src/core/index.ts";
import { bubblewrapSandbox } from "../packages/skillwright/src/sandboxes/bubblewrap.ts";
import { localSandbox } from "../packages/skillwright/src/sandboxes/local.ts";
import { virtualSandbox } from "../packages/skillwright/src/sandboxes/virtual.ts";
import { openSkillWorkspace, type Sandbox, type SkillToStage } from "../packages/skillwright/src/workspace/index.ts";

// What a run and a staging cost: `true` in a warm workspace against a bare spawn, taken in turns, and a skill of 200 files.

const rounds = Number(process.argv[2] ?? 40);
const encoder = new TextEncoder();

function bareSpawn(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("true", [], { stdio: ["ignore", "pipe", "pipe"] });
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

function summary(values: readonly number[]): { readonly best: number; readonly median: number } {
  const sorted = [...values].sort((a, b) => a - b);
  return { best: sorted[0] ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0 };
}

function skillOf(files: number, key: string): SkillToStage {
  const paths = Array.from({ length: files }, (_, index) => (index === 0 ? "SKILL.md" : `references/part-${index % 10}/page-${index}.md`));
  return {
    name: `manual-${key}`,
    key,
    files: paths.map((path) => ({ path, bytes: 4_000, mode: 0o644 })),
    read: async (path) => encoder.encode(`${path}\n`.repeat(Math.ceil(4_000 / path.length))),
  };
}

async function measure(sandbox: Sandbox): Promise<void> {
  const probe = await sandbox.probe();
  if (!probe.ok) return print(`${sandbox.id}: not here: ${probe.reason}`);
  const raw = await sandbox.open({ sessionId: "bench", limits: defaultLimits, policy: { network: "none" } });
  const bare: number[] = [];
  const inside: number[] = [];
  for (let round = 0; round < rounds + 3; round++) {
    const [first, second] = [await timed(bareSpawn), await timed(() => raw.run(["true"]))];
    if (round < 3) continue;
    bare.push(first);
    inside.push(second);
  }
  await raw.close();

  const first: number[] = [];
  const unchanged: number[] = [];
  const workspace = openSkillWorkspace({ sandbox, sessionId: "bench", limits: defaultLimits });
  await workspace.inputs();
  for (let round = 0; round < 10; round++) {
    const skill = skillOf(200, String(round));
    first.push(await timed(() => workspace.stage(skill)));
    unchanged.push(await timed(() => workspace.stage(skill)));
  }
  await workspace.close();

  const [plain, run, stage, again] = [bare, inside, first, unchanged].map(summary);
  const show = (name: string, value: { best: number; median: number } | undefined): string =>
    `${name} ${value?.median.toFixed(1)} ms (best ${value?.best.toFixed(1)})`;
  print(
    `${sandbox.id}: ${show("bare spawn", plain)}; ${show("true, warm", run)}; difference of medians ${((run?.median ?? 0) - (plain?.median ?? 0)).toFixed(1)} ms`,
  );
  print(`${sandbox.id}: ${show("first staging of 200 files", stage)}; ${show("unchanged", again)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

for (const sandbox of [bubblewrapSandbox(), localSandbox(), virtualSandbox()]) await measure(sandbox);
