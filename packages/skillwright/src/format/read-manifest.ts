import { type JsonValue, nearestNames, type ReadingRules } from "../core/index.ts";
import { splitToolNames } from "./allowed-tools.ts";
import { createRecord, type HeaderEntry, misreadingOf, toJsonValue, toRecord, typedScalar } from "./header-value.ts";
import { canonicalKey } from "./key-spelling.ts";
import type { Manifest } from "./manifest.ts";
import { addDiagnostic, type Report } from "./report.ts";
import { checkCompatibility, checkDescription, checkName } from "./validate-manifest.ts";

const nothing: { readonly [key: string]: never } = Object.freeze(createRecord<never>());
const noTools: readonly string[] = Object.freeze([]);

/** What {@link readManifest} needs to know beside the entries. */
export interface ReadingOptions {
  readonly folder: string | undefined;
  readonly rules: ReadingRules;
  /** The line of the opening fence: where something is missing. */
  readonly topLine: number;
  readonly repaired: boolean;
  /** Whether all of the header is ASCII, so that lengths need no counting. */
  readonly isAscii: boolean;
}

/** Makes a manifest of the entries of a header and reports what is wrong with them. */
export function readManifest(entries: readonly HeaderEntry[], report: Report, options: ReadingOptions): Manifest {
  const { folder, rules, isAscii } = options;
  const fields = sortEntries(entries, report);
  const written = readText(fields.name, report).trim();
  if (written !== "") checkName(report, written, folder, rules, fields.name);
  const name = written !== "" && rules.nameFrom !== "folder" ? written : nameFromFolder(written, fields.name, report, options);
  const description = readText(fields.description, report);
  const [nearest] = description === "" && fields.extra !== undefined ? nearestNames("description", Object.keys(fields.extra), 1) : [];
  checkDescription(report, description, rules, fields.description ?? { line: options.topLine, column: 1 }, isAscii, nearest);
  const { metadata, metadataText } = readMetadata(fields.metadata, report);

  const manifest: { -readonly [field in keyof Manifest]: Manifest[field] } = {
    name,
    description,
    allowedTools: readTools(fields.allowedTools, report),
    metadata,
    metadataText,
    extra: fields.extra ?? nothing,
    repaired: options.repaired,
  };
  const license = readText(fields.license, report);
  if (license !== "") manifest.license = license;
  const compatibility = readText(fields.compatibility, report);
  if (compatibility !== "") {
    manifest.compatibility = compatibility;
    checkCompatibility(report, compatibility, fields.compatibility, isAscii);
  }
  return manifest;
}

interface Fields {
  name: HeaderEntry | undefined;
  description: HeaderEntry | undefined;
  license: HeaderEntry | undefined;
  compatibility: HeaderEntry | undefined;
  metadata: HeaderEntry | undefined;
  allowedTools: HeaderEntry | undefined;
  extra: { [key: string]: JsonValue } | undefined;
}

function sortEntries(entries: readonly HeaderEntry[], report: Report): Fields {
  const fields: Fields = {
    name: undefined,
    description: undefined,
    license: undefined,
    compatibility: undefined,
    metadata: undefined,
    allowedTools: undefined,
    extra: undefined,
  };
  let misspelt: HeaderEntry | undefined;
  for (const entry of entries) {
    if (entry.cut) reportCut(report, entry);
    switch (entry.key) {
      case "name":
      case "description":
      case "license":
      case "compatibility":
      case "metadata":
        fields[entry.key] = entry;
        if (isMisshapen(entry)) keepExtra(fields, entry);
        break;
      case "allowed-tools":
        fields.allowedTools = entry;
        break;
      default: {
        keepExtra(fields, entry);
        const right = canonicalKey(entry.key);
        if (right === undefined) break;
        if (right === "allowed-tools") misspelt = entry;
        const message = `The key \`${entry.key}\` should be \`${right}\`.`;
        addDiagnostic(report, "key-misspelt", message, { line: entry.line, column: 1 }, { hint: `Rename it to \`${right}\`.` });
      }
    }
  }
  // Limits that an author wrote are kept, however they are spelt.
  fields.allowedTools ??= misspelt;
  return fields;
}

function keepExtra(fields: Fields, entry: HeaderEntry): void {
  fields.extra ??= createRecord<JsonValue>();
  fields.extra[entry.key] = toJsonValue(entry.value);
}

/** Whether a field of the specification has a value that its place in the manifest cannot hold. */
function isMisshapen({ key, value }: HeaderEntry): boolean {
  if (key !== "metadata") return value.kind !== "scalar";
  return value.kind === "list" || (value.kind === "scalar" && toJsonValue(value) !== null);
}

function nameFromFolder(written: string, entry: HeaderEntry | undefined, report: Report, options: ReadingOptions): string {
  const { folder, rules } = options;
  if (rules.nameFrom === "folder" && folder !== undefined) return folder;
  if (written !== "") return written;
  const place = entry ?? { line: options.topLine, column: 1 };
  if (folder === undefined) addDiagnostic(report, "name-missing", "The skill has no name.", place, { severity: "error" });
  else addDiagnostic(report, "name-missing", `The skill has no name; the folder's name ${JSON.stringify(folder)} is used.`, place);
  return folder ?? "";
}

/** A field that must be text; "" where it is absent, empty or YAML's null. */
function readText(entry: HeaderEntry | undefined, report: Report): string {
  if (entry === undefined) return "";
  const { value } = entry;
  if (value.kind !== "scalar") {
    addDiagnostic(report, "value-not-text", `\`${entry.key}\` is a ${value.kind === "map" ? "mapping" : "list"} and must be text.`, entry);
    return value.source ?? "";
  }
  if (!value.plain) return value.text;
  const kind = misreadingOf(value.text);
  if (kind === "nothing") return "";
  if (kind !== undefined) {
    const message = `YAML readers take \`${entry.key}\` for a ${kind}; it was read as the text ${JSON.stringify(value.text)}.`;
    addDiagnostic(report, "value-not-text", message, entry);
  }
  return value.text;
}

function readTools(entry: HeaderEntry | undefined, report: Report): readonly string[] {
  if (entry === undefined) return noTools;
  const { value } = entry;
  if (value.kind === "scalar") return value.plain && typedScalar(value.text) === null ? noTools : splitToolNames(value.text);
  if (value.kind === "list") {
    const tools: string[] = [];
    for (const item of value.items) {
      if (item.kind === "scalar") tools.push(item.text.trim());
      else addDiagnostic(report, "allowed-tools-invalid", `\`${entry.key}\` holds something that is not a text.`, entry);
    }
    return tools;
  }
  addDiagnostic(report, "allowed-tools-invalid", `\`${entry.key}\` is a mapping.`, entry);
  return noTools;
}

function readMetadata(entry: HeaderEntry | undefined, report: Report): Pick<Manifest, "metadata" | "metadataText"> {
  if (entry === undefined) return { metadata: nothing, metadataText: nothing };
  if (entry.value.kind !== "map") {
    addDiagnostic(report, "metadata-invalid", "`metadata` is not a mapping.", entry);
    return { metadata: nothing, metadataText: nothing };
  }
  const metadataText = createRecord<string>();
  for (const field of entry.value.entries) {
    if (field.value.kind === "scalar") metadataText[field.key] = field.value.text;
    if (field.cut) reportCut(report, field);
  }
  return { metadata: toRecord(entry.value.entries), metadataText };
}

function reportCut(report: Report, entry: HeaderEntry): void {
  const message = `What stands behind \` #\` in \`${entry.key}\` is a comment to YAML and was dropped.`;
  addDiagnostic(report, "text-cut-by-comment", message, entry);
}
