import { type Diagnostic, escapeMarkup, escapeTags, foldLine, SkillError } from "../core/index.ts";
import { type Candidate, folderOf } from "./candidate.ts";
import type { Scan } from "./scan.ts";
import type { Excluded, Skill } from "./skill-catalog.ts";
import type { SkillSource, TrustedSource } from "./skill-source.ts";
import type { Slices } from "./slices.ts";

/** Keeps a skill out of the catalogue. */
export type SkillFilter = (skill: Skill) => boolean | { readonly withheld: string; readonly fate?: "withheld" | "ineligible" | "disabled" };

/** Who carries which name. */
export interface Resolution {
  readonly skills: readonly Skill[];
  readonly excluded: readonly Excluded[];
  readonly diagnostics: readonly Diagnostic[];
  /** Skills by every key that loads them, in NFC. */
  readonly byKey: ReadonlyMap<string, Skill>;
}

/** How names are resolved. */
export interface ResolveSettings {
  readonly duplicates: "first" | "error";
  readonly nameFrom: "frontmatter" | "folder";
  readonly filter?: SkillFilter | undefined;
}

/** What a catalogue may not print as it stands: all but plain characters, since some show nothing. */
const printedOtherwise = /[^!#-%'-;=?-~]/;

/**
 * Gives each name to one skill: the earlier source wins, within a source the one that it lists first; whoever loses is listed.
 * One real folder reached by several ways is one skill.
 * @throws SkillError `duplicate-skill` when two sources share a name and duplicates are errors
 */
export async function resolveNames(scans: readonly Scan[], settings: ResolveSettings, slices: Slices): Promise<Resolution> {
  const byKey = new Map<string, Skill>();
  const excluded: Excluded[] = [];
  const diagnostics: Diagnostic[] = [];
  /** Skills whose folder has another name. */
  const renamed: Skill[] = [];
  /** Made when a name is claimed twice, which is rare. */
  const bySkill = new Map<Scan, ReadonlyMap<Skill | undefined, Candidate>>();
  const places = settings.nameFrom === "folder" ? new Map<string, Skill>() : undefined;

  for (const { owner, candidates, notes } of scans) {
    for (const note of notes) diagnostics.push(note);
    let withheld = 0;
    for (const candidate of candidates) {
      if (slices.due()) await slices.pause();
      const { skill } = candidate;
      const key = skill === undefined ? "" : keyOf(skill);
      const winner = skill && (byKey.get(key) ?? places?.get(placeOf(owner, candidate)));
      if (winner !== undefined && isSamePlace(winner, owner, candidate)) {
        diagnostics.push(samePlace(winner, owner, candidate));
        continue;
      }
      for (const diagnostic of candidate.diagnostics) diagnostics.push(diagnostic);
      if (skill === undefined) {
        excluded.push(invalid(owner, candidate));
        continue;
      }
      // What is withheld takes no name: it must not hide a skill that may be used.
      if (owner.withheld !== undefined) {
        withheld++;
        excluded.push(kept(skill, { withheld: owner.withheld }));
        continue;
      }
      if (winner !== undefined) {
        lose(winner, skill, owner);
        continue;
      }
      byKey.set(key, skill);
      places?.set(placeOf(owner, candidate), skill);
      if (skill.name !== skill.path && key !== folderOf(skill.path, skill.location).normalize("NFC")) renamed.push(skill);
    }
    if (withheld > 0) diagnostics.push(toldOf(owner, withheld));
  }

  function isSamePlace(winner: Skill, owner: TrustedSource, candidate: Candidate): boolean {
    const first = scans.find((scan) => scan.owner.source.id === winner.source);
    if (first === undefined) return false;
    let known = bySkill.get(first);
    if (known === undefined) {
      known = new Map(first.candidates.map((other) => [other.skill, other]));
      bySkill.set(first, known);
    }
    const other = known.get(winner);
    return other !== undefined && placeOf(first.owner, other) === placeOf(owner, candidate);
  }

  /** Tells of a skill whose name is taken. */
  function lose(winner: Skill, loser: Skill, { source }: TrustedSource): void {
    if (winner.source === source.id) diagnostics.push(clash(winner, loser, source));
    else if (settings.duplicates === "error") throw duplicate(winner, loser);
    excluded.push(shadowed(winner, loser));
  }

  if (renamed.length > 0) giveAliases(byKey, renamed);
  const skills: Skill[] = [];
  for (const [key, skill] of byKey) {
    if (slices.due()) await slices.pause();
    const verdict = settings.filter === undefined || settings.filter(skill);
    if (verdict === true) {
      skills.push(skill);
    } else {
      excluded.push(kept(skill, verdict));
      byKey.delete(key);
    }
  }
  addOtherKeys(byKey, skills);
  return { skills, excluded, diagnostics, byKey };
}

/** Makes the folder's name an alias where it means one skill alone and is nobody's own name. */
function giveAliases(byKey: Map<string, Skill>, renamed: readonly Skill[]): void {
  const byFolder = new Map<string, Skill | undefined>();
  for (const skill of renamed) {
    const folder = folderOf(skill.path, skill.location).normalize("NFC");
    if (folder !== "" && !byKey.has(folder)) byFolder.set(folder, byFolder.has(folder) ? undefined : skill);
  }
  for (const [folder, skill] of byFolder) {
    if (skill !== undefined) byKey.set(keyOf(skill), { ...skill, aliases: [folder] });
  }
}

/** Adds aliases, and names as a catalogue prints them: on one line, escaped either way. */
function addOtherKeys(byKey: Map<string, Skill>, skills: readonly Skill[]): void {
  const others = new Map<string, Skill | undefined>();
  const offer = (key: string, skill: Skill): void => {
    if (byKey.has(key)) return;
    others.set(key, others.has(key) && others.get(key) !== skill ? undefined : skill);
  };
  for (const skill of skills) {
    for (const alias of skill.aliases) offer(alias, skill);
    if (!printedOtherwise.test(skill.name)) continue;
    const line = foldLine(skill.name).normalize("NFC");
    offer(line, skill);
    offer(escapeMarkup(line), skill);
    offer(escapeTags(line), skill);
  }
  for (const [key, skill] of others) {
    if (skill !== undefined) byKey.set(key, skill);
  }
}

function keyOf(skill: Skill): string {
  return skill.name.normalize("NFC");
}

/** Where a candidate really lies, as far as is known. */
function placeOf(owner: TrustedSource, candidate: Candidate): string {
  return candidate.realPath ?? owner.source.locate(candidate.path);
}

function invalid(owner: TrustedSource, candidate: Candidate): Excluded {
  const location = owner.source.locate(candidate.path);
  const fault = candidate.diagnostics.find(({ severity }) => severity === "error") ?? candidate.diagnostics[0];
  const reason = fault === undefined ? "Its SKILL.md cannot be used." : [fault.message, fault.hint].filter(Boolean).join(" ");
  return { name: folderOf(candidate.path, location), location, fate: "invalid", reason };
}

function shadowed(winner: Skill, loser: Skill): Excluded {
  const reason = `${winner.location} carries the same name and comes first. Rename one of them, or change the order of the sources.`;
  return { name: loser.name, location: loser.location, fate: "shadowed", reason };
}

/** Kept out by the host. */
function kept({ name, location }: Skill, verdict: Exclude<ReturnType<SkillFilter>, true>): Excluded {
  if (verdict === false) return { name, location, fate: "hidden", reason: "The host's filter hides it." };
  return { name, location, fate: verdict.fate ?? "withheld", reason: verdict.withheld };
}

function toldOf({ source, withheld }: TrustedSource, count: number): Diagnostic {
  return {
    severity: "warning",
    code: "skills-withheld",
    message: count === 1 ? "One skill in it is withheld." : `${count} skills in it are withheld.`,
    location: source.locate(""),
    ...(withheld !== undefined && { hint: withheld }),
  };
}

function clash(winner: Skill, loser: Skill, source: SkillSource): Diagnostic {
  return {
    severity: "error",
    code: "duplicate-name",
    message: `Two skills of one source are named ${JSON.stringify(loser.name)}; ${winner.location} is used.`,
    location: source.locate(loser.path, loser.file),
    hint: "Rename one of them.",
  };
}

function samePlace(winner: Skill, { source }: TrustedSource, candidate: Candidate): Diagnostic {
  return {
    severity: "info",
    code: "same-folder",
    message: `It is the same folder as ${winner.location} and counts once.`,
    location: source.locate(candidate.path),
  };
}

function duplicate(winner: Skill, loser: Skill): SkillError {
  const paths = [winner, loser].map(({ location, file }) => `${location}/${file}`);
  return new SkillError("duplicate-skill", `Two skills are named ${JSON.stringify(loser.name)}: ${paths.join(" and ")}.`, {
    hint: 'Rename or remove one of them, or let the earlier source win with duplicates: "first".',
    data: { name: loser.name, paths },
  });
}
