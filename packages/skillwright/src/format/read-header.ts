import type { HeaderEntry } from "./header-value.ts";
import { readPlainHeader } from "./plain-header.ts";
import { addDiagnostic, type Report } from "./report.ts";
import { readYamlHeader } from "./yaml-header.ts";

/** Reads the text between the fences: the plain reader first, then the YAML library, then repair. Undefined when refused. */
export function readHeader(
  text: string,
  firstLine: number,
  report: Report,
): { entries: readonly HeaderEntry[]; repaired: boolean } | undefined {
  const plain = readPlainHeader(text, firstLine);
  if (plain !== undefined) return { entries: plain, repaired: false };
  const yaml = readYamlHeader(text, firstLine);
  if ("entries" in yaml) return { entries: yaml.entries, repaired: false };
  const { problem } = yaml;
  addDiagnostic(report, problem.code, problem.message, problem);
  return undefined;
}
