import type { TrustedSource } from "../catalog/index.ts";
import type { Diagnostic, Limits } from "../core/index.ts";
import type { LibraryOptions, SwitchLayer } from "../library/index.ts";
import { directorySource } from "../sources/directory.ts";
import { decideTrust, type ProjectTrust } from "./project-trust.ts";
import { findRoots, isInside, type Root } from "./roots.ts";
import type { Environment } from "./user-paths.ts";

/** Options of {@link defaultSources}. */
export interface DefaultSourcesOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly roots: readonly string[];
  readonly trust?: ProjectTrust | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** What a library is opened with where nobody named a source. */
export interface DefaultSources extends Required<Pick<LibraryOptions, "withheld" | "diagnostics">> {
  readonly sources: readonly TrustedSource[];
  readonly switches: readonly SwitchLayer[];
}

/**
 * Finds the default roots and decides the trust of the project's. Without trust they are listed as withheld, and the project's
 * configuration may disable, not enable.
 * @throws SkillError `configuration-invalid`
 */
export async function defaultSources({ cwd, env, roots, trust, limits }: DefaultSourcesOptions): Promise<DefaultSources> {
  const search = findRoots({ cwd, env, roots });
  const { project } = search;
  const found = search.roots.map((root) => ({ root, source: directorySource(root.path, { missing: root.named ? "warning" : "info" }) }));
  const leavesProject = ({ realPath }: Root) => realPath !== undefined && !isInside(realPath, project.root);
  const waiting = found.filter(({ root }) => root.level === "project" && root.realPath !== undefined && !leavesProject(root));
  const decision = await decideTrust(trust, {
    project,
    sources: waiting.map(({ source }) => source),
    trusted: search.trusted,
    env,
    limits,
  });

  const reason =
    `The project ${project.root} is not trusted. Run \`skillwright trust ${shellWord(project.root)}\`, ` +
    "open the library with `trust: true`, or name the folder as a source.";
  const sources: TrustedSource[] = [];
  const withheld: { location: string; reason: string }[] = [];
  for (const { root, source } of found) {
    if (root.level !== "project" || decision.trusted) sources.push({ source, trust: "trusted" });
    else if (leavesProject(root)) withheld.push({ location: root.path, reason });
    else if (root.realPath !== undefined) sources.push({ source, trust: "untrusted", withheld: reason });
  }
  const switches = decision.trusted
    ? search.switches
    : search.switches.map((layer) => (layer.level === "project" ? onlyDisabling(layer) : layer));
  const diagnostics = [...search.diagnostics, ...decision.diagnostics];
  for (const layer of decision.trusted ? [] : search.switches) {
    if (layer.level === "project" && layer.enable !== undefined && layer.enable.length > 0) diagnostics.push(enableIgnored(layer));
  }
  return { sources, withheld, switches, diagnostics };
}

function onlyDisabling({ enable, ...layer }: SwitchLayer): SwitchLayer {
  return layer;
}

function enableIgnored({ location }: SwitchLayer): Diagnostic {
  return {
    severity: "info",
    code: "config-untrusted",
    message: "What it enables waits until the project is trusted; what it disables is disabled.",
    location: location ?? "",
    hint: "Trust the project, or enable the names in your own configuration.",
  };
}

function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
