import { join } from "node:path";
import type { Project } from "./project.ts";
import { configFolder, type Environment, homeFolder, realPathOf } from "./user-paths.ts";

/** A folder in which skills are looked for though nobody named it. */
export interface ScopeRoot {
  readonly path: string;
  /** Where it really lies; undefined where it does not exist. */
  readonly realPath: string | undefined;
  /** The user's own, or the project's: that of whoever wrote the repository. */
  readonly level: "user" | "project";
}

const folderNames = [".agents/skills", ".claude/skills", "skills"];

/**
 * The default roots in order: the project's, nearest first, then those of the home folder and of the user's configuration.
 * One real folder is one root. A root that is the user's by any way is the user's: where the home folder is a repository, for instance.
 */
export function defaultScopes(project: Project, env: Environment): ScopeRoot[] {
  const home = homeFolder(env);
  const config = configFolder(env);
  const below = (folder: string) => folderNames.map((name) => join(folder, name));
  const own = [
    ...(home === undefined ? [] : below(home)),
    ...(config === undefined ? [] : [join(config, "skillwright/skills"), ...below(config)]),
  ];

  const roots = new Map<string, ScopeRoot>();
  const add = (path: string, level: ScopeRoot["level"]): void => {
    const realPath = realPathOf(path);
    const key = realPath ?? path;
    const known = roots.get(key);
    if (known === undefined) roots.set(key, { path, realPath, level });
    else if (level === "user") roots.set(key, { ...known, level });
  };
  for (const folder of project.folders) for (const path of below(folder)) add(path, "project");
  for (const path of own) add(path, "user");
  return [...roots.values()];
}
