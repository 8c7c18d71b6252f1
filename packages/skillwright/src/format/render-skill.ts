import type { JsonValue } from "../core/index.ts";
import { splitToolNames } from "./allowed-tools.ts";
import { typedScalar } from "./header-value.ts";
import { isSpecKey } from "./key-spelling.ts";
import type { Manifest } from "./manifest.ts";

/** What {@link renderSkill} writes: a manifest's fields and the body. */
export interface SkillText
  extends Pick<Manifest, "name" | "description">,
    Partial<Pick<Manifest, "license" | "compatibility" | "allowedTools" | "metadata" | "extra">> {
  /** Everything behind the closing fence, as it is. */
  readonly body?: string;
}

/** Writes a SKILL.md that {@link parseSkill} reads back as the same manifest and body. */
export function renderSkill(skill: SkillText): string {
  let header = `name: ${renderText(skill.name)}\ndescription: ${renderText(skill.description)}\n`;
  if (skill.license) header += `license: ${renderText(skill.license)}\n`;
  if (skill.compatibility) header += `compatibility: ${renderText(skill.compatibility)}\n`;
  if (skill.allowedTools && skill.allowedTools.length > 0) header += `allowed-tools: ${renderTools(skill.allowedTools)}\n`;
  const metadata = Object.entries(skill.metadata ?? {});
  if (metadata.length > 0) header += `metadata:\n${metadata.map((entry) => `  ${renderEntry(entry)}`).join("")}`;
  for (const entry of Object.entries(skill.extra ?? {})) if (!isSpecKey(entry[0])) header += renderEntry(entry);
  return `---\n${header}---\n${skill.body ?? ""}`;
}

function renderEntry([key, value]: readonly [string, JsonValue]): string {
  const name = /^[A-Za-z_][\w.-]*$/.test(key) ? key : JSON.stringify(key);
  // JSON is YAML, so what is nested needs no writer of its own.
  const text = typeof value === "string" ? renderText(value) : JSON.stringify(value);
  return `${name}: ${text}\n`;
}

function renderTools(tools: readonly string[]): string {
  const line = tools.join(" ");
  const split = splitToolNames(line);
  return split.length === tools.length && split.every((tool, index) => tool === tools[index]) ? renderText(line) : JSON.stringify(tools);
}

/** Without quotes where no YAML reader of any version could take it for something else. */
function renderText(text: string): string {
  const isPlain =
    /^[\p{L}][^\p{C}\u2028\u2029]*$/u.test(text) &&
    !/: | #|:$|\s$/.test(text) &&
    !/^(?:y|n|yes|no|on|off)$/i.test(text) &&
    typeof typedScalar(text) === "string";
  return isPlain ? text : JSON.stringify(text);
}
