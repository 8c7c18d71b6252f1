import type { Diagnostic } from "../core/index.ts";
import { decodeLossy, decodeText, reportEncoding } from "./decode-text.ts";
import { findFences } from "./fences.ts";
import type { Manifest, ParseOptions } from "./manifest.ts";
import { maxFrontmatterBytesOf, readFrontmatter, readWithoutFrontmatter } from "./read-frontmatter.ts";
import { createReport, diagnosticsOf } from "./report.ts";

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

/**
 * Reads the frontmatter from the first bytes of a SKILL.md, as {@link parseSkill} does from all of them, and nothing behind it.
 * Says with `complete: false` when the bytes do not hold all of it. Never throws.
 */
export function parseHeader(bytes: Uint8Array, options: HeaderOptions = {}): ParsedHeader {
  const fences = findFences(bytes, maxFrontmatterBytesOf(options));
  if (!fences.final && options.whole !== true) return incomplete;
  const report = createReport(options.location ?? "SKILL.md", options.rules?.strict ?? false);
  let manifest: Manifest | undefined;
  if (fences.state === "found") {
    // Only the header is decoded: strings cut from it keep all of it alive.
    const header = decodeText(bytes.subarray(fences.start, fences.end));
    if (typeof header === "string")
      manifest = readFrontmatter(fences, header, report, options, header.length === fences.end - fences.start).manifest;
    else reportEncoding(report, header, fences.start, fences.line);
  } else {
    manifest = readWithoutFrontmatter(fences, decodeLossy(bytes.subarray(0, 4096)), report, options);
  }
  const diagnostics = diagnosticsOf(report);
  return manifest === undefined ? { diagnostics, complete: true } : { manifest, diagnostics, complete: true };
}
