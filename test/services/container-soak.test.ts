import { readdirSync, readFileSync } from "node:fs";
import Docker from "dockerode";
import { defaultLimits } from "skillwright";
import { containerSandbox } from "skillwright/sandboxes/container";
import { describe, expect, test } from "vitest";
import { docker, podman } from "./container-engines.ts";

const sessions = 100;
const atOnce = 4;

describe.each([docker, podman])("a hundred sessions on $name", ({ socket, image, missing }) => {
  test("leave no container, process, mount or descriptor behind", { timeout: 900_000 }, async (context) => {
    if (socket === undefined) return context.skip(missing);
    const sandbox = containerSandbox({ socket, image });
    const client = new Docker({ socketPath: socket });
    const mark = `soak-${crypto.randomUUID()}`;

    const live = async (index: number): Promise<void> => {
      const workspace = await sandbox.open({
        sessionId: mark,
        limits: { ...defaultLimits, maxMemoryBytes: 128 * 1024 * 1024, runTimeoutMs: 60_000 },
        policy: { network: "none" },
      });
      try {
        const first = await workspace.run([
          "sh",
          "-c",
          `echo ${index} > number; (setsid sh -c 'sleep 600; :' ${mark} &) 2>/dev/null; sleep 600 & echo done`,
        ]);
        expect([first.reason, first.stdout]).toEqual(["exited", "done\n"]);
        const second = await workspace.run(["cat", "number"]);
        expect([second.reason, second.stdout]).toEqual(["exited", `${index}\n`]);
      } finally {
        await workspace.close();
      }
    };

    await live(-1);
    const before = { mounts: mounts(), descriptors: descriptors() };
    let next = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (next < sessions) await live(next++);
      }),
    );
    const left = async (): Promise<unknown> => ({
      containers: (await client.listContainers({ all: true, filters: { label: [`skillwright.session=${mark}`] } })).length,
      processes: processesOf(mark),
      mounts: Math.max(0, mounts() - before.mounts),
      // Node keeps a few of its own.
      descriptors: Math.max(0, descriptors() - before.descriptors - 8),
    });
    await expect.poll(left, { timeout: 30_000, interval: 250 }).toEqual({ containers: 0, processes: [], mounts: 0, descriptors: 0 });
  });
});

function mounts(): number {
  return readFileSync("/proc/self/mountinfo", "utf8").split("\n").length;
}

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

function processesOf(mark: string): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });
}
