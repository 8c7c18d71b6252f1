import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findControlGroups } from "./control-group.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillwright-cgroup-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A folder that looks like a version 2 hierarchy; the kernel's files appear when they are written. */
function versionTwo(controllers: string): Parameters<typeof findControlGroups>[0] {
  const own = join(folder, "own.slice");
  mkdirSync(own);
  writeFileSync(join(own, "cgroup.controllers"), controllers);
  writeFileSync(join(own, "cgroup.subtree_control"), "");
  writeFileSync(join(folder, "mounts"), `30 23 0:26 / ${folder} rw,nosuid - cgroup2 cgroup2 rw\n`);
  writeFileSync(join(folder, "cgroup"), "0::/own.slice\n");
  return { mounts: join(folder, "mounts"), own: join(folder, "cgroup") };
}

test("version 2: limits are written, processes join, kills are counted", () => {
  const groups = findControlGroups(versionTwo("cpu memory pids"));
  expect(groups?.version).toBe(2);
  const group = groups?.create({ memoryBytes: 1234, processes: 7 });
  const own = join(folder, "own.slice");
  const [name = ""] = readdirSync(own)
    .filter((entry) => entry.startsWith("skillwright-"))
    .sort()
    .reverse();
  const read = (file: string): string => readFileSync(join(own, name, file), "utf8");
  expect(readFileSync(join(own, "cgroup.subtree_control"), "utf8")).toBe("+memory +pids");
  expect([read("memory.max"), read("memory.oom.group"), read("pids.max")]).toEqual(["1234", "1", "7"]);
  group?.join(4321);
  expect(read("cgroup.procs")).toBe("4321");
  writeFileSync(join(own, name, "memory.events"), "low 0\noom 3\noom_kill 2\noom_group_kill 0\n");
  expect(group?.memoryKills()).toBe(2);
});

test("version 2: where the own group may not hand limits down, one above that does is taken", () => {
  const places = versionTwo("memory pids");
  const inner = join(folder, "own.slice", "app.scope");
  mkdirSync(inner);
  writeFileSync(join(inner, "cgroup.controllers"), "memory pids");
  mkdirSync(join(inner, "cgroup.subtree_control"));
  writeFileSync(join(folder, "own.slice", "cgroup.subtree_control"), "cpu memory pids");
  writeFileSync(join(folder, "cgroup"), "0::/own.slice/app.scope\n");
  const group = findControlGroups(places)?.create({ memoryBytes: 1, processes: 1 });
  expect(group?.folders.map((path) => dirname(path))).toEqual([join(folder, "own.slice")]);
});

test.each([["cpu io"], [""], ["memory"]])("version 2 with the controllers %j alone is of no use", (controllers) => {
  expect(findControlGroups(versionTwo(controllers))).toBeUndefined();
});

test("places that cannot be read are no control groups", () => {
  expect(findControlGroups({ mounts: join(folder, "none"), own: join(folder, "none") })).toBeUndefined();
  writeFileSync(join(folder, "mounts"), "garbage\n");
  writeFileSync(join(folder, "cgroup"), "garbage\n");
  expect(findControlGroups({ mounts: join(folder, "mounts"), own: join(folder, "cgroup") })).toBeUndefined();
});

test("version 1 takes the own group of each controller, and removes groups that were left", () => {
  for (const controller of ["memory", "pids"]) mkdirSync(join(folder, controller, "own"), { recursive: true });
  const left = join(folder, "pids", "own", "skillwright-4194999-1");
  mkdirSync(left);
  writeFileSync(
    join(folder, "mounts"),
    `31 30 0:27 / ${folder}/memory rw - cgroup cgroup rw,memory\n32 30 0:28 / ${folder}/pids rw - cgroup cgroup rw,pids\n`,
  );
  writeFileSync(join(folder, "cgroup"), "8:pids:/own\n4:memory:/own\n");
  const groups = findControlGroups({ mounts: join(folder, "mounts"), own: join(folder, "cgroup") });
  expect(groups?.version).toBe(1);
  expect(existsSync(left)).toBe(false);
  groups?.create({ memoryBytes: 10, processes: 3 }).join(5);
  const names = readdirSync(join(folder, "memory", "own")).filter((name) => name.startsWith("skillwright-"));
  const name = names.sort().at(-1) ?? "";
  expect(readFileSync(join(folder, "memory", "own", name, "memory.limit_in_bytes"), "utf8")).toBe("10");
  expect(readFileSync(join(folder, "pids", "own", name, "pids.max"), "utf8")).toBe("3");
  for (const controller of ["memory", "pids"])
    expect(readFileSync(join(folder, controller, "own", name, "cgroup.procs"), "utf8")).toBe("5");
});

test("the machine's own control groups, where they may be made, are gone after use", async (context) => {
  const groups = findControlGroups();
  if (groups === undefined) context.skip("no control group may be made here");
  const group = groups?.create({ memoryBytes: 64 * 1024 * 1024, processes: 5 });
  expect(group?.memoryKills()).toBe(0);
  await group?.remove();
  expect(() => group?.memoryKills()).toThrow();
});
