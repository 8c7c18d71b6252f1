import type { JsonValue, ReadingRules } from "../core/index.ts";
import { splitToolNames } from "./allowed-tools.ts";
import { type HeaderEntry, toJsonValue, toRecord, typedScalar } from "./header-value.ts";
import { canonicalKey } from "./key-spelling.ts";
import type { Manifest } from "./manifest.ts";
import { addDiagnostic, type Place, type Report } from "./report.ts";
import { checkCompatibility, checkDescription, checkName } from "./validate-manifest.ts";

const nothing: { readonly [key: string]: never } = Object.freeze(Object.create(null));
const noTools: readonly string[] = Object.freeze([]);

/** Makes a manifest of the fields of a header and reports what is wrong with them. */
export function readManifest(
  entries: readonly HeaderEntry[],
  report: Report,
  options: { readonly folder: string | undefined; readonly rules: ReadingRules; readonly top: Place; readonly repaired: boolean },
): Manifest {
  const { folder, rules, top } = options;
  let name: HeaderEntry | undefined;
  let description: HeaderEntry | undefined;
  let license: HeaderEntry | undefined;
  let compatibility: HeaderEntry | undefined;
  let metadata: HeaderEntry | undefined;
  let allowedTools: HeaderEntry | undefined;
  let extra: { [key: string]: JsonValue } | undefined;

  for (const entry of entries) {
    switch (entry.key) {
      case "name":
        name = entry;
        break;
      case "description":
        description = entry;
        break;
      case "license":
        license = entry;
        break;
      case "compatibility":
        compatibility = entry;
        break;
      case "metadata":
        metadata = entry;
        break;
      case "allowed-tools":
        allowedTools = entry;
        break;
      default:
        extra ??= Object.create(null) as { [key: string]: JsonValue };
        extra[entry.key] = toJsonValue(entry.value);
    }
  }
  for (const entry of entries) {
    if (entry.cut)
      addDiagnostic(
        report,
        "text-cut-by-comment",
        `The text of \`${entry.key}\` behind \` #\` is a comment to YAML and was dropped.`,
        entry,
      );
  }
  if (extra !== undefined) {
    for (const entry of entries) {
      const right = canonicalKey(entry.key);
      if (right === undefined) continue;
      addDiagnostic(
        report,
        "key-misspelt",
        `The key \`${entry.key}\` should be \`${right}\`.`,
        { line: entry.line, column: 1 },
        { hint: `Rename it to \`${right}\`.` },
      );
      if (right === "allowed-tools") allowedTools ??= entry;
    }
  }

  const written = readText(name, report).trim();
  let chosen = written;
  if (rules.nameFrom === "folder" && folder !== undefined) chosen = folder;
  else if (written === "") {
    chosen = folder ?? "";
    if (folder === undefined) addDiagnostic(report, "name-missing", "The skill has no name.", placeOf(name) ?? top, { severity: "error" });
    else
      addDiagnostic(
        report,
        "name-missing",
        `The skill has no name; the folder's name ${JSON.stringify(folder)} is used.`,
        placeOf(name) ?? top,
      );
  }
  if (written !== "") checkName(report, written, folder, rules, placeOf(name));

  const descriptionText = readText(description, report);
  checkDescription(report, descriptionText, rules, placeOf(description) ?? top);
  const compatibilityText = readText(compatibility, report);
  if (compatibilityText !== "") checkCompatibility(report, compatibilityText, placeOf(compatibility));
  const licenseText = readText(license, report);

  return {
    name: chosen,
    description: descriptionText,
    ...(licenseText === "" ? {} : { license: licenseText }),
    ...(compatibilityText === "" ? {} : { compatibility: compatibilityText }),
    allowedTools: readTools(allowedTools, report),
    ...readMetadata(metadata, report),
    extra: extra ?? nothing,
    repaired: options.repaired,
  };
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
  const typed = typedScalar(value.text);
  if (typed === null) return "";
  if (typeof typed !== "string") {
    addDiagnostic(
      report,
      "value-not-text",
      `\`${entry.key}\` is a ${typeof typed} to YAML; it was read as the text ${JSON.stringify(value.text)}.`,
      entry,
    );
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
  const metadataText: { [key: string]: string } = Object.create(null);
  for (const { key, value } of entry.value.entries) if (value.kind === "scalar") metadataText[key] = value.text;
  return { metadata: toRecord(entry.value.entries), metadataText };
}

function placeOf(entry: HeaderEntry | undefined): Place | undefined {
  return entry && { line: entry.line, column: entry.column };
}
