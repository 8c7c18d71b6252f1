import type { Skill } from "../catalog/index.ts";
import { compileNamePatterns } from "./name-pattern.ts";

/** What one level switches on and off, by globs over names: `*` for any characters, `?` for one. */
export interface SwitchLayer {
  /** Whose word it is; a later layer overrides an earlier one. */
  readonly level: "user" | "project" | "session";
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
  /** Where it is written, for people. */
  readonly location?: string;
}

/** Whether a skill is switched on, and the pattern that decided, where one did. */
export interface SwitchState {
  readonly enabled: boolean;
  readonly by?: { readonly layer: SwitchLayer; readonly pattern: string };
}

/**
 * Decides by layers, most general first. The last layer with a word on a name decides; inside it the most specific pattern, a whole name
 * before any glob; between equals `disable`. Without a word a skill is on: `enable` undoes, it does not forbid the rest, so
 * `disable: ["*"]` with `enable: ["pdf-*"]` leaves these alone.
 */
export function compileSwitches(layers: readonly SwitchLayer[]): (name: string) => SwitchState {
  const compiled = layers
    .map((layer) => [...patternsOf(layer, true), ...patternsOf(layer, false)])
    .map((patterns) => patterns.sort((a, b) => b.weight - a.weight || Number(a.enabled) - Number(b.enabled)))
    .reverse();
  return (name) => {
    for (const patterns of compiled) {
      const found = patterns.find(({ matches }) => matches(name));
      if (found !== undefined) return { enabled: found.enabled, by: { layer: found.layer, pattern: found.pattern } };
    }
    return { enabled: true };
  };
}

/** A library's filter that keeps out what is switched off. */
export function switchFilter(
  layers: readonly SwitchLayer[],
): (skill: Skill) => true | { readonly withheld: string; readonly fate: "disabled" } {
  const stateOf = compileSwitches(layers);
  return ({ name }) => {
    const { enabled, by } = stateOf(name);
    if (enabled || by === undefined) return true;
    const place = by.layer.location === undefined ? "" : ` (${by.layer.location})`;
    const withheld = `It is disabled by ${JSON.stringify(by.pattern)} at ${by.layer.level} level${place}. Remove the pattern, or enable the name there.`;
    return { withheld, fate: "disabled" };
  };
}

interface CompiledPattern {
  readonly layer: SwitchLayer;
  readonly pattern: string;
  readonly enabled: boolean;
  readonly weight: number;
  readonly matches: (name: string) => boolean;
}

function patternsOf(layer: SwitchLayer, enabled: boolean): CompiledPattern[] {
  return ((enabled ? layer.enable : layer.disable) ?? []).map((pattern) => {
    const literal = pattern.replace(/[*?]/g, "").length;
    const weight = literal === pattern.length ? Number.POSITIVE_INFINITY : literal;
    return { layer, pattern, enabled, weight, matches: compileNamePatterns([pattern]) };
  });
}
