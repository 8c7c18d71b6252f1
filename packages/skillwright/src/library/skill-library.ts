import type { Skill, SkillCatalog, SkillFilter, SkillSource, TrustedSource } from "../catalog/index.ts";
import type { BlobStore, CountTokens, Diagnostic, Digest, Limits, OnEvent, ReadingRules } from "../core/index.ts";

/** Finds the source of one tenant or request; answering undefined is an error, never a fall-back to anything else. */
export type SourceResolver = (context: unknown) => Awaitable<SkillSource | TrustedSource | undefined>;

type Awaitable<Value> = Value | Promise<Value>;

/** Options of a library, sources resolved. */
export interface LibraryOptions {
  /** In order of precedence. A bare source is trusted when it is local; a resolver is asked once, when the library opens. */
  readonly sources: readonly (SkillSource | TrustedSource | SourceResolver)[];
  /** The tenant or request that this library belongs to, for resolvers. */
  readonly context?: unknown;
  /** Excludes a skill on any error or warning of the format. @default false */
  readonly strict?: boolean;
  readonly rules?: Partial<ReadingRules>;
  /** What equal names in two sources mean. @default "first" */
  readonly duplicates?: "first" | "error";
  /** Keeps a skill out of the library; a reason makes it visible to `doctor`. */
  readonly filter?: SkillFilter;
  /** @default 4,000 (2 % of a 200k window) */
  readonly maxCatalogTokens?: number;
  readonly countTokens?: CountTokens;
  readonly limits?: Partial<Limits>;
  readonly blobs?: BlobStore;
  /** What a root was withheld for, found before the library opened. */
  readonly withheld?: readonly { readonly location: string; readonly reason: string }[];
  readonly diagnostics?: readonly Diagnostic[];
  readonly onEvent?: OnEvent;
}

/** What kind of thing a file of a skill is. */
export type FileKind = "reference" | "asset" | "script" | "other";

/** One file of a loaded skill. */
export interface SkillFile {
  /** Relative to the skill's folder. */
  readonly path: string;
  readonly bytes: number;
  readonly kind: FileKind;
  /** POSIX permission bits. */
  readonly mode: number;
  /** Opaque; equal stamps mean equal content: what is staged again only when it changed. */
  readonly stamp: string;
}

/** A skill with its instructions. */
export interface LoadedSkill {
  readonly skill: Skill;
  /** The whole SKILL.md. */
  readonly text: string;
  /** The instructions: what stands after the frontmatter. */
  readonly body: string;
  /** Every other file, sorted by path. */
  readonly files: readonly SkillFile[];
  readonly bodyDigest: Digest;
}

/** The content of one file of a skill. */
export interface Resource {
  readonly path: string;
  readonly mediaType: string;
  readonly size: number;
  readonly bytes: Uint8Array;
  /** Present when the bytes are text. */
  readonly text?: string;
}

/** One hit of a search. */
export interface SearchHit {
  readonly skill: Skill;
  readonly score: number;
  /** The words that matched and where, for people: `csv (name), report (description)`. */
  readonly why: string;
}

/** What narrows a library for one agent, tenant or request. */
export interface ScopeOptions {
  /** Globs over names; only these. */
  readonly allow?: readonly string[];
  /** Globs over names; never these. */
  readonly deny?: readonly string[];
  readonly filter?: (skill: Skill) => boolean;
}

/** The long-lived object that owns sources and the current catalogue; sessions are opened on it. */
export interface Library {
  /** The current snapshot; replaced as a whole by a refresh, never changed. */
  readonly catalog: SkillCatalog;
  readonly limits: Limits;
  readonly maxCatalogTokens: number;
  readonly countTokens: CountTokens;
  /** Whether some source has more than the catalogue lists, found by name or by search. */
  readonly searchesElsewhere: boolean;
  readonly blobs: BlobStore;
  readonly onEvent: OnEvent;
  /** Looks for changes by stat and re-reads only those; answers whether the catalogue changed. */
  refresh(options?: { readonly signal?: AbortSignal }): Promise<{
    readonly changed: boolean;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly updated: readonly string[];
  }>;
  /** Refreshes on file events, debounced; answers a function that stops. */
  watch(options?: { readonly debounceMs?: number; readonly onChange?: () => void }): () => void;
  search(query: string, options?: { readonly limit?: number; readonly signal?: AbortSignal }): Promise<readonly SearchHit[]>;
  /** @throws SkillError `skill-not-found` with the nearest names in `data.nearest`, `registry-failed` where a source that may have it did not answer */
  load(name: string, options?: { readonly signal?: AbortSignal }): Promise<LoadedSkill>;
  /**
   * One file of a skill; `maxBytes` is by default the limit `maxResourceBytes`, which is made for what a model reads.
   * @throws SkillError `skill-not-found`, `file-not-found`, `path-outside-root`, `limit-exceeded`
   */
  read(name: string, path: string, options?: { readonly maxBytes?: number; readonly signal?: AbortSignal }): Promise<Resource>;
  /** The same library with fewer skills; hidden means absent everywhere. */
  scope(options: ScopeOptions): Library;
  close(): Promise<void>;
}
