import type { Diagnostic, Severity } from "../core/index.ts";
import { type FormatCode, formatRules } from "./format-codes.ts";
import type { Place } from "./manifest.ts";

/** Collects the diagnostics of one file. */
export interface Report {
  readonly location: string;
  readonly strict: boolean;
  /** Whether anything excludes the skill. */
  failed: boolean;
  /** Undefined until there is something to say. */
  diagnostics: Diagnostic[] | undefined;
}

const none: readonly Diagnostic[] = Object.freeze([]);

export function createReport(location: string, strict: boolean): Report {
  return { location, strict, failed: false, diagnostics: undefined };
}

/** Adds one diagnostic; strict reading turns a warning of the format into an error. */
export function addDiagnostic(
  report: Report,
  code: FormatCode,
  message: string,
  place?: Place,
  options: { severity?: Severity; hint?: string } = {},
): void {
  const rule = formatRules[code];
  let severity = options.severity ?? rule.severity;
  if (report.strict && rule.kind === "format" && severity === "warning") severity = "error";
  if (severity === "error") report.failed = true;
  report.diagnostics ??= [];
  report.diagnostics.push({
    severity,
    code,
    message,
    location: report.location,
    ...(place === undefined ? {} : { line: place.line }),
    ...(place?.column === undefined ? {} : { column: place.column }),
    hint: options.hint ?? rule.fix,
  });
}

/** What was collected, in the order of the file. */
export function diagnosticsOf(report: Report): readonly Diagnostic[] {
  return report.diagnostics ?? none;
}
