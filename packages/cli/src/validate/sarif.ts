import { relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type Diagnostic, formatRules } from "skillwright";

const levels = { error: "error", warning: "warning", info: "note" } as const;

/** Diagnostics as SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
export function toSarif(diagnostics: readonly Diagnostic[], version: string): unknown {
  const codes = [...new Set(diagnostics.map((diagnostic) => diagnostic.code))].sort();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "skillwright", version, rules: codes.map(ruleOf) } },
        results: diagnostics.map((diagnostic) => ({
          ruleId: diagnostic.code,
          ruleIndex: codes.indexOf(diagnostic.code),
          level: levels[diagnostic.severity],
          message: { text: diagnostic.hint === undefined ? diagnostic.message : `${diagnostic.message} ${diagnostic.hint}` },
          locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(diagnostic.location) }, ...regionOf(diagnostic) } }],
        })),
      },
    ],
  };
}

function ruleOf(code: string): unknown {
  const rule = Object.hasOwn(formatRules, code) ? formatRules[code as keyof typeof formatRules] : undefined;
  return rule === undefined
    ? { id: code }
    : {
        id: code,
        shortDescription: { text: rule.meaning },
        help: { text: rule.fix },
        defaultConfiguration: { level: levels[rule.severity] },
      };
}

/** Relative to where the command runs, as scanners want it; elsewhere an absolute URI. */
function uriOf(location: string): string {
  const path = relative(process.cwd(), location);
  return path.startsWith("..") ? pathToFileURL(location).href : path.split(/[\\/]/).map(encodeURIComponent).join("/");
}

function regionOf({ line, column }: Diagnostic): { region?: { startLine: number; startColumn?: number } } {
  return line === undefined ? {} : { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } };
}
