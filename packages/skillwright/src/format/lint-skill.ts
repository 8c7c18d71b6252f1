import { type CountTokens, type Diagnostic, estimateTokens } from "../core/index.ts";
import { isClientKey } from "./key-spelling.ts";
import { lintPaths } from "./lint-paths.ts";
import type { Manifest, Place } from "./manifest.ts";
import { addDiagnostic, createReport, diagnosticsOf, type Report } from "./report.ts";

/** A file of a skill, as {@link lintSkill} needs it. */
export interface LintFile {
  /** `/`-separated, relative to the skill's folder. */
  readonly path: string;
  readonly bytes: number;
  /** POSIX permission bits. */
  readonly mode: number;
}

/** What {@link lintSkill} looks at: the answer of `parseSkill` and the files beside it. */
export interface LintInput {
  readonly manifest: Manifest;
  readonly body: string;
  readonly bodyLine: number;
  readonly places?: ReadonlyMap<string, Place>;
  /** All files of the skill, SKILL.md included or not. */
  readonly files: readonly LintFile[];
  /** The first line of a script; where it is absent, scripts are judged by their names alone. */
  readonly readScriptHead?: (path: string) => string | undefined;
  /** Where the SKILL.md is, for diagnostics. @default "SKILL.md" */
  readonly location?: string;
  /** @default an estimate */
  readonly countTokens?: CountTokens;
}

/** The size of a body beyond which its details belong in files of their own. */
const MAX_LINES = 500;
const MAX_TOKENS = 5_000;

/** Looks beyond the format: what makes a well-formed skill fail on another machine, cost too much or never be chosen. Excludes nothing. */
export function lintSkill(input: LintInput): readonly Diagnostic[] {
  const report = createReport(input.location ?? "SKILL.md", false);
  lintKeys(report, input);
  lintDescription(report, input);
  lintLength(report, input);
  lintPaths(report, input.body, input.bodyLine, input.files);
  lintScripts(report, input);
  return diagnosticsOf(report);
}

function lintKeys(report: Report, { manifest, places }: LintInput): void {
  const unknown = Object.keys(manifest.extra).filter((key) => !isClientKey(key));
  if (unknown.length === 0) return;
  const names = unknown.map((key) => `\`${key}\``).join(", ");
  const place = places?.get(unknown[0] ?? "");
  addDiagnostic(report, "key-unknown", `The specification does not define ${names}.`, place && { line: place.line, column: 1 });
}

/** Words with which descriptions in the field's main languages say when a skill is for. */
const whenWords =
  /\b(?:when|whenever|use[ds]?|useful|using|invoke[ds]?|apply|trigger(?:s|ed)?|activate[ds]?|ask(?:s|ed|ing)?|request(?:s|ed)?|mention(?:s|ed)?|if the|for tasks|cuando|quando|quand|lorsque|wenn|falls|verwende[nt]?|utilis\w+|usar?)\b/i;
const whenCharacters = /[当當时時如若]|使用|用于|用於|适用|適用|场景|場景|とき|際|場合|때|경우|사용/;

function lintDescription(report: Report, { manifest, places }: LintInput): void {
  const { description } = manifest;
  // Of other languages nothing is known, so nothing is said.
  const isReadable = /^[A-Za-z\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\P{L}]*$/u.test(description);
  if (description.trim() === "" || !isReadable || whenWords.test(description) || whenCharacters.test(description)) return;
  addDiagnostic(report, "description-without-when", "The description does not say when to use the skill.", places?.get("description"));
}

function lintLength(report: Report, { body, bodyLine, countTokens = estimateTokens }: LintInput): void {
  const lines = body.trimEnd().split("\n").length;
  const tokens = countTokens(body);
  if (lines <= MAX_LINES && tokens <= MAX_TOKENS) return;
  addDiagnostic(report, "body-too-long", `The body has ${lines} lines and about ${tokens} tokens.`, { line: bodyLine });
}

/** Extensions that name their interpreter, and those of files that nobody runs. */
const runnable =
  /\.(?:py|pyw|sh|bash|zsh|fish|ksh|js|mjs|cjs|ts|mts|cts|tsx|jsx|rb|pl|pm|php|lua|r|jl|ps1|psm1|bat|cmd|awk|sed|jq|tcl|swift|go|rs|java|kts?|scala|groovy|dart|exs?|el|scm|nu|sql)$/i;
const data =
  /\.(?:md|mdx|txt|rst|json|jsonc|jsonl|ya?ml|toml|ini|cfg|conf|env|csv|tsv|xml|xsd|html?|css|scss|svg|png|jpe?g|gif|webp|ico|pdf|docx|xlsx|pptx|zip|gz|tar|wasm|lock|log|tmpl|template|j2|hbs|ejs|snap|example|sample|patch|diff|map|ttf|otf|woff2?|pyc|so|exe|jar|whl|proto|graphql|ipynb|db|sqlite|bin|dat|pem)$/i;
const customary = /(?:^|\/)(?:[A-Z][A-Z0-9_-]*|Makefile|Dockerfile|Gemfile|Rakefile|\.[^/]*)$/;

function lintScripts(report: Report, { files, readScriptHead }: LintInput): void {
  for (const { path, bytes, mode } of files) {
    const isScript = path.startsWith("scripts/") || (mode & 0o111) !== 0;
    if (!isScript || data.test(path) || customary.test(path)) continue;
    const head = readScriptHead?.(path);
    if (head?.startsWith("#!")) {
      if (/^[^\n]*\r(?:\n|$)/.test(head)) addDiagnostic(report, "script-crlf", `The first line of \`${path}\` ends in a carriage return.`);
    } else if (!runnable.test(path) && (head !== undefined || bytes === 0)) {
      addDiagnostic(report, "script-without-interpreter", `Nothing says what runs \`${path}\`.`);
    }
  }
}
