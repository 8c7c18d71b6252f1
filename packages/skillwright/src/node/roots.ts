import { delimiter, dirname, sep } from "node:path";
import { type Diagnostic, SkillError } from "../core/index.ts";
import type { SwitchLayer } from "../library/index.ts";
import { readProjectConfig, readUserConfig } from "./config-file.ts";
import { defaultScopes, type ScopeRoot } from "./default-scopes.ts";
import { findProject, type Project } from "./project.ts";
import { type Environment, namedPath, realPathOf } from "./user-paths.ts";

/** A folder to look for skills in, and on whose word. */
export interface Root extends Omit<ScopeRoot, "level"> {
  /** Named by the caller or the environment; the user's own; or the project's. */
  readonly level: "named" | "user" | "project";
  /** Whether somebody named it, so that its absence is a mistake. */
  readonly named: boolean;
}

/** Everything that is known before a source is opened. */
export interface RootSearch {
  readonly project: Project;
  readonly roots: readonly Root[];
  /** Projects that the user's configuration trusts. */
  readonly trusted: readonly string[];
  /** The project's layer may only disable until the project is trusted. */
  readonly switches: readonly SwitchLayer[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Options of {@link findRoots}. */
export interface FindRootsOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** Roots that the caller adds to the default ones. */
  readonly roots: readonly string[];
}

/**
 * Finds the roots where no source was named, in order of precedence: the caller's, those of `SKILLWRIGHT_ROOTS`, the project's, nearest
 * first, what its configuration adds, the user's, what the user's configuration adds. One real folder is one root, at its first place;
 * it counts as the project's only where nobody else names it.
 * @throws SkillError `configuration-invalid`
 */
export function findRoots({ cwd, env, roots: added }: FindRootsOptions): RootSearch {
  const project = findProject(cwd);
  const user = readUserConfig(env);
  const own = readProjectConfig(project.root);
  const scopes = defaultScopes(project, env);
  const diagnostics = [...user.diagnostics, ...own.diagnostics];

  const found = new Map<string, Root>();
  const add = (path: string, level: Root["level"], named: boolean): void => {
    const realPath = realPathOf(path);
    const key = realPath ?? path;
    const known = found.get(key);
    if (known === undefined) found.set(key, { path, realPath, level, named });
    else if (known.level === "project" && level !== "project") found.set(key, { ...known, level });
  };
  for (const root of added) add(namedPath(root, cwd, env), "named", true);
  for (const root of environmentRoots(env)) add(namedPath(root, cwd, env), "named", true);
  for (const { path, level } of scopes) if (level === "project") add(path, "project", false);
  for (const root of own.config?.roots ?? []) {
    const path = insideProject(root, project.root, env);
    if (path === undefined) diagnostics.push(refusedRoot(root, own.config?.location ?? project.root));
    else add(path, "project", true);
  }
  for (const { path, level } of scopes) if (level === "user") add(path, "user", false);
  for (const root of user.config?.roots ?? []) add(namedPath(root, dirname(user.config?.location ?? cwd), env), "user", true);

  const switches: SwitchLayer[] = [];
  if (user.config !== undefined) switches.push({ level: "user", ...user.config });
  if (own.config !== undefined) switches.push({ level: "project", ...own.config });
  const trusted = (user.config?.trust ?? []).map((path) => namedPath(path, dirname(user.config?.location ?? cwd), env));
  return { project, roots: [...found.values()], trusted, switches, diagnostics };
}

function environmentRoots(env: Environment): string[] {
  const value = env.SKILLWRIGHT_ROOTS ?? "";
  if (/[a-z][a-z0-9+.-]+:\/\//i.test(value)) {
    throw new SkillError("configuration-invalid", "SKILLWRIGHT_ROOTS holds a URL.", {
      hint: `Name folders by their paths, with ${JSON.stringify(delimiter)} between them.`,
    });
  }
  return value.split(delimiter).filter((root) => root.trim() !== "");
}

/** The path of a root that a project's configuration names, if it lies in the project: what is trusted is the project alone. */
function insideProject(root: string, project: string, env: Environment): string | undefined {
  try {
    const path = namedPath(root, project, env);
    return isInside(realPathOf(path) ?? path, project) ? path : undefined;
  } catch (error) {
    if (SkillError.is(error, "configuration-invalid")) return undefined;
    throw error;
  }
}

/** Whether a real path is a folder or lies in it. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function refusedRoot(root: string, location: string): Diagnostic {
  return {
    severity: "warning",
    code: "config-root-refused",
    message: `The root ${JSON.stringify(root.slice(0, 200))} is not a folder of this project, and is left out.`,
    location,
    hint: "Name it in your own configuration instead: a project's may only name folders inside it.",
  };
}
