import type { Skill } from "../catalog/index.ts";
import { foldLine } from "../core/index.ts";
import type { Manifest } from "../format/index.ts";
import { readRequirements } from "./requirements.ts";

/** What is asked of the machine that a skill is to work on. */
export interface EligibilityProbe {
  /** Whether a program can be started by its name; nothing is started to find out. */
  readonly hasProgram: (name: string) => boolean;
  readonly env: { readonly [name: string]: string | undefined };
  /** The operating system as Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  /** Settings that the host has switched on, by key; a setting counts for the keys above it. */
  readonly config?: readonly string[];
}

/** Whether a skill can work here; if not, why, and what would help. */
export type Eligibility = { readonly eligible: true } | { readonly eligible: false; readonly reason: string; readonly fix: string };

/** Checks what a skill says it needs against a machine. Values of variables are never part of an answer. */
export function checkEligibility(manifest: Manifest, probe: EligibilityProbe): Eligibility {
  const needs = readRequirements(manifest);
  const lacks: { need: string; remedy: string }[] = [];
  const lack = (need: string, remedy: string) => lacks.push({ need, remedy });

  if (needs.systems.length > 0 && !needs.systems.some((system) => isSystem(system, probe.platform))) {
    const wanted = list(needs.systems.map(systemTitle), "or");
    lack(`${wanted}, and this is ${systemTitle(probe.platform)}`, `use it on ${wanted}`);
  }
  if (!needs.always) {
    const missing = needs.programs.filter((name) => !probe.hasProgram(name));
    if (missing.length > 0) lack(`${plural("the program", missing)} ${list(missing, "and")} on PATH`, `install ${list(missing, "and")}`);
    for (const group of needs.programGroups) {
      if (!group.some((name) => probe.hasProgram(name))) lack(`${list(group, "or")} on PATH`, `install ${list(group, "or")}`);
    }
    const unset = needs.env.filter((name) => !Object.hasOwn(probe.env, name) || !probe.env[name]);
    if (unset.length > 0) lack(`${plural("the environment variable", unset)} ${list(unset, "and")}`, `set ${list(unset, "and")}`);
    const off = needs.config.filter((key) => !probe.config?.some((set) => set === key || set.startsWith(`${key}.`)));
    if (off.length > 0) lack(`${plural("the setting", off)} ${list(off, "and")} of the host`, `switch on ${list(off, "and")}`);
  }

  if (lacks.length === 0) return { eligible: true };
  const fix = lacks.map(({ remedy }) => remedy).join("; ");
  return {
    eligible: false,
    reason: `It needs ${lacks.map(({ need }) => need).join("; ")}.`,
    fix: `${fix.charAt(0).toUpperCase()}${fix.slice(1)}, then refresh.`,
  };
}

/** A library's filter that withholds what cannot work here; a refresh asks again. */
export function eligibilityFilter(
  probe: EligibilityProbe,
): (skill: Skill) => true | { readonly withheld: string; readonly fate: "ineligible" } {
  return (skill) => {
    const result = checkEligibility(skill.manifest, probe);
    return result.eligible || { withheld: `${result.reason} ${result.fix}`, fate: "ineligible" };
  };
}

function isSystem(wanted: string, platform: string): boolean {
  return wanted === platform || (/^(?:unix|posix)$/.test(wanted) && platform !== "win32");
}

function systemTitle(system: string): string {
  return { darwin: "macOS", linux: "Linux", win32: "Windows" }[system] ?? printed(system);
}

function plural(noun: string, items: readonly string[]): string {
  return items.length === 1 ? noun : `${noun}s`;
}

function list(items: readonly string[], conjunction: "and" | "or"): string {
  const names = items.slice(0, 8).map(printed);
  if (items.length > names.length) return `${names.join(", ")} and ${items.length - names.length} more`;
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}

/** A name from a skill, as part of a sentence. */
function printed(name: string): string {
  const line = foldLine(name);
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
