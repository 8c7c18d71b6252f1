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
  options: { readonly severity?: Severity; readonly hint?: string | undefined } = {},
): void {
  const rule = formatRules[code];
  let severity = options.severity ?? rule.severity;
  if (report.strict && rule.kind === "format" && severity === "warning") severity = "error";
  if (severity === "error") report.failed = true;
  const diagnostic: { -readonly [field in keyof Diagnostic]: Diagnostic[field] } = { severity, code, message, location: report.location };
  if (place !== undefined) {
    diagnostic.line = place.line;
    if (place.column !== undefined) diagnostic.column = place.column;
  }
  diagnostic.hint = options.hint ?? rule.fix;
  report.diagnostics ??= [];
  report.diagnostics.push(diagnostic);
}

/** What was collected, in the order of the file. */
export function diagnosticsOf(report: Report): readonly Diagnostic[] {
  return report.diagnostics?.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)) ?? none;
}
