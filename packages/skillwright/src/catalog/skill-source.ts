import type { Diagnostic, Limits } from "../core/index.ts";

/** Decides treatment (links, `allowed-tools`, bundled tools, MCP servers); assigned by the host, never by a source. */
export type Trust = "trusted" | "untrusted";

/** A SKILL.md that a source found: its folder, the first bytes of it, and a stamp that changes when the file does. */
export interface SourceCandidate {
  /** The skill's folder inside the source, `/`-separated; "" where the root itself is a skill. */
  readonly path: string;
  /** The file's name as found: `SKILL.md`, or another case of it. */
  readonly file: string;
  /** The first bytes of the file: all of it, or at least 4 KiB. May be a view into a shared buffer: read it before asking for the next. */
  readonly header: Uint8Array;
  /** Size of the whole file in bytes. */
  readonly size: number;
  /** Opaque; equal stamps mean equal content, but for changes within the clock tick that `modifiedMs` tells of. */
  readonly stamp: string;
  /** When the file last changed, milliseconds since 1970, where the source knows: what changed just now is looked at again. */
  readonly modifiedMs?: number;
  /** Where the folder really lies, when it was reached through a link; two candidates of one real place are one. */
  readonly realPath?: string;
}

/** A candidate whose stamp is the known one. */
export interface UnchangedCandidate {
  readonly path: string;
  readonly unchanged: true;
}

/** A place whose SKILL.md may not be opened, or cannot, and why: it is no skill, and is listed as such. */
export interface RefusedCandidate {
  readonly path: string;
  readonly refused: Diagnostic;
}

/** How far a long listing has come, so that it can be shown, and paused between two slices of work. */
export interface SourceProgress {
  /** Places looked at so far. */
  readonly visited: number;
}

/** What {@link SkillSource.list} yields: a candidate, known to be unchanged or refused, progress, or what is to be said beside. */
export type SourceEntry = SourceCandidate | UnchangedCandidate | RefusedCandidate | SourceProgress | Diagnostic;

/** One file of a skill. */
export interface SourceFile {
  /** `/`-separated, relative to the skill's folder. */
  readonly path: string;
  readonly bytes: number;
  /** POSIX permission bits; 0o644 where the source has none. */
  readonly mode: number;
  /** Opaque; equal stamps mean equal content. */
  readonly stamp: string;
}

/** What the library passes to every call of a source. */
export interface SourceContext {
  readonly trust: Trust;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/**
 * Where skills come from. A source moves bytes and knows nothing of the format; local ones may answer synchronously.
 * A registry that cannot list everything lists nothing and has `find` and `search`.
 */
export interface SkillSource {
  /** Stable and unique in a library; shown to people. */
  readonly id: string;
  /** Says that its skills lie in this process or on this machine, where the host put them; hosts trust those by default and no others. */
  readonly origin?: "local";
  /** Every candidate, in a deterministic order. `known` maps paths to stamps of the last listing. */
  list(context: SourceContext & { readonly known?: ReadonlyMap<string, string> }): Iterable<SourceEntry> | AsyncIterable<SourceEntry>;
  /** The files of one skill, sorted by path, SKILL.md included; what was refused comes as diagnostics. */
  files(
    path: string,
    context: SourceContext,
  ): Promise<{ readonly files: readonly SourceFile[]; readonly diagnostics: readonly Diagnostic[] }>;
  /**
   * The bytes of one file of a skill.
   * @throws SkillError `file-not-found`, `path-outside-root`, `limit-exceeded`
   */
  read(path: string, file: string, context: SourceContext & { readonly maxBytes: number }): Promise<Uint8Array>;
  /** How a person finds the folder (or a file of it): an absolute path, a URL, `memory:name`. */
  locate(path: string, file?: string): string;
  /** The candidate of one name, for sources that cannot list. */
  find?(name: string, context: SourceContext): Promise<SourceCandidate | undefined>;
  /** Candidates for a query, best first, for sources that cannot list. */
  search?(query: string, context: SourceContext & { readonly limit: number }): Promise<readonly SourceCandidate[]>;
  /** Calls back when something may have changed since the last listing; answers a function that stops. A listing follows at once. */
  watch?(onChange: () => void): () => void;
  close?(): Promise<void>;
}

/** A source and the trust the host gives it. */
export interface TrustedSource {
  readonly source: SkillSource;
  readonly trust: Trust;
  /** Keeps all of its skills out of the catalogue, listed as withheld, until the host decides otherwise; why, and how to decide. */
  readonly withheld?: string;
}
