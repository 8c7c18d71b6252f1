/**
 * Skillwright on Node: everything of the root, and folders as sources, default scopes, trust and eligibility of this machine.
 */
import type { SkillSource, Trust, TrustedSource } from "./catalog/index.ts";
import { SkillError } from "./core/index.ts";
import { openSkills as openOnSources, type SkillsOptions } from "./index.ts";
import type { EligibilityProbe, SourceResolver } from "./library/index.ts";
import { defaultSources } from "./node/default-sources.ts";
import { machineProbe } from "./node/machine-probe.ts";
import type { ProjectTrust } from "./node/project-trust.ts";
import { type Environment, namedPath } from "./node/user-paths.ts";
import type { SkillLibrary } from "./session/index.ts";
import { directorySource } from "./sources/directory.ts";

/** Everything of the root, for the same names in both. */
export {
  type ActiveSkill,
  type AgentEvent,
  type Approval,
  type ApprovalDecision,
  type Approve,
  type Artifact,
  type ArtifactStore,
  type BlobStore,
  type CatalogStyle,
  type CommandRequest,
  type CountTokens,
  checkEligibility,
  compileSwitches,
  createSearchIndex,
  type DefinedSkill,
  type Diagnostic,
  type Dialect,
  type DialectId,
  type DialectWords,
  type Digest,
  defaultLimits,
  defaultReadingRules,
  defineSkill,
  dialects,
  digestOf,
  type Eligibility,
  type EligibilityProbe,
  type Excluded,
  estimateTokens,
  type FileKind,
  type ForkRequest,
  type FormatCode,
  type FormatRule,
  formatRules,
  type Grant,
  type HistoryMessage,
  type Hubs,
  type InteractiveRun,
  type Isolation,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Ledger,
  type LedgerEntry,
  type LedgerKind,
  type Library,
  type LibraryEvent,
  type LibraryOptions,
  type Lifecycle,
  type Limits,
  type LintFile,
  type LintInput,
  type LoadedSkill,
  type Locale,
  lintSkill,
  type Manifest,
  type McpConnection,
  type McpHub,
  type Media,
  type MemorySourceOptions,
  type Mount,
  memoryArtifactStore,
  memoryBlobStore,
  memorySessionStore,
  memorySource,
  type OnEvent,
  type OpenWorkspaceOptions,
  type Operation,
  type OutputFile,
  openSkillWorkspace,
  type ParsedSkill,
  type ParseOptions,
  type ProbeResult,
  parseSkill,
  type ReadingRules,
  type RehydrateOptions,
  type RenderCatalogOptions,
  type RenderedCatalog,
  type RenderOptions,
  type RequestView,
  type Resource,
  type RunEvent,
  type RunOptions,
  type RunReason,
  type RunReport,
  type RunRequest,
  type RunResult,
  renderCatalog,
  renderSkill,
  type Sandbox,
  type SandboxPolicy,
  type SandboxProcess,
  type SandboxPromises,
  type ScopeOptions,
  type ScriptRequest,
  type SearchHit,
  type SearchIndex,
  type SessionEvent,
  type SessionOptions,
  type SessionStore,
  type Severity,
  type Skill,
  type SkillCatalog,
  type SkillDefinition,
  SkillError,
  type SkillErrorCode,
  type SkillErrorOptions,
  type SkillEvent,
  type SkillFile,
  type SkillFilter,
  type SkillLibrary,
  type SkillSession,
  type SkillSource,
  type SkillsOptions,
  type SkillText,
  type SkillTool,
  type SkillToStage,
  type SkillWorkspace,
  type SkillWorkspaceOptions,
  type SourceCandidate,
  type SourceContext,
  type SourceEntry,
  type SourceFile,
  type SourceProgress,
  type SourceResolver,
  type StagedSkill,
  type StartOptions,
  type StoredFact,
  type SwitchLayer,
  type SwitchState,
  type ToolCallOptions,
  type ToolResult,
  type ToolsOnLoad,
  type Trust,
  type TrustedSource,
  type UnchangedCandidate,
  type ValidateOptions,
  validateManifest,
  type Workspace,
  type WorkspaceEntry,
  type WorkspaceFile,
} from "./index.ts";
/** The strongest sandbox that works here. */
export {
  type AutoSandboxId,
  type AutoSandboxOptions,
  type AutoSandboxResult,
  autoSandbox,
  probeSandboxes,
  type SandboxProbe,
} from "./node/auto-sandbox.ts";
/** What a machine and its user decide: programs there are, projects that are trusted. */
export { machineProbe } from "./node/machine-probe.ts";
export type { ProjectTrust, UntrustedProject } from "./node/project-trust.ts";
export { grantTrust, readTrust, revokeTrust, type TrustGrant, type TrustOptions, type TrustRecord } from "./node/trust-store.ts";
export type { Environment } from "./node/user-paths.ts";

/** A source on Node: a folder by its path or `file:` URL, or anything that the root takes. */
export type NodeSource = string | SkillSource | TrustedSource | { readonly source: string; readonly trust: Trust } | SourceResolver;

/** Options of {@link openSkills} on Node. */
export interface NodeSkillsOptions extends Omit<SkillsOptions, "sources" | "eligibility"> {
  /** In order of precedence; nothing else is looked at then. @default the default scopes */
  readonly sources?: readonly NodeSource[];
  /** Folders before the default scopes. */
  readonly roots?: readonly string[];
  /** Whether the project that default scopes find is trusted. @default the stored decision, else its skills are withheld */
  readonly trust?: ProjectTrust;
  /** Withholds skills that cannot work on this machine; parts of the machine can be given. @default false */
  readonly eligibility?: boolean | Partial<EligibilityProbe>;
  /** What relative paths stand for, and where the project is. @default process.cwd() */
  readonly cwd?: string;
  /** @default process.env */
  readonly env?: Environment;
}

/**
 * Opens a library on folders and other sources, in order of precedence; without any, on the default scopes: `.agents/skills`,
 * `.claude/skills` and `skills` from the working directory up to the root of the git checkout, in the home folder and in the user's
 * configuration. Folders that are named are trusted; the project's that are found wait for a decision and are listed until then.
 * @throws SkillError `configuration-invalid`, `duplicate-skill`, `tenant-unresolved`
 */
export async function openSkills(options: string | readonly NodeSource[] | NodeSkillsOptions = {}): Promise<SkillLibrary> {
  const { sources, roots, trust, eligibility = false, cwd = process.cwd(), env = process.env, ...rest } = optionsOf(options);
  const probe = eligibility === false ? undefined : { ...machineProbe(env), ...(eligibility === true ? {} : eligibility) };
  const shared = { ...rest, ...(probe && { eligibility: probe }) };
  if (sources !== undefined) {
    if (roots !== undefined) throw rootsBesideSources();
    return openOnSources({ ...shared, sources: sources.map((source) => opened(source, cwd, env)) });
  }
  const found = await defaultSources({ cwd, env, roots: roots ?? [], trust, limits: rest.limits });
  return openOnSources({
    ...shared,
    sources: found.sources,
    switches: [...found.switches, ...(rest.switches ?? [])],
    withheld: [...found.withheld, ...(rest.withheld ?? [])],
    diagnostics: [...found.diagnostics, ...(rest.diagnostics ?? [])],
  });
}

function optionsOf(options: string | readonly NodeSource[] | NodeSkillsOptions): NodeSkillsOptions {
  if (typeof options === "string") return { sources: [options] };
  if (isList(options)) return { sources: options };
  // Named and missing is not the same as not named: a tenant without a source must not get the host's skills.
  if ("sources" in options && options.sources === undefined) {
    throw new SkillError("tenant-unresolved", "`sources` is there and has no value.", {
      hint: "Pass a list of sources, or leave `sources` out to use the default scopes.",
    });
  }
  return options;
}

function isList(options: readonly NodeSource[] | NodeSkillsOptions): options is readonly NodeSource[] {
  return Array.isArray(options);
}

function opened(source: NodeSource, cwd: string, env: Environment): SkillSource | TrustedSource | SourceResolver {
  if (typeof source === "string") return { source: directorySource(namedPath(source, cwd, env)), trust: "trusted" };
  if (typeof source !== "object" || source === null || !("source" in source)) return source;
  if (typeof source.source !== "string") return source as TrustedSource;
  return { ...source, source: directorySource(namedPath(source.source, cwd, env)) };
}

function rootsBesideSources(): SkillError {
  return new SkillError("configuration-invalid", "`roots` adds to the default scopes, which `sources` replaces.", {
    hint: "Name the folders in `sources`, or leave `sources` out.",
  });
}
