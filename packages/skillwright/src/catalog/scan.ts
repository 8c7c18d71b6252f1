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
  /** In the order in which the source lists them. */
  readonly candidates: readonly Candidate[];
  /** What is to be said beside the candidates. */
  readonly notes: readonly Diagnostic[];
  /** What the source need not read again: the stamps of candidates, by path. */
  readonly stamps: () => ReadonlyMap<string, string>;
}

const noBytes = new Uint8Array();
/** A file that was written within this time, and is cut short, is taken for half written. */
const writingMs = 2_000;
const progressEvery = 1_000;

/**
 * Lists a source and reads what is new; answers the scan before where nothing is. A source that fails keeps what it had.
 * A skill whose file was written a moment ago and ends within its frontmatter is taken for half written: its last version stays for now.
 * @throws SkillError `aborted`
 */
export async function scanSource(owner: TrustedSource, settings: ScanSettings, slices: Slices, previous?: Scan): Promise<Scan> {
  const { source, trust } = owner;
  const { limits, signal } = settings;
  throwIfAborted(signal);
  const started = Date.now();
  const recall = recallFrom(previous?.candidates ?? []);
  const candidates: Candidate[] = [];
  const notes: Diagnostic[] = [];
  const long: { found: SourceCandidate; settled: boolean; index: number }[] = [];
  const context: SourceContext = { trust, limits, ...(signal && { signal }) };
  let unchanged = 0;

  /** Takes one entry of the listing; answers whether there is room for more. */
  function take(entry: SourceEntry): boolean {
    if (!("path" in entry)) return "visited" in entry || notes.push(entry) > 0;
    if (candidates.length >= limits.maxSkills) {
      notes.push(tooMany(owner, limits.maxSkills));
      return false;
    }
    const before = recall(entry.path);
    if ("unchanged" in entry) {
      if (before === undefined) return true;
      candidates.push(before);
      unchanged++;
    } else if ("refused" in entry) {
      candidates.push(choose(before, refusedCandidate(entry), false));
    } else {
      const settled = isSettled(entry, started);
      const read =
        entry.size > limits.maxBodyBytes
          ? tooLarge(owner, entry, settled, limits)
          : readCandidate(owner, entry, { bytes: entry.header, whole: entry.header.length >= entry.size, settled }, settings);
      if (read === undefined) {
        long.push({ found: { ...entry, header: noBytes }, settled, index: candidates.length });
        candidates.push(unread(owner, entry));
      } else {
        candidates.push(before === undefined ? read : choose(before, read, isRecent(entry, started)));
      }
    }
    if (settings.onProgress !== undefined && candidates.length % progressEvery === 0) settings.onProgress(source.id, candidates.length);
    return true;
  }

  /** What a candidate is from now on: what was read, unless it says nothing new, or is still being written. */
  function choose(before: Candidate | undefined, read: Candidate, recent: boolean): Candidate {
    if (before === undefined) return read;
    if (recent && before.skill !== undefined && isCut(read)) {
      notes.push(halfWritten(before.skill));
      return { ...before, settled: false };
    }
    const now = read.stamp === before.stamp ? merged(before, read) : read;
    if (now === before) unchanged++;
    return now;
  }

  /** Reads the files whose frontmatter is longer than what the listing brought. */
  async function readLong(): Promise<void> {
    for (const { found, settled, index } of long) {
      const bytes = await source.read(found.path, found.file, { ...context, maxBytes: limits.maxBodyBytes });
      const read = readCandidate(owner, found, { bytes, whole: true, settled }, settings);
      if (read !== undefined) candidates[index] = choose(recall(found.path), read, isRecent(found, started));
      if (slices.due(true)) await slices.pause();
    }
  }

  try {
    const listing = source.list(previous === undefined ? context : { ...context, known: previous.stamps() });
    if (Symbol.asyncIterator in listing) {
      for await (const entry of listing) {
        if (!take(entry)) break;
        throwIfAborted(signal);
      }
    } else {
      for (const entry of listing) {
        if (!take(entry)) break;
        if (!slices.due("visited" in entry)) continue;
        await slices.pause();
        throwIfAborted(signal);
      }
    }
    await readLong();
  } catch (error) {
    throwIfAborted(signal);
    return failed(owner, error, previous, candidates, notes);
  }
  const count = previous?.candidates.length;
  const same = previous !== undefined && unchanged === candidates.length && unchanged === count && sameNotes(notes, previous.notes);
  return same ? previous : scanOf(owner, candidates, notes);
}

function scanOf(owner: TrustedSource, candidates: readonly Candidate[], notes: readonly Diagnostic[]): Scan {
  let stamps: Map<string, string> | undefined;
  return {
    owner,
    candidates,
    notes,
    stamps() {
      if (stamps !== undefined) return stamps;
      stamps = new Map();
      for (const { path, stamp, settled } of candidates) if (settled) stamps.set(path, stamp);
      return stamps;
    },
  };
}

/** Finds candidates of the scan before: mostly the next one, since listings keep their order. */
function recallFrom(candidates: readonly Candidate[]): (path: string) => Candidate | undefined {
  let next = 0;
  let places: Map<string, number> | undefined;
  return (path) => {
    if (candidates.length === 0) return undefined;
    const expected = candidates[next];
    if (expected?.path === path) {
      next++;
      return expected;
    }
    places ??= new Map(candidates.map((candidate, index) => [candidate.path, index]));
    const place = places.get(path);
    if (place === undefined) return undefined;
    next = place + 1;
    return candidates[place];
  };
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

function failed(
  owner: TrustedSource,
  error: unknown,
  previous: Scan | undefined,
  candidates: readonly Candidate[],
  notes: readonly Diagnostic[],
): Scan {
  const reason = error instanceof Error ? error.message : String(error);
  const note: Diagnostic = {
    severity: "error",
    code: "source-failed",
    message: `The source ${owner.source.id} failed: ${reason}${previous === undefined ? "" : " Its skills stay as they were."}`,
    location: owner.source.id,
    hint: (SkillError.is(error) ? error.hint : undefined) ?? "Check that the source can be reached, then refresh.",
  };
  if (previous === undefined) return scanOf(owner, candidates, [...notes, note]);
  const now = [...previous.notes.filter((old) => old.code !== "source-failed"), note];
  return sameNotes(now, previous.notes) ? previous : scanOf(owner, previous.candidates, now);
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
