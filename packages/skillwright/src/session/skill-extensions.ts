import type { JsonObject, JsonValue } from "../core/index.ts";
import type { Manifest } from "../format/index.ts";

/** What a manifest may say beyond the specification, whichever spelling it used. */
export interface SkillExtensions {
  /** Placeholders in the body are filled from the host's state. */
  readonly injectState: boolean;
  /** Also inside code. */
  readonly injectCode: boolean;
  /** Skills it builds on; offered by name, never loaded unasked. */
  readonly requires: readonly string[];
  /** Skills it contradicts. */
  readonly conflicts: readonly string[];
  /** Names of the host's tools, or sets of them, that it switches on. */
  readonly tools: readonly string[];
  /** Rules repeated with each load: a text, or the path of a file that holds them. */
  readonly rules: string | undefined;
  readonly fork: "fork" | "fork_with_context" | undefined;
  readonly agent: string;
  readonly model: string | undefined;
  /** Names of the words after "/name", in order. */
  readonly argumentNames: readonly string[];
  readonly takesArguments: boolean;
}

/**
 * Reads the extensions of a manifest. The neutral keys live in `metadata`, as `skillwright: { requires: [...] }`
 * or flat as `skillwright-requires: a b`; keys of other systems are understood beside them.
 */
export function readExtensions(manifest: Manifest): SkillExtensions {
  const own = (name: string): JsonValue | undefined => ownKey(manifest, name);
  const context = textOf(manifest.extra.context);
  return {
    injectState: manifest.metadata.adk_inject_state === true || isOn(own("inject-state")),
    injectCode: isOn(own("inject-code")),
    requires: wordsOf(own("requires")),
    conflicts: wordsOf(own("conflicts")),
    tools: [...new Set([...wordsOf(manifest.metadata.adk_additional_tools), ...wordsOf(own("tools"))])],
    rules: textOf(own("rules")) ?? textOf(manifest.metadata.rules),
    fork: context === "fork" || context === "fork_with_context" ? context : undefined,
    agent: textOf(manifest.extra.agent) ?? "",
    model: textOf(manifest.extra.model),
    argumentNames: wordsOf(manifest.extra.arguments ?? own("arguments")),
    takesArguments:
      manifest.extra["argument-hint"] !== undefined || manifest.extra.arguments !== undefined || own("arguments") !== undefined,
  };
}

function ownKey(manifest: Manifest, name: string): JsonValue | undefined {
  const nested = manifest.metadata.skillwright;
  if (isObject(nested) && Object.hasOwn(nested, name)) return nested[name];
  const flat = `skillwright-${name}`;
  return Object.hasOwn(manifest.metadata, flat) ? manifest.metadata[flat] : undefined;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOn(value: JsonValue | undefined): boolean {
  return value === true || value === "true";
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** A list, or the words of a text separated by blanks or commas. */
function wordsOf(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return value.split(/[\s,]+/).filter((word) => word !== "");
  return Array.isArray(value) ? value.filter((word) => typeof word === "string" && word !== "").map(String) : [];
}
