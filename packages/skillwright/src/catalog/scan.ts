import { type Diagnostic, type Limits, type ReadingRules, SkillError, throwIfAborted } from "../core/index.ts";
import { type Candidate, readCandidate, refusedCandidate, unusableCandidate } from "./candidate.ts";
import type { Skill } from "./skill-catalog.ts";
import type { SourceCandidate, SourceContext, SourceEntry, TrustedSource } from "./skill-source.ts";
import type { Slices } from "./slices.ts";

/** What a scan goes by. */
export interface ScanSettings {
  readonly rules: ReadingRules;
  readonly limits: Limits;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((source: string, candidates: number) => void) | undefined;
}

/** What one listing of a source found. */
export interface Scan {
  readonly owner: TrustedSource;
  /** By path, in the order in which the source lists them. */
  readonly candidates: ReadonlyMap<string, Candidate>;
  /** What the source refused, and what is to be said about the source itself. */
  readonly notes: readonly Diagnostic[];
  /** Whether anything differs from the scan before. */
  readonly changed: boolean;
}

const noBytes = new Uint8Array();
/** A file that was written within this time, and is cut short, is taken for half written. */
const writingMs = 2_000;
const progressEvery = 1_000;

/**
 * Lists a source and reads what is new. A source that fails keeps what it had.
 * A skill whose file was written a moment ago and ends within its frontmatter is taken for half written: its last version stays for now.
 * @throws SkillError `aborted`
 */
export async function scanSource(owner: TrustedSource, settings: ScanSettings, slices: Slices, previous?: Scan): Promise<Scan> {
  const { source, trust } = owner;
  const { limits, signal } = settings;
  throwIfAborted(signal);
  const started = Date.now();
  const candidates = new Map<string, Candidate>();
  const notes: Diagnostic[] = [];
  const long: { found: SourceCandidate; settled: boolean }[] = [];
  const context: SourceContext = { trust, limits, ...(signal && { signal }) };
  let unchanged = 0;

  /** Takes one entry of the listing; answers whether there is room for more. */
  function take(entry: SourceEntry): boolean {
    if (!("path" in entry)) return "visited" in entry || notes.push(entry) > 0;
    if (candidates.size >= limits.maxSkills) {
      notes.push(tooMany(owner, limits.maxSkills));
      return false;
    }
    if ("unchanged" in entry) {
      const known = previous?.candidates.get(entry.path);
      if (known !== undefined) candidates.set(entry.path, known);
      unchanged++;
    } else if ("refused" in entry) {
      keep(entry.path, refusedCandidate(entry));
    } else {
      const settled = isSettled(entry, started);
      const whole = entry.header.length >= entry.size;
      const read =
        entry.size > limits.maxBodyBytes
          ? tooLarge(owner, entry, settled, limits)
          : readCandidate(owner, entry, { bytes: entry.header, whole }, settled, settings);
      if (read === undefined) long.push({ found: { ...entry, header: noBytes }, settled });
      keep(entry.path, read ?? unread(owner, entry), isRecent(entry, started));
    }
    if (settings.onProgress !== undefined && candidates.size % progressEvery === 0) settings.onProgress(source.id, candidates.size);
    return true;
  }

  function keep(path: string, read: Candidate, recent = false): void {
    const before = previous?.candidates.get(path);
    if (before === undefined) {
      candidates.set(path, read);
    } else if (recent && before.skill !== undefined && isCut(read)) {
      candidates.set(path, { ...before, settled: false });
      notes.push(halfWritten(before.skill));
    } else {
      const now = read.stamp === before.stamp ? merged(before, read) : read;
      candidates.set(path, now);
      if (now === before) unchanged++;
    }
  }

  try {
    const known = previous && stampsOf(previous);
    const listing = source.list(known === undefined ? context : { ...context, known });
    if (Symbol.asyncIterator in listing) {
      for await (const entry of listing) {
        if (!take(entry)) break;
        throwIfAborted(signal);
      }
    } else {
      for (const entry of listing) {
        if (!take(entry)) break;
        if (!slices.due()) continue;
        await slices.pause();
        throwIfAborted(signal);
      }
    }
    for (const { found, settled } of long) {
      const bytes = await source.read(found.path, found.file, { ...context, maxBytes: limits.maxBodyBytes });
      const read = readCandidate(owner, found, { bytes, whole: true }, settled, settings);
      if (read !== undefined) keep(found.path, read, isRecent(found, started));
      if (slices.due()) await slices.pause();
    }
  } catch (error) {
    throwIfAborted(signal);
    return failed(owner, error, previous, { candidates, notes });
  }
  const same =
    previous !== undefined && unchanged === candidates.size && unchanged === previous.candidates.size && sameNotes(notes, previous.notes);
  return { owner, candidates, notes, changed: !same };
}

/** What a source may leave unread: all but what had only just changed when it was read. */
function stampsOf(scan: Scan): Map<string, string> {
  const stamps = new Map<string, string>();
  for (const candidate of scan.candidates.values()) {
    if (candidate.settled) stamps.set(candidate.path, candidate.stamp);
  }
  return stamps;
}

/** Clocks of file systems tick: two writes within one tick leave one stamp. Those that count whole seconds tick slowest. */
function isSettled(found: SourceCandidate, now: number): boolean {
  if (found.modifiedMs === undefined) return true;
  const tickMs = found.modifiedMs % 1_000 === 0 ? 2_100 : 50;
  return now - found.modifiedMs > tickMs;
}

function isRecent(found: SourceCandidate, now: number): boolean {
  return found.modifiedMs !== undefined && now - found.modifiedMs < writingMs;
}

/** Whether a file ends before its frontmatter does, as one does that is being written. */
function isCut({ skill, diagnostics }: Candidate): boolean {
  return skill === undefined && diagnostics.some(({ code }) => code === "frontmatter-unclosed" || code === "frontmatter-missing");
}

/** A file read again under the same stamp: the same candidate unless it says something else. */
function merged(before: Candidate, read: Candidate): Candidate {
  const said = (candidate: Candidate): string => JSON.stringify([candidate.skill?.manifest, candidate.diagnostics]);
  if (said(before) === said(read)) return before.settled === read.settled ? before : { ...before, settled: read.settled };
  return read.skill === undefined ? read : { ...read, skill: { ...read.skill, revision: `${before.skill?.revision ?? read.stamp}+` } };
}

function sameNotes(a: readonly Diagnostic[], b: readonly Diagnostic[]): boolean {
  return a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b));
}

function failed(owner: TrustedSource, error: unknown, previous: Scan | undefined, partial: Pick<Scan, "candidates" | "notes">): Scan {
  const reason = error instanceof Error ? error.message : String(error);
  const note: Diagnostic = {
    severity: "error",
    code: "source-failed",
    message: `The source ${owner.source.id} failed: ${reason}${previous === undefined ? "" : " Its skills stay as they were."}`,
    location: owner.source.id,
    hint: (SkillError.is(error) ? error.hint : undefined) ?? "Check that the source can be reached, then refresh.",
  };
  if (previous === undefined) return { owner, candidates: partial.candidates, notes: [...partial.notes, note], changed: true };
  const notes = [...previous.notes.filter((old) => old.code !== "source-failed"), note];
  return { owner, candidates: previous.candidates, notes, changed: !sameNotes(notes, previous.notes) };
}

/** Holds the place of a candidate whose frontmatter is longer than what the listing brought, until the whole file is read. */
function unread(owner: TrustedSource, found: SourceCandidate): Candidate {
  return unusableCandidate(found, false, {
    severity: "error",
    code: "file-unreadable",
    message: `${found.file} was not read to its end.`,
    location: owner.source.locate(found.path, found.file),
    hint: "Refresh again.",
  });
}

function tooMany(owner: TrustedSource, maxSkills: number): Diagnostic {
  return {
    severity: "warning",
    code: "skills-limit",
    message: `The source holds more than ${maxSkills} skills; the rest is left out.`,
    location: owner.source.id,
    hint: "Name a smaller root, or raise the limit maxSkills.",
  };
}

function tooLarge(owner: TrustedSource, found: SourceCandidate, settled: boolean, limits: Limits): Candidate {
  return unusableCandidate(found, settled, {
    severity: "error",
    code: "body-too-large",
    message: `${found.file} has ${found.size} bytes; ${limits.maxBodyBytes} are allowed.`,
    location: owner.source.locate(found.path, found.file),
    hint: "Move parts of it into files beside it that it names, or raise the limit maxBodyBytes.",
  });
}

function halfWritten(skill: Skill): Diagnostic {
  return {
    severity: "warning",
    code: "skill-half-written",
    message: `${skill.file} changed a moment ago and cannot be read yet; the version before stays.`,
    location: `${skill.location}/${skill.file}`,
    hint: "Refresh again when it is written; to replace a skill at once, rename a finished folder into its place.",
  };
}
