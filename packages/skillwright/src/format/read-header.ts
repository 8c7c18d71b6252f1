import type { HeaderEntry } from "./header-value.ts";
import { readPlainHeader } from "./plain-header.ts";
import { repairHeader } from "./repair-header.ts";
import { addDiagnostic, type Report } from "./report.ts";
import { type HeaderProblem, readYamlHeader, type YamlHeader } from "./yaml-header.ts";

/** The entries of a header, and whether it had to be repaired. */
export interface ReadHeader {
  readonly entries: readonly HeaderEntry[];
  readonly repaired: boolean;
}

/** With more faults than this a header is not one that somebody meant to write. */
const MAX_REPAIRS = 50;

/** Reads the text between the fences: the plain reader first, then the YAML library, then repair. Undefined where it is refused. */
export function readHeader(text: string, firstLine: number, report: Report): ReadHeader | undefined {
  const first = read(text, firstLine);
  if ("entries" in first) return { entries: first.entries, repaired: false };
  if (!repairable.has(first.problem.code)) return refuse(report, first.problem, text);

  const { text: rewritten, repairs } = repairHeader(text, firstLine);
  if (repairs.length > MAX_REPAIRS) return refuse(report, first.problem, text);
  const again = read(rewritten, firstLine);
  if ("problem" in again) return refuse(report, again.problem, text);
  for (const { code, message, line, column, hint } of repairs) addDiagnostic(report, code, message, { line, column }, { hint });
  return { entries: again.entries, repaired: true };
}

function read(text: string, firstLine: number): YamlHeader {
  const entries = readPlainHeader(text, firstLine);
  return entries === undefined ? readYamlHeader(text, firstLine) : { entries };
}

/** Faults of syntax, and what only looks like an anchor, an alias or a tag; the rest is meant as it stands. */
const repairable: ReadonlySet<string> = new Set(["yaml-invalid", "yaml-anchor", "yaml-alias", "yaml-tag", "frontmatter-not-mapping"]);

function refuse(report: Report, problem: HeaderProblem, text: string): undefined {
  const isConflict = /^<{7}(?: |$)/m.test(text);
  addDiagnostic(
    report,
    problem.code,
    problem.message,
    problem,
    isConflict ? { hint: "Resolve the merge conflict in the frontmatter." } : {},
  );
}
