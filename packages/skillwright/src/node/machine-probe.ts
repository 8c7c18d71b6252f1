import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { EligibilityProbe } from "../library/index.ts";
import type { Environment } from "./user-paths.ts";

/** What this machine has. Programs are looked up on PATH and never started; an answer holds until the caller pauses. */
export function machineProbe(env: Environment): EligibilityProbe {
  const known = new Map<string, boolean>();

  return {
    env,
    platform: process.platform,
    hasProgram(name) {
      const answer = known.get(name);
      if (answer !== undefined) return answer;
      if (known.size === 0) queueMicrotask(() => known.clear());
      const found = isOnPath(name, env);
      known.set(name, found);
      return found;
    },
  };
}

/** Folders of PATH that are relative would be the project's, and do not count. */
function isOnPath(name: string, env: Environment): boolean {
  if (!/^[\w.+@-]+$/.test(name) || /^\.+$/.test(name)) return false;
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter(isAbsolute);
  const endings = process.platform === "win32" ? ["", ...(env.PATHEXT ?? ".EXE;.CMD;.BAT;.COM").split(";")] : [""];
  return folders.some((folder) => endings.some((ending) => isExecutable(join(folder, name + ending))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
