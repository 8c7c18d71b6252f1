import type { JsonObject, JsonSchema, JsonValue } from "../core/index.ts";
import { reportOnce } from "./host-tools.ts";
import { readHeld } from "./read-resource.ts";
import type { SessionContext } from "./session-context.ts";
import type { LoadedFact } from "./session-facts.ts";

/** A tool that a skill brings in its tools.json. */
export interface SkillToolSpec {
  readonly skill: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Words of the command; `{parameter}` stands for a value, a word of an absent one is left out. */
  readonly argv: readonly string[];
}

/** The file in a skill's folder that names its tools. */
const toolsFile = "tools.json";

/** The tools that active trusted skills bring, in the order of loading; what is wrong with one is reported once. */
export async function skillToolSpecs(context: SessionContext, taken: ReadonlySet<string>): Promise<SkillToolSpec[]> {
  if (context.workspace === undefined) return [];
  const specs: SkillToolSpec[] = [];
  const names = new Set(taken);
  for (const fact of context.facts.loaded) {
    if (!fact.files.some((file) => file.path === toolsFile)) continue;
    if (!fact.trusted) {
      report(context, fact, "its source is not trusted", "Trust the source to use the tools it brings.");
      continue;
    }
    for (const spec of await readTools(context, fact)) {
      if (names.has(spec.name)) {
        report(context, fact, `the name "${spec.name}" is taken`, "Give the tool another name in tools.json.");
        continue;
      }
      names.add(spec.name);
      specs.push(spec);
    }
  }
  return specs;
}

async function readTools(context: SessionContext, fact: LoadedFact): Promise<SkillToolSpec[]> {
  let parsed: unknown;
  try {
    parsed = JSON.parse((await readHeld(context, fact.name, fact, toolsFile)).text ?? "");
  } catch (error) {
    report(
      context,
      fact,
      error instanceof Error ? error.message : "it cannot be read",
      "Write a JSON list of { name, description, inputSchema, argv }.",
    );
    return [];
  }
  const list: unknown = isObject(parsed) ? parsed.tools : parsed;
  if (!Array.isArray(list)) {
    report(context, fact, "it holds no list", "Write a JSON list of { name, description, inputSchema, argv }.");
    return [];
  }
  return list.flatMap((item: unknown, index) => {
    const spec = readTool(fact.name, item);
    if (typeof spec !== "string") return [spec];
    report(
      context,
      fact,
      `tool ${index + 1}: ${spec}`,
      "Each tool needs name, description, inputSchema (an object schema) and argv (a list of texts).",
    );
    return [];
  });
}

function readTool(skill: string, item: unknown): SkillToolSpec | string {
  if (!isObject(item)) return "it is not an object";
  const { name, description, argv } = item;
  const schema = item.inputSchema ?? item.parameters ?? { type: "object", properties: {} };
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    return "its name is not 1 to 64 letters, digits, dashes or underscores";
  if (typeof description !== "string" || description.trim() === "") return "it has no description";
  if (!Array.isArray(argv) || argv.length === 0 || !argv.every((word) => typeof word === "string")) return "argv is not a list of texts";
  if (!isObject(schema) || schema.type !== "object") return "inputSchema is not the schema of an object";
  const properties = isObject(schema.properties) ? schema.properties : {};
  return {
    skill,
    name,
    description,
    argv: argv as string[],
    inputSchema: { ...(schema as unknown as JsonSchema), properties: properties as Record<string, JsonObject> },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function report(context: SessionContext, fact: LoadedFact, reason: string, hint: string): void {
  reportOnce(context, `${toolsFile} ${fact.name} ${reason}`, {
    severity: "warning",
    code: "skill-tool-refused",
    message: `A tool of skill "${fact.name}" is not offered: ${reason}.`,
    location: `${fact.location}/${toolsFile}`,
    hint,
  });
}

/** The command of a call: each value is one word, whatever is in it. */
export function argvOf(spec: SkillToolSpec, input: JsonObject): string[] | { readonly missing: string } {
  const missing = (spec.inputSchema.required ?? []).find((name) => input[name] === undefined || input[name] === null);
  if (missing !== undefined) return { missing };
  const words: string[] = [];
  for (const word of spec.argv) {
    const whole = /^\{(\w+)\}$/.exec(word)?.[1];
    if (whole !== undefined && Array.isArray(input[whole])) {
      words.push(...input[whole].map(text));
      continue;
    }
    const names = [...word.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
    if (names.some((name) => input[name] === undefined || input[name] === null)) continue;
    words.push(word.replace(/\{(\w+)\}/g, (_whole, name: string) => text(input[name])));
  }
  return words;
}

function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
