import { relative } from "node:path";
import type { Command } from "commander";
import type { Diagnostic } from "skillwright";
import { exitCode } from "../exit-code.ts";
import { colorsFor } from "../terminal/table.ts";
import { UsageError } from "../usage-error.ts";
import { type CheckResult, checkSkills } from "../validate/check-skills.ts";
import { toSarif } from "../validate/sarif.ts";
import { version } from "../version.ts";
import { type Finish, printJson } from "./library-command.ts";

interface ValidateFlags {
  readonly strict?: boolean;
  readonly format?: string;
  readonly json?: boolean;
}

/** `skillwright validate PATH...`: every fault of every skill, with its place and what to do. */
export function validateCommand(program: Command, finish: Finish): void {
  program
    .command("validate")
    .description("Check skills: the format, and what else makes them fail.")
    .argument("<path...>", "folders, or SKILL.md files")
    .option("--strict", "treat warnings of the format as errors")
    .option("--format <name>", "text, json or sarif", "text")
    .option("--json", "the same as --format json")
    .action((paths: string[], flags: ValidateFlags) => finish(validate(paths, flags)));
}

async function validate(paths: readonly string[], flags: ValidateFlags): Promise<number> {
  const format = flags.json ? "json" : (flags.format ?? "text");
  if (!["text", "json", "sarif"].includes(format)) throw new UsageError(`There is no format "${format}". Use text, json or sarif.`);
  const progress = process.stderr.isTTY && format === "text";
  const result = await checkSkills(paths, {
    strict: flags.strict === true,
    ...(progress ? { onProgress: (count) => void (count % 100 === 0 && process.stderr.write(`\rchecked ${count} skills`)) } : {}),
  });
  if (progress) process.stderr.write("\r\x1b[K");
  const all = [...result.diagnostics, ...result.skills.flatMap((skill) => skill.diagnostics)];
  const errors = all.filter((diagnostic) => diagnostic.severity === "error").length;
  const nothing = result.skills.length === 0;
  if (format === "sarif") printJson(toSarif(all, version));
  else if (format === "json")
    printJson({ skills: result.skills, diagnostics: result.diagnostics, errors, warnings: countOf(all, "warning") });
  else process.stdout.write(textOf(result, all, errors));
  return errors > 0 || nothing ? exitCode.failed : exitCode.ok;
}

function textOf(result: CheckResult, all: readonly Diagnostic[], errors: number): string {
  const colors = colorsFor(process.stdout);
  const paint = { error: colors.red, warning: colors.yellow, info: colors.dim } as const;
  const lines = all.map(({ severity, code, message, location, line, column, hint }) => {
    const place = `${shorten(location)}${line === undefined ? "" : `:${line}${column === undefined ? "" : `:${column}`}`}`;
    return `${place} ${paint[severity](severity)} ${code}: ${message}${hint === undefined ? "" : ` ${colors.dim(hint)}`}`;
  });
  if (result.skills.length === 0) lines.push("No SKILL.md found. Name a folder of skills, a skill's folder, or a SKILL.md.");
  lines.push(
    `${result.skills.length} skills checked: ${errors} errors, ${countOf(all, "warning")} warnings, ${countOf(all, "info")} notes`,
  );
  return `${lines.join("\n")}\n`;
}

function countOf(diagnostics: readonly Diagnostic[], severity: Diagnostic["severity"]): number {
  return diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
}

function shorten(location: string): string {
  const path = relative(process.cwd(), location);
  return path === "" || path.startsWith("..") ? location : path;
}
