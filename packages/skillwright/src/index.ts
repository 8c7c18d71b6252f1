/**
 * Skillwright on any JavaScript runtime: skills from code and from sources that are passed in. On Node the entry is `node.ts`, which adds
 * folders, default scopes and trust; everything here is there too.
 */
import { SkillError } from "./core/index.ts";
import { type Dialect, type DialectId, dialects, type Locale } from "./dialects/index.ts";
import {
  combineFilters,
  type EligibilityProbe,
  eligibilityFilter,
  type LibraryOptions,
  openLibrary,
  type SwitchLayer,
  switchFilter,
} from "./library/index.ts";
import { type SkillLibrary, withSessions } from "./session/index.ts";

/** The contract of sources, and what a catalogue is. */
export {
  type Excluded,
  type RenderCatalogOptions,
  type RenderedCatalog,
  type RenderOptions,
  renderCatalog,
  type Skill,
  type SkillCatalog,
  type SkillFilter,
  type SkillSource,
  type SourceCandidate,
  type SourceContext,
  type SourceEntry,
  type SourceFile,
  type SourceProgress,
  type Trust,
  type TrustedSource,
  type UnchangedCandidate,
} from "./catalog/index.ts";
/** What goes wrong and what is worth knowing: one error class, diagnostics, events. */
/** Limits, digests, tokens, and the plain data that everything is made of. */
export {
  type AgentEvent,
  type BlobStore,
  type CountTokens,
  type Diagnostic,
  type Digest,
  defaultLimits,
  defaultReadingRules,
  digestOf,
  estimateTokens,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type LibraryEvent,
  type Limits,
  memoryBlobStore,
  type OnEvent,
  type ReadingRules,
  type RunEvent,
  type SessionEvent,
  type Severity,
  SkillError,
  type SkillErrorCode,
  type SkillErrorOptions,
  type SkillEvent,
} from "./core/index.ts";
/** How each home system reads, shows and names things. */
export {
  type CatalogStyle,
  type Dialect,
  type DialectId,
  type DialectWords,
  dialects,
  type Locale,
  type Operation,
} from "./dialects/index.ts";
/** SKILL.md as text. */
export {
  type FormatCode,
  type FormatRule,
  formatRules,
  type LintFile,
  type LintInput,
  lintSkill,
  type Manifest,
  type ParsedSkill,
  type ParseOptions,
  parseSkill,
  renderSkill,
  type SkillText,
  type ValidateOptions,
  validateManifest,
} from "./format/index.ts";
/** The library: what it loads and finds, who may see what, what a skill needs. */
export {
  checkEligibility,
  compileSwitches,
  createSearchIndex,
  type Eligibility,
  type EligibilityProbe,
  type FileKind,
  type Library,
  type LibraryOptions,
  type LoadedSkill,
  type Resource,
  type ScopeOptions,
  type SearchHit,
  type SearchIndex,
  type SkillFile,
  type SourceResolver,
  type SwitchLayer,
  type SwitchState,
} from "./library/index.ts";
/** Sessions: one conversation with its tools, its state and its costs. */
export {
  type ActiveSkill,
  type Approval,
  type ApprovalDecision,
  type Approve,
  type Artifact,
  type ArtifactStore,
  type ForkRequest,
  type Grant,
  type HistoryMessage,
  type Hubs,
  type Ledger,
  type LedgerEntry,
  type LedgerKind,
  type Lifecycle,
  type McpConnection,
  type McpHub,
  type Media,
  memoryArtifactStore,
  memorySessionStore,
  type RehydrateOptions,
  type RequestView,
  type SessionOptions,
  type SessionStore,
  type SkillLibrary,
  type SkillSession,
  type SkillTool,
  type StoredFact,
  type ToolCallOptions,
  type ToolResult,
  type ToolsOnLoad,
} from "./session/index.ts";
/** Skills from code. */
export { type DefinedSkill, defineSkill, type MemorySourceOptions, memorySource, type SkillDefinition } from "./sources/memory.ts";
/** Where scripts run: the contract of sandboxes, and the workspace of a session. */
export {
  type CommandRequest,
  type InteractiveRun,
  type Isolation,
  type Mount,
  type OpenWorkspaceOptions,
  type OutputFile,
  openSkillWorkspace,
  type ProbeResult,
  type RunOptions,
  type RunReason,
  type RunReport,
  type RunRequest,
  type RunResult,
  type Sandbox,
  type SandboxPolicy,
  type SandboxProcess,
  type SandboxPromises,
  type ScriptRequest,
  type SkillToStage,
  type SkillWorkspace,
  type SkillWorkspaceOptions,
  type StagedSkill,
  type StartOptions,
  type Workspace,
  type WorkspaceEntry,
  type WorkspaceFile,
} from "./workspace/index.ts";

/** Options of {@link openSkills}. */
export interface SkillsOptions extends LibraryOptions {
  /** Globs over names that are switched on again, after what `switches` says. */
  readonly enable?: readonly string[];
  /** Globs over names that are switched off. */
  readonly disable?: readonly string[];
  /** Switches of more general levels, most general first. */
  readonly switches?: readonly SwitchLayer[];
  /** Withholds skills that cannot work on the machine that this describes. @default all are eligible */
  readonly eligibility?: EligibilityProbe;
  /** How skills are read and shown, and what tools are called, unless a session says otherwise. @default "agentskills" */
  readonly dialect?: DialectId | Dialect;
  /** Language of the library's own words. @default "en" */
  readonly locale?: Locale;
}

/**
 * Opens a library on sources, in order of precedence.
 * @throws SkillError `configuration-invalid`, `duplicate-skill`, `tenant-unresolved`
 */
export async function openSkills(options: LibraryOptions["sources"] | SkillsOptions): Promise<SkillLibrary> {
  const given: SkillsOptions = typeof options === "object" && "sources" in options ? options : { sources: options };
  const { enable, disable, switches = [], eligibility, dialect = "agentskills", locale, ...rest } = given;
  requireSources(rest.sources);
  const layers: SwitchLayer[] = [...switches, { level: "session", ...(enable && { enable }), ...(disable && { disable }) }];
  const switched = layers.some((layer) => layer.disable !== undefined && layer.disable.length > 0);
  const filter = combineFilters([
    rest.filter,
    switched ? switchFilter(layers) : undefined,
    eligibility === undefined ? undefined : eligibilityFilter(eligibility),
  ]);
  const reading = dialectNamed(dialect).reading;
  const library = await openLibrary({ ...rest, rules: { ...reading, ...rest.rules }, ...(filter && { filter }) });
  return withSessions(library, { dialect, ...(locale && { locale }) });
}

/** What JavaScript can pass all the same: a missing source must never come to mean another one. */
function requireSources(sources: unknown): void {
  const list = Array.isArray(sources) ? (sources as unknown[]) : [sources];
  if (list.some((source) => typeof source === "string")) {
    throw new SkillError("configuration-invalid", "There is no file system here to open a folder from.", {
      hint: "Pass sources, for instance memorySource([...]); folders need Node and the entry that its `node` condition selects.",
    });
  }
  if (!Array.isArray(sources) || list.some((source) => source === undefined || source === null)) {
    throw new SkillError("tenant-unresolved", "A source is missing.", {
      hint: "Pass a list in which every source is there; an empty list is a library without skills.",
    });
  }
}

function dialectNamed(dialect: DialectId | Dialect): Dialect {
  const known = typeof dialect === "string" ? dialects.get(dialect) : dialect;
  if (known !== undefined) return known;
  throw new SkillError("configuration-invalid", `There is no dialect ${JSON.stringify(dialect)}.`, {
    hint: `Use one of ${[...dialects.keys()].join(", ")}.`,
  });
}
