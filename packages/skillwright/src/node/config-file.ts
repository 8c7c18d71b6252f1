import { join } from "node:path";
import { type Diagnostic, nearestNames, SkillError } from "../core/index.ts";
import { readSmallFile } from "./small-file.ts";
import { configFolder, type Environment } from "./user-paths.ts";

/** What a configuration file says. */
interface ConfigFile {
  readonly location: string;
  /** More folders to look for skills in, relative to the file's folder. */
  readonly roots: readonly string[];
  /** Globs over names. */
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  /** Projects to trust, in the user's file alone. */
  readonly trust: readonly string[];
}

/** A configuration, where there is a usable one, and what is wrong with it. */
export interface ConfigReading {
  readonly config?: ConfigFile;
  readonly diagnostics: readonly Diagnostic[];
}

const maxBytes = 64 * 1024;
const listKeys = ["roots", "enable", "disable", "trust"] as const;

/**
 * Reads the user's configuration, `skillwright/config.json` below the configuration folder.
 * @throws SkillError `configuration-invalid` when it is there and cannot be used: going on without it would undo what it disables
 */
export function readUserConfig(env: Environment): ConfigReading {
  const folder = configFolder(env);
  if (folder === undefined) return { diagnostics: [] };
  const location = join(folder, "skillwright", "config.json");
  const found = readSmallFile(location, { maxBytes });
  if ("missing" in found) return { diagnostics: [] };
  const result = "refused" in found ? { fault: found.refused } : parseConfig(found.text);
  if ("fault" in result) {
    throw new SkillError("configuration-invalid", `${location} cannot be used: ${result.fault}.`, {
      hint: "Correct the file; docs/trust.md shows its shape.",
    });
  }
  return { config: { location, ...result.lists }, diagnostics: unknownKeys(location, result.unknown) };
}

/**
 * Reads a project's configuration, `.skillwright.json` in its root. It comes with the repository: it cannot trust anything, it is no link
 * out of it, and a broken one stops nobody.
 */
export function readProjectConfig(root: string): ConfigReading {
  const location = join(root, ".skillwright.json");
  const found = readSmallFile(location, { maxBytes, links: false });
  if ("missing" in found) return { diagnostics: [] };
  const result = "refused" in found ? { fault: found.refused } : parseConfig(found.text);
  if ("fault" in result) {
    const hint = "Correct the file, or remove it.";
    return { diagnostics: [{ severity: "warning", code: "config-invalid", message: `It is left out: ${result.fault}.`, location, hint }] };
  }
  const diagnostics = unknownKeys(location, result.unknown);
  if (result.lists.trust.length > 0) {
    diagnostics.push({
      severity: "warning",
      code: "config-trust-ignored",
      message: "A project's own configuration cannot say what is trusted.",
      location,
      hint: "Remove `trust` from it; whoever works with the project decides, see docs/trust.md.",
    });
  }
  return { config: { location, ...result.lists, trust: [] }, diagnostics };
}

type Parsed =
  | { readonly lists: Pick<ConfigFile, (typeof listKeys)[number]>; readonly unknown: readonly string[] }
  | { readonly fault: string };

/** Faults never quote the text: a link could have led to something that is nobody's business. */
function parseConfig(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    const place = /line (\d+) column (\d+)/.exec(error instanceof Error ? error.message : "");
    return { fault: `it is not JSON${place ? ` (line ${place[1]}, column ${place[2]})` : ""}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: "it is not a JSON object" };
  const entries = new Map<string, unknown>(Object.entries(value));
  const lists = { roots: [] as string[], enable: [] as string[], disable: [] as string[], trust: [] as string[] };
  for (const key of listKeys) {
    const list = entries.get(key) ?? [];
    if (!Array.isArray(list) || list.some((item) => typeof item !== "string")) return { fault: `\`${key}\` is not a list of texts` };
    lists[key] = list as string[];
    entries.delete(key);
  }
  entries.delete("$schema");
  return { lists, unknown: [...entries.keys()] };
}

function unknownKeys(location: string, keys: readonly string[]): Diagnostic[] {
  return keys.slice(0, 10).map((key) => {
    const [near] = nearestNames(key, listKeys, 1);
    return {
      severity: "warning",
      code: "config-key-unknown",
      message: `The key ${JSON.stringify(key.slice(0, 60))} means nothing here.`,
      location,
      hint: near === undefined ? `Known keys are ${listKeys.join(", ")}.` : `Did you mean \`${near}\`?`,
    };
  });
}
