import type { Diagnostic } from "../core/index.ts";
import { parseHeader } from "../format/index.ts";
import type { ScanSettings } from "./scan.ts";
import type { Skill } from "./skill-catalog.ts";
import type { RefusedCandidate, SourceCandidate, TrustedSource } from "./skill-source.ts";

/** What is known of one place that holds a SKILL.md; kept from listing to listing. */
export interface Candidate {
  readonly path: string;
  readonly stamp: string;
  readonly realPath: string | undefined;
  /** Whether its stamp vouches for its content: not when the file had only just changed. */
  readonly settled: boolean;
  /** The skill, where the file can be used. */
  readonly skill: Skill | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const nothing: readonly never[] = Object.freeze([]);

/** What there is of a candidate's file. */
export interface ReadBytes {
  readonly bytes: Uint8Array;
  /** Whether these are all of them. */
  readonly whole: boolean;
  /** See {@link Candidate.settled}. */
  readonly settled: boolean;
}

/** Reads a candidate; undefined where the first bytes of its file are not enough. */
export function readCandidate(
  owner: TrustedSource,
  found: SourceCandidate,
  { bytes, whole, settled }: ReadBytes,
  settings: ScanSettings,
): Candidate | undefined {
  const { source, trust } = owner;
  const location = source.locate(found.path);
  const { manifest, diagnostics, complete } = parseHeader(bytes, {
    location: source.locate(found.path, found.file),
    folder: folderOf(found.path, location),
    rules: settings.rules,
    maxFrontmatterBytes: settings.limits.maxFrontmatterBytes,
    whole,
  });
  if (!complete) return undefined;
  if (manifest === undefined) return candidateOf(found, settled, undefined, diagnostics);
  const skill: Skill = {
    name: manifest.name,
    description: manifest.description,
    location,
    source: source.id,
    path: found.path,
    file: found.file,
    trust,
    revision: found.stamp,
    manifest,
    aliases: nothing,
  };
  return candidateOf(found, settled, skill, diagnostics);
}

/** A candidate that cannot be used, and why. */
export function unusableCandidate(found: SourceCandidate, settled: boolean, diagnostic: Diagnostic): Candidate {
  return candidateOf(found, settled, undefined, [diagnostic]);
}

/** A candidate whose file the source does not open; it is looked at again by every listing. */
export function refusedCandidate({ path, refused }: RefusedCandidate): Candidate {
  return { path, stamp: "", realPath: undefined, settled: false, skill: undefined, diagnostics: [refused] };
}

function candidateOf(found: SourceCandidate, settled: boolean, skill: Skill | undefined, diagnostics: readonly Diagnostic[]): Candidate {
  return {
    path: found.path,
    stamp: found.stamp,
    realPath: found.realPath,
    settled,
    skill,
    diagnostics: diagnostics.length === 0 ? nothing : diagnostics,
  };
}

/** The name of a skill's folder: the last part of its path, or of its location where it is the root itself. */
export function folderOf(path: string, location: string): string {
  const whole = path === "" ? location : path;
  return whole.slice(whole.lastIndexOf("/") + 1);
}
