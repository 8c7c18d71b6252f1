import type { JsonObject, JsonValue } from "../core/index.ts";
import type { Manifest } from "../format/index.ts";
import { parseCompatibility, type Requirements, systemNamed } from "./compatibility.ts";

/** What a manifest asks for, and whether it wants to be there all the same. */
export interface DeclaredRequirements extends Requirements {
  /** Programs, variables and settings are then not asked for; operating systems are. */
  readonly always: boolean;
}

/** No skill needs more of one kind; a longer list is cut, so that a check stays cheap. */
const maxItems = 64;

/**
 * Reads what a skill says it needs: `compatibility`; `metadata.<vendor>.requires` and `.os` as openclaw and its relatives write them, as a
 * map or as a string of JSON; `metadata.requires`; a `requires` map beside `metadata`. All of it counts together.
 */
export function readRequirements(manifest: Manifest): DeclaredRequirements {
  const found = [parseCompatibility(manifest.compatibility ?? "")];
  let always = false;
  for (const [key, value] of Object.entries(manifest.metadata)) {
    const vendor = mapOf(value);
    if (key === "requires") {
      found.push(vendor === undefined ? programsOf(textsOf(value)) : requirementsOf(vendor));
    } else if (vendor !== undefined) {
      found.push(requirementsOf(mapOf(vendor.requires) ?? {}), systemsOf(vendor.os));
      always ||= vendor.always === true;
    }
  }
  found.push(requirementsOf(mapOf(manifest.extra.requires) ?? {}));

  const all = (pick: (requirements: Requirements) => readonly string[]) => [...new Set(found.flatMap(pick))].slice(0, maxItems);
  return {
    programs: all(({ programs }) => programs),
    programGroups: found.flatMap(({ programGroups }) => programGroups.map((group) => group.slice(0, maxItems))).slice(0, maxItems),
    env: all(({ env }) => env),
    config: all(({ config }) => config),
    systems: all(({ systems }) => systems),
    always,
  };
}

function requirementsOf(map: JsonObject): Requirements {
  const of = (...keys: string[]) => keys.flatMap((key) => textsOf(own(map, key)));
  const groups = [of("anyBins", "any_bins", "anyPrograms")];
  if (isVersion(own(map, "python"))) groups.push(["python3", "python"]);
  if (isVersion(own(map, "node"))) groups.push(["node"]);
  return {
    programs: of("bins", "binaries", "programs", "commands"),
    programGroups: groups.filter((group) => group.length > 0),
    env: of("env", "environment"),
    config: of("config"),
    systems: systemsOf(own(map, "os")).systems,
  };
}

const nothing: Requirements = { programs: [], programGroups: [], env: [], config: [], systems: [] };

function programsOf(programs: readonly string[]): Requirements {
  return { ...nothing, programs };
}

function systemsOf(value: JsonValue | undefined): Requirements {
  const words = textsOf(value);
  if (words.some((word) => /^(?:any|all|cross-platform)$/i.test(word))) return nothing;
  return { ...nothing, systems: words.map((word) => systemNamed(word) ?? word.toLowerCase()) };
}

function own(map: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function isVersion(value: JsonValue | undefined): boolean {
  return value === true || typeof value === "number" || (typeof value === "string" && value !== "");
}

/** A list of texts, or one text with commas or blanks between them. */
function textsOf(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return value.split(/[\s,]+/).filter((text) => text !== "");
  if (!Array.isArray(value)) return [];
  return value
    .filter((item) => typeof item === "string")
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

/** A map as it is, or as a string of JSON. */
function mapOf(value: JsonValue | undefined): JsonObject | undefined {
  if (typeof value === "string" && value.trimStart().startsWith("{")) {
    try {
      return mapOf(JSON.parse(value) as JsonValue);
    } catch {
      return undefined;
    }
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
