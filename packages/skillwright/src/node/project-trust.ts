import type { SkillSource } from "../catalog/index.ts";
import { type Diagnostic, defaultLimits, type Limits } from "../core/index.ts";
import { findProject, type Project } from "./project.ts";
import { readTrust } from "./trust-store.ts";
import { type Environment, realPathOf } from "./user-paths.ts";

/** A project whose skills wait for a decision. */
export interface UntrustedProject {
  readonly root: string;
  /** The folders in which skills were found. */
  readonly roots: readonly string[];
  /** How many there are. */
  readonly skills: number;
}

/**
 * Who decides whether a project found by default scope is trusted: `true` and `false` do so for this library alone; a function is asked
 * where no decision is stored, and its answer is not stored either.
 */
export type ProjectTrust = boolean | ((project: UntrustedProject) => boolean | Promise<boolean>);

/** What is known of a project when its trust is decided. */
interface ProjectCase {
  readonly project: Project;
  readonly sources: readonly SkillSource[];
  /** Paths that the user's configuration trusts. */
  readonly trusted: readonly string[];
  readonly env: Environment;
  readonly limits?: Partial<Limits> | undefined;
}

/** Decides by the caller's word, the stored decisions, the user's configuration, and last by asking. */
export async function decideTrust(
  decision: ProjectTrust | undefined,
  { project, sources, trusted, env, limits }: ProjectCase,
): Promise<{ readonly trusted: boolean; readonly diagnostics: readonly Diagnostic[] }> {
  if (typeof decision === "boolean") return { trusted: decision, diagnostics: [] };
  const { grants, diagnostics } = readTrust({ env });
  const keys = new Set(grants.map(({ path }) => path));
  for (const path of trusted) {
    const real = realPathOf(path);
    if (real !== undefined) keys.add(findProject(real).trustKey);
  }
  if (keys.has(project.trustKey)) return { trusted: true, diagnostics };
  if (decision === undefined || sources.length === 0) return { trusted: false, diagnostics };
  let skills = 0;
  for (const source of sources) skills += await countSkills(source, { ...defaultLimits, ...limits });
  if (skills === 0) return { trusted: false, diagnostics };
  const roots = sources.map((source) => source.locate(""));
  return { trusted: await decision({ root: project.root, roots, skills }), diagnostics };
}

/** Counts without trust: what leads out of the root is not opened, and nothing is read but headers. */
async function countSkills(source: SkillSource, limits: Limits): Promise<number> {
  let count = 0;
  for await (const entry of source.list({ trust: "untrusted", limits })) if ("header" in entry) count++;
  return count;
}
