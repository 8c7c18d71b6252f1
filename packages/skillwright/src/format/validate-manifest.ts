import { type Diagnostic, defaultReadingRules, type ReadingRules } from "../core/index.ts";
import type { Manifest, Place } from "./manifest.ts";
import { addDiagnostic, createReport, diagnosticsOf, type Report } from "./report.ts";

/** The limits of agentskills.io, in characters (Unicode code points after NFKC). */
const manifestLimits: { readonly name: number; readonly description: number; readonly compatibility: number } = Object.freeze({
  name: 64,
  description: 1024,
  compatibility: 500,
});

/** Options of {@link validateManifest}. */
export interface ValidateOptions {
  /** @default "SKILL.md" */
  readonly location?: string;
  /** The folder's name, which `name` should equal. */
  readonly folder?: string;
  readonly rules?: Partial<ReadingRules>;
}

/** Checks a manifest from anywhere (a file, code, a registry) against agentskills.io. */
export function validateManifest(
  manifest: Pick<Manifest, "name" | "description"> & Partial<Manifest>,
  options: ValidateOptions = {},
): readonly Diagnostic[] {
  const rules = { ...defaultReadingRules, ...options.rules };
  const report = createReport(options.location ?? "SKILL.md", rules.strict);
  if (manifest.name.trim() === "") addDiagnostic(report, "name-missing", "The skill has no name.", undefined, { severity: "error" });
  else checkName(report, manifest.name, options.folder, rules, undefined);
  checkDescription(report, manifest.description, rules, undefined, false);
  checkCompatibility(report, manifest.compatibility ?? "", undefined, false);
  return diagnosticsOf(report);
}

/** Reports what is wrong with a name that is there. */
export function checkName(report: Report, name: string, folder: string | undefined, rules: ReadingRules, place: Place | undefined): void {
  const isPlain = isPlainName(name);
  if (!isPlain) {
    const problem = nameProblem(name, rules.nameStyle);
    if (problem !== undefined) addDiagnostic(report, "name-invalid", `The name ${JSON.stringify(name)} ${problem}.`, place);
  }
  if (isLongerThan(name, manifestLimits.name, isPlain)) {
    addDiagnostic(report, "name-too-long", `The name has ${countCharacters(name)} characters; ${manifestLimits.name} are allowed.`, place);
  }
  if (folder !== undefined && folder !== name && folder.normalize("NFC") !== name.normalize("NFC")) {
    const message = `The name ${JSON.stringify(name)} differs from the folder ${JSON.stringify(folder)}.`;
    addDiagnostic(report, "name-folder-mismatch", message, place, {
      hint: `Rename the folder to \`${name}\`, or set \`name: ${folder}\`.`,
    });
  }
}

/** Reports a missing or too long description; `nearest` is a key that may have been meant for it. */
export function checkDescription(
  report: Report,
  description: string,
  rules: ReadingRules,
  place: Place | undefined,
  isAscii: boolean,
  nearest?: string,
): void {
  if (description === "" || description.trim() === "") {
    const severity = rules.requireDescription ? "error" : "warning";
    const hint = nearest === undefined ? undefined : `Rename \`${nearest}\` to \`description\`, if that is what it is.`;
    addDiagnostic(report, "description-missing", "The skill has no description.", place, { severity, hint });
  } else if (isLongerThan(description, manifestLimits.description, isAscii)) {
    const message = `The description has ${countCharacters(description)} characters; ${manifestLimits.description} are allowed.`;
    addDiagnostic(report, "description-too-long", message, place);
  }
}

/** Reports a `compatibility` that is too long. */
export function checkCompatibility(report: Report, compatibility: string, place: Place | undefined, isAscii: boolean): void {
  if (isLongerThan(compatibility, manifestLimits.compatibility, isAscii)) {
    const message = `\`compatibility\` has ${countCharacters(compatibility)} characters; ${manifestLimits.compatibility} are allowed.`;
    addDiagnostic(report, "compatibility-too-long", message, place);
  }
}

/** The usual case without a regular expression: ASCII words joined by single hyphens. */
function isPlainName(name: string): boolean {
  let hyphen = true;
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    if (code === 45) {
      if (hyphen) return false;
      hyphen = true;
    } else if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) {
      hyphen = false;
    } else {
      return false;
    }
  }
  return !hyphen;
}

function nameProblem(name: string, style: ReadingRules["nameStyle"]): string | undefined {
  const normal = name.normalize("NFKC");
  if (normal !== normal.toLowerCase()) return "has upper-case letters";
  const snake = style === "kebab-or-snake" && normal.includes("_");
  if (snake && normal.includes("-")) return "mixes hyphens and underscores";
  const separator = snake ? "_" : "-";
  const words = normal.split(separator);
  if (words.some((word) => !/^[\p{L}\p{N}\p{M}]*$/u.test(word))) {
    return snake ? "holds more than letters, digits and underscores" : "holds more than lower-case letters, digits and hyphens";
  }
  if (words[0] === "" || words.at(-1) === "") return `begins or ends with \`${separator}\``;
  if (words.includes("")) return `has \`${separator}\` twice in a row`;
  return undefined;
}

/** NFKC makes at most eighteen UTF-16 units of one, so a short text needs no counting. */
const GROWTH = 18;

function isLongerThan(text: string, limit: number, isAscii: boolean): boolean {
  if (isAscii) return text.length > limit;
  return text.length * GROWTH > limit && countCharacters(text) > limit;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text.normalize("NFKC")) count++;
  return count;
}
