import { decodeText, reportEncoding } from "./decode-text.ts";
import { findFences } from "./fences.ts";
import type { HeaderEntry } from "./header-value.ts";
import type { Manifest, ParsedSkill, ParseOptions } from "./manifest.ts";
import { maxFrontmatterBytesOf, readFrontmatter, readWithoutFrontmatter } from "./read-frontmatter.ts";
import { addDiagnostic, createReport, diagnosticsOf, type Report } from "./report.ts";

/** Reads a SKILL.md: frontmatter into a manifest, the rest as body. Never throws; takes time in proportion to the text. */
export function parseSkill(source: string | Uint8Array, options: ParseOptions = {}): ParsedSkill {
  const report = createReport(options.location ?? "SKILL.md", options.rules?.strict ?? false);
  const text = typeof source === "string" ? source : decodeText(source);
  if (typeof text !== "string") {
    reportEncoding(report, text);
    return parsed(undefined, "", 1, report);
  }
  const maxBytes = maxFrontmatterBytesOf(options);
  const fences = findFences(text, maxBytes);
  if (fences.state !== "found") {
    const start = text.startsWith("\ufeff") ? 1 : 0;
    return parsed(readWithoutFrontmatter(fences, text.slice(start, 4096), report, options), text.slice(start), 1, report);
  }
  const header = text.slice(fences.start, fences.end);
  const body = text.slice(fences.bodyStart);
  // The fences were searched in UTF-16 units, each of which is at most three bytes.
  if (header.length * 3 > maxBytes && new TextEncoder().encode(header).length > maxBytes) {
    const manifest = readWithoutFrontmatter({ state: "too-large", line: fences.line - 1, final: true }, "", report, options);
    return parsed(manifest, body, fences.bodyLine, report);
  }
  const { manifest, entries } = readFrontmatter(fences, header, report, options, false);
  if (manifest !== undefined && body.trim() === "") {
    addDiagnostic(report, "body-empty", "Nothing stands below the frontmatter.", { line: fences.bodyLine });
  }
  return parsed(manifest, body, fences.bodyLine, report, entries);
}

function parsed(
  manifest: Manifest | undefined,
  body: string,
  bodyLine: number,
  report: Report,
  entries: readonly HeaderEntry[] = [],
): ParsedSkill {
  const places = new Map(entries.map(({ key, line, column }) => [key, { line, column }]));
  return { ...(manifest === undefined ? {} : { manifest }), body, bodyLine, diagnostics: diagnosticsOf(report), places };
}
