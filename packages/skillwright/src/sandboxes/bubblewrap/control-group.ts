import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Bounds that a control group holds for everything in it together. */
export interface GroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

/** A group that bounds memory and processes of a run; used again by the next one. */
export interface ControlGroup {
  readonly folders: readonly string[];
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
    if (groups !== undefined && works(groups)) return groups;
  }
  return undefined;
}

/** Makes a group and lets a process join it: permissions on the folders alone do not say whether that is allowed. */
function works(groups: ControlGroups): boolean {
  try {
    const trial = groups.create({ memoryBytes: 64 * 1024 * 1024, processes: 8 });
    try {
      const script = 'for folder do echo $$ > "$folder/cgroup.procs" || exit 1; done';
      return spawnSync("/bin/sh", ["-c", script, "sh", ...trial.folders], { stdio: "ignore" }).status === 0;
    } finally {
      trial.remove().catch(() => undefined);
    }
  } catch {
    // Not writable, or without the controllers.
    return false;
  }
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

/** In version 2 a group with processes in it cannot have limited ones below, so the groups stand beside the own one: in the nearest above that lets them. */
function versionTwo(places: ControlGroupPlaces): ControlGroups | undefined {
  const own = parentOf(places, undefined);
  if (own === undefined) return undefined;
  for (let parent = own; existsSync(join(parent, "cgroup.controllers")); parent = dirname(parent)) {
    if (!handsDown(parent)) continue;
    const groups = groupsBelow(parent);
    if (works(groups)) return groups;
  }
  return undefined;
}

/** Whether groups below may be limited; asks the kernel for it where that is not so yet. */
function handsDown(parent: string): boolean {
  const available = words(join(parent, "cgroup.controllers"));
  if (!available.has("memory") || !available.has("pids")) return false;
  const given = words(join(parent, "cgroup.subtree_control"));
  if (given.has("memory") && given.has("pids")) return true;
  try {
    set(parent, "cgroup.subtree_control", "+memory +pids");
    return true;
  } catch {
    return false;
  }
}

function groupsBelow(parent: string): ControlGroups {
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
    folders,
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
