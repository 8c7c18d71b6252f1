import { defaultLimits, defaultReadingRules, type ReadingRules } from "../core/index.ts";
import type { Fences, NoFences } from "./fences.ts";
import type { FormatCode } from "./format-codes.ts";
import type { HeaderEntry } from "./header-value.ts";
import type { Manifest, ParseOptions } from "./manifest.ts";
import { readHeader } from "./read-header.ts";
import { readManifest } from "./read-manifest.ts";
import { addDiagnostic, type Report } from "./report.ts";

/** A manifest where the skill can be used, and the entries it was made of. */
export interface Frontmatter {
  readonly manifest: Manifest | undefined;
  readonly entries: readonly HeaderEntry[];
}

/** Reads what stands between the fences. `isAscii` spares counting characters. */
export function readFrontmatter(fences: Fences, header: string, report: Report, options: ParseOptions, isAscii: boolean): Frontmatter {
  if (fences.blankLines > 0) addDiagnostic(report, "blank-before-frontmatter", "Blank lines stand before the frontmatter.", { line: 1 });
  const text = header.includes("\r") ? header.replaceAll("\r\n", "\n") : header;
  // Empty frontmatter is none: systems that can do without take the folder's name.
  const isNone = text.trim() === "" && !rulesOf(options).requireFrontmatter;
  const read = isNone ? { entries: [], repaired: false } : readHeader(text, fences.line, report);
  if (read === undefined) return { manifest: undefined, entries: [] };
  const manifest = readManifest(read.entries, report, {
    folder: options.folder,
    rules: rulesOf(options),
    topLine: fences.line - 1,
    repaired: read.repaired,
    isAscii,
  });
  return { manifest: report.failed ? undefined : manifest, entries: read.entries };
}

/** Reports why there is no frontmatter, or does without where the rules allow it. `start` is the beginning of the file. */
export function readWithoutFrontmatter(fences: NoFences, start: string, report: Report, options: ParseOptions): Manifest | undefined {
  const rules = rulesOf(options);
  if (rules.requireFrontmatter || fences.state === "language" || fences.state === "too-large") {
    const [code, message] = problems[fences.state];
    const hint = fences.state === "missing" ? missingHint(start) : fences.state === "unclosed" ? unclosedHint(start) : undefined;
    addDiagnostic(report, code, message, { line: fences.line, column: fences.state === "language" ? 4 : 1 }, { hint });
    return undefined;
  }
  // Nobody expects a name where no frontmatter is expected.
  const manifest = readManifest([], report, {
    folder: options.folder,
    rules: { ...rules, nameFrom: "folder" },
    topLine: 1,
    repaired: false,
    isAscii: true,
  });
  return report.failed ? undefined : manifest;
}

/** The limit on the frontmatter in bytes. */
export function maxFrontmatterBytesOf(options: ParseOptions): number {
  return options.maxFrontmatterBytes ?? defaultLimits.maxFrontmatterBytes;
}

const problems: { readonly [state in NoFences["state"]]: readonly [FormatCode, string] } = {
  missing: ["frontmatter-missing", "The file does not begin with a line `---`."],
  unclosed: ["frontmatter-unclosed", "No line `---` closes the frontmatter."],
  language: ["frontmatter-language", "Something stands behind the opening `---`."],
  "too-large": ["frontmatter-too-large", "The frontmatter is larger than the limit."],
};

function rulesOf(options: ParseOptions): ReadingRules {
  return options.rules === undefined ? defaultReadingRules : { ...defaultReadingRules, ...options.rules };
}

function missingHint(start: string): string | undefined {
  const text = start.replace(/^\ufeff/, "").trimStart();
  if (text === "") return "The file is empty: write `---`, a name, a description, `---` and the instructions.";
  if (/^(?:```|~~~)/.test(text)) return "Remove the code fence around the file: its first line must be `---`.";
  if (/^(?:name|description)[ \t]*:/.test(text)) return "Put a line `---` before the fields and one behind them.";
  if (/^\S{1,200}\.md\s*$/i.test(text)) return "The file holds only a path: a link was checked out as text. Copy the file that it names.";
  if (/^----/.test(text)) return "Write exactly three dashes.";
  if (/^[ \t]+---/m.test(start) || /^---[ \t\r]*$/m.test(text)) return "Move the line `---` to the first line, without blanks before it.";
  return undefined;
}

function unclosedHint(start: string): string | undefined {
  const lines = start.split("\n", 100).map((line) => line.trimEnd());
  if (lines.some((line) => /^\s+---$/.test(line))) return "Remove the blanks before the closing `---`.";
  if (lines.includes("...") || lines.includes("```") || lines.some((line) => /^-{4,}$/.test(line))) {
    return "Close the frontmatter with exactly `---`; nothing else does.";
  }
  return undefined;
}
