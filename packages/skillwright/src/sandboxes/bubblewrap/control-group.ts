import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Bounds that a control group holds for everything in it together. */
export interface GroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

/** A group that bounds memory and processes of a run; used again by the next one. */
export interface ControlGroup {
  /** Puts a process in, and with it all that it will start. */
  join(pid: number): void;
  /** How many processes the kernel has ended for want of memory. */
  memoryKills(): number;
  remove(): Promise<void>;
}

/** Makes {@link ControlGroup}s. */
export interface ControlGroups {
  readonly version: 1 | 2;
  create(limits: GroupLimits): ControlGroup;
}

/** Where to look; other places stand in for the kernel's in tests. */
export interface ControlGroupPlaces {
  readonly mounts: string;
  readonly own: string;
}

const kernelPlaces: ControlGroupPlaces = { mounts: "/proc/self/mountinfo", own: "/proc/self/cgroup" };

let count = 0;

/** Finds the control groups this process may make, trying for real; undefined where it may not. */
export function findControlGroups(places: ControlGroupPlaces = kernelPlaces): ControlGroups | undefined {
  if (process.platform !== "linux") return undefined;
  for (const groups of [versionTwo(places), versionOne(places)]) {
    if (groups === undefined) continue;
    try {
      const trial = groups.create({ memoryBytes: 64 * 1024 * 1024, processes: 8 });
      trial.remove().catch(() => undefined);
      return groups;
    } catch {
      // Not writable, or without the controllers: the next kind, or none.
    }
  }
  return undefined;
}

function versionOne(places: ControlGroupPlaces): ControlGroups | undefined {
  const memory = parentOf(places, "memory");
  const processes = parentOf(places, "pids");
  if (memory === undefined || processes === undefined) return undefined;
  removeLeftOvers(memory);
  removeLeftOvers(processes);
  return {
    version: 1,
    create(limits) {
      const name = nextName();
      const folders = [join(memory, name), join(processes, name)] as const;
      const [memoryFolder, processFolder] = folders;
      makeGroup(folders, () => {
        set(memoryFolder, "memory.limit_in_bytes", limits.memoryBytes);
        if (existsSync(join(memoryFolder, "memory.memsw.limit_in_bytes")))
          set(memoryFolder, "memory.memsw.limit_in_bytes", limits.memoryBytes);
        set(processFolder, "pids.max", limits.processes);
      });
      return group(folders, join(memoryFolder, "memory.oom_control"));
    },
  };
}

function versionTwo(places: ControlGroupPlaces): ControlGroups | undefined {
  const parent = parentOf(places, undefined);
  if (parent === undefined) return undefined;
  const available = words(join(parent, "cgroup.controllers"));
  if (!available.has("memory") || !available.has("pids")) return undefined;
  try {
    if (!words(join(parent, "cgroup.subtree_control")).has("memory")) set(parent, "cgroup.subtree_control", "+memory +pids");
  } catch {
    return undefined;
  }
  removeLeftOvers(parent);
  return {
    version: 2,
    create(limits) {
      const folder = join(parent, nextName());
      makeGroup([folder], () => {
        set(folder, "memory.max", limits.memoryBytes);
        if (existsSync(join(folder, "memory.swap.max"))) set(folder, "memory.swap.max", 0);
        set(folder, "memory.oom.group", 1);
        set(folder, "pids.max", limits.processes);
      });
      return group([folder], join(folder, "memory.events"));
    },
  };
}

function group(folders: readonly string[], events: string): ControlGroup {
  return {
    join: (pid) => {
      for (const folder of folders) set(folder, "cgroup.procs", pid);
    },
    memoryKills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(events, "utf8"))?.[1] ?? 0),
    async remove() {
      // The kernel needs a moment after the last process.
      for (let attempt = 0; attempt < 50; attempt++) {
        const left = folders.filter((folder) => existsSync(folder));
        if (left.length === 0) return;
        for (const folder of left) tryRemove(folder);
        await setTimeout(5);
      }
    },
  };
}

function makeGroup(folders: readonly string[], configure: () => void): void {
  try {
    for (const folder of folders) mkdirSync(folder);
    configure();
  } catch (error) {
    for (const folder of folders) tryRemove(folder);
    throw error;
  }
}

function nextName(): string {
  return `skillwright-${process.pid}-${++count}`;
}

/** Groups whose maker is gone and that hold no process. */
function removeLeftOvers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^skillwright-(\d+)-\d+$/.exec(name)?.[1]);
    if (pid > 0 && !existsSync(`/proc/${pid}`)) tryRemove(join(parent, name));
  }
}

function tryRemove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Still in use, or not there.
  }
}

function set(folder: string, file: string, value: string | number): void {
  writeFileSync(join(folder, file), String(value));
}

function words(file: string): Set<string> {
  try {
    return new Set(readFileSync(file, "utf8").trim().split(/\s+/));
  } catch {
    return new Set();
  }
}

/** This process's own group in the hierarchy of a controller (version 1), or in the one hierarchy of version 2. */
function parentOf(places: ControlGroupPlaces, controller: string | undefined): string | undefined {
  let mounts: string;
  let own: string;
  try {
    mounts = readFileSync(places.mounts, "utf8");
    own = readFileSync(places.own, "utf8");
  } catch {
    return undefined;
  }
  const line = own.split("\n").find((entry) => {
    const [number, controllers = ""] = entry.split(":");
    return controller === undefined ? number === "0" : controllers.split(",").includes(controller);
  });
  const path = line?.split(":").slice(2).join(":");
  const mount = mounts
    .split("\n")
    .map((entry) => {
      const [before = "", after = ""] = entry.split(" - ");
      const [type, , options = ""] = after.split(" ");
      return { point: before.split(" ")[4] ?? "", type, options: options.split(",") };
    })
    .find((entry) => (controller === undefined ? entry.type === "cgroup2" : entry.type === "cgroup" && entry.options.includes(controller)));
  if (mount === undefined || path === undefined) return undefined;
  // In a container the path may be the host's; then the mount itself is the own group.
  return [join(mount.point, path), mount.point].find((candidate) => existsSync(candidate));
}
