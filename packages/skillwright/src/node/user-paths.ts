import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SkillError } from "../core/index.ts";

/** Variables of a process, or of whoever it works for. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/** The user's home folder, where there is one. */
export function homeFolder(env: Environment): string | undefined {
  const named = process.platform === "win32" ? env.USERPROFILE : env.HOME;
  if (named !== undefined && isAbsolute(named)) return resolve(named);
  try {
    return resolve(homedir());
  } catch {
    return undefined;
  }
}

/** Where the user's configuration lies. A relative `XDG_CONFIG_HOME` counts for nothing: it would lie in the project. */
export function configFolder(env: Environment): string | undefined {
  const named = env.XDG_CONFIG_HOME;
  if (named !== undefined && isAbsolute(named)) return resolve(named);
  const home = homeFolder(env);
  return home === undefined ? undefined : join(home, ".config");
}

/**
 * The absolute path that a person's text names: a path, `~`, or a `file:` URL.
 * @throws SkillError `configuration-invalid` for anything else
 */
export function namedPath(text: string, base: string, env: Environment): string {
  const path = text.trim();
  if (path === "") {
    throw new SkillError("configuration-invalid", "A root is an empty text.", { hint: "Name a folder, or leave the root out." });
  }
  if (path.includes("\0")) {
    throw new SkillError("configuration-invalid", `The root ${JSON.stringify(path)} holds a NUL.`, { hint: "Name a folder." });
  }
  if (/^file:/i.test(path)) return pathOfUrl(path);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) {
    throw new SkillError("configuration-invalid", `The root ${path} is not a place on this machine.`, {
      hint: "Name a folder by its path or a file: URL; for skills from elsewhere, pass a source that fetches them.",
      data: { root: path },
    });
  }
  const home = homeFolder(env);
  if (home !== undefined && /^~(?:$|[\\/])/.test(path)) return resolve(home, `.${path.slice(1)}`);
  return resolve(base, path);
}

/** Where a path really lies; undefined where nothing is there. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function pathOfUrl(url: string): string {
  try {
    if (/^file:\/\/(?:localhost)?\//i.test(url)) return resolve(fileURLToPath(url));
  } catch (error) {
    throw notLocal(url, error);
  }
  throw notLocal(url);
}

function notLocal(url: string, cause?: unknown): SkillError {
  const hint = "Write it as file:///absolute/path, or name the path itself.";
  return new SkillError("configuration-invalid", `The root ${url} is not a file: URL of this machine.`, { hint, cause });
}
