import { type Diagnostic, defaultLimits, defaultReadingRules, type ReadingRules } from "../core/index.ts";
import { decodeText } from "./decode-text.ts";
import { type Fences, findFences, type NoFences } from "./fences.ts";
import type { FormatCode } from "./format-codes.ts";
import type { Manifest, ParsedSkill, ParseOptions } from "./manifest.ts";
import { readHeader } from "./read-header.ts";
import { readManifest } from "./read-manifest.ts";
import { addDiagnostic, createReport, diagnosticsOf, type Report } from "./report.ts";

/** Options of {@link parseHeader}. */
export interface HeaderOptions extends ParseOptions {
  /** Whether the bytes are the whole file, so that a fence that is not there will not come. @default false */
  readonly whole?: boolean;
}

/** What {@link parseHeader} answers: a manifest when the skill can be used, and what the frontmatter alone shows. */
export interface ParsedHeader {
  readonly manifest?: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** False when the bytes end before the frontmatter does: ask again with more of them, or with `whole`. */
  readonly complete: boolean;
}

const incomplete: ParsedHeader = Object.freeze({ diagnostics: Object.freeze([]), complete: false });

/** Reads a SKILL.md: frontmatter into a manifest, the rest as body. Never throws; takes time in proportion to the text. */
export function parseSkill(source: string | Uint8Array, options: ParseOptions = {}): ParsedSkill {
  const report = createReport(options.location ?? "SKILL.md", options.rules?.strict ?? false);
  const text = typeof source === "string" ? source : decodeText(source);
  if (typeof text !== "string") {
    reportEncoding(report, source as Uint8Array, text.invalidAt);
    return { body: "", bodyLine: 1, diagnostics: diagnosticsOf(report) };
  }
  const rules = rulesOf(options);
  const fences = findFences(text, maxBytesOf(options));
  if (fences.state !== "found") {
    const manifest = readWithout(fences, report, rules, options.folder);
    const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    return { ...(manifest === undefined ? {} : { manifest }), body, bodyLine: 1, diagnostics: diagnosticsOf(report) };
  }
  const manifest = read(fences, text.slice(fences.start, fences.end), report, rules, options);
  const body = text.slice(fences.bodyStart);
  if (!report.failed && body.trim() === "") {
    addDiagnostic(report, "body-empty", "Nothing stands below the frontmatter.", { line: fences.bodyLine });
  }
  return { ...(manifest === undefined ? {} : { manifest }), body, bodyLine: fences.bodyLine, diagnostics: diagnosticsOf(report) };
}

/** Reads the frontmatter from the first bytes of a SKILL.md; says with `complete: false` when they do not hold all of it. Never throws. */
export function parseHeader(bytes: Uint8Array, options: HeaderOptions = {}): ParsedHeader {
  const fences = findFences(bytes, maxBytesOf(options));
  if (options.whole !== true && !isCertain(fences, bytes.length)) return incomplete;
  const report = createReport(options.location ?? "SKILL.md", options.rules?.strict ?? false);
  const rules = rulesOf(options);
  let manifest: Manifest | undefined;
  if (fences.state === "found") {
    const header = decodeText(bytes.subarray(fences.start, fences.end));
    if (typeof header === "string") manifest = read(fences, header, report, rules, options);
    else reportEncoding(report, bytes, fences.start + header.invalidAt);
  } else {
    manifest = readWithout(fences, report, rules, options.folder);
  }
  return { ...(manifest === undefined ? {} : { manifest }), diagnostics: diagnosticsOf(report), complete: true };
}

/** Whether more bytes could not change where the fences are. */
function isCertain(fences: Fences | NoFences, length: number): boolean {
  switch (fences.state) {
    case "found":
      return fences.bodyStart < length;
    case "unclosed":
      return false;
    case "missing":
    case "language":
      return length >= 256;
    case "too-large":
      return true;
  }
}

function read(fences: Fences, header: string, report: Report, rules: ReadingRules, options: ParseOptions): Manifest | undefined {
  if (fences.blankLines > 0) {
    addDiagnostic(report, "blank-before-frontmatter", "Blank lines stand before the frontmatter.", { line: 1 });
  }
  const text = header.includes("\r") ? header.replaceAll("\r\n", "\n") : header;
  const read = readHeader(text, fences.line, report);
  if (read === undefined) return undefined;
  const top = { line: fences.line - 1, column: 1 };
  const manifest = readManifest(read.entries, report, { folder: options.folder, rules, top, repaired: read.repaired });
  return report.failed ? undefined : manifest;
}

function readWithout(fences: NoFences, report: Report, rules: ReadingRules, folder: string | undefined): Manifest | undefined {
  if (rules.requireFrontmatter || fences.state === "language" || fences.state === "too-large") {
    reportFences(report, fences);
    return undefined;
  }
  const manifest = readManifest([], report, { folder, rules, top: { line: 1, column: 1 }, repaired: false });
  return report.failed ? undefined : manifest;
}

function reportFences(report: Report, fences: NoFences): void {
  const [code, message] = fenceProblems[fences.state];
  addDiagnostic(report, code, message, { line: fences.line, column: 1 });
}

const fenceProblems: { readonly [state in NoFences["state"]]: readonly [FormatCode, string] } = {
  missing: ["frontmatter-missing", "The file does not begin with a `---` line."],
  unclosed: ["frontmatter-unclosed", "No line `---` closes the frontmatter."],
  language: ["frontmatter-language", "Something stands behind the opening `---`."],
  "too-large": ["frontmatter-too-large", "The frontmatter is larger than the limit."],
};

function reportEncoding(report: Report, bytes: Uint8Array, offset: number): void {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const message = utf16 ? "The file is UTF-16, not UTF-8." : `The file is not UTF-8: byte ${offset} does not fit.`;
  addDiagnostic(report, "encoding-invalid", message);
}

function rulesOf(options: ParseOptions): ReadingRules {
  return options.rules === undefined ? defaultReadingRules : { ...defaultReadingRules, ...options.rules };
}

function maxBytesOf(options: ParseOptions): number {
  return options.maxFrontmatterBytes ?? defaultLimits.maxFrontmatterBytes;
}
