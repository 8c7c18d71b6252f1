import type { Severity } from "../core/index.ts";

/** What is known of one diagnostic code, for documentation, `--explain` and SARIF rules. */
export interface FormatRule {
  /** As it is under lenient reading; strict reading makes errors of all warnings of the format. */
  readonly severity: Severity;
  /** Whether the format asks for it, so that strict reading excludes, or it is advice. */
  readonly kind: "format" | "lint";
  readonly meaning: string;
  readonly fix: string;
}

/** Every code that reading, validating and linting a SKILL.md can report. */
export type FormatCode =
  | "encoding-invalid"
  | "frontmatter-missing"
  | "frontmatter-unclosed"
  | "frontmatter-language"
  | "frontmatter-too-large"
  | "frontmatter-too-complex"
  | "frontmatter-not-mapping"
  | "yaml-invalid"
  | "yaml-anchor"
  | "yaml-alias"
  | "yaml-tag"
  | "key-duplicate"
  | "key-forbidden"
  | "key-invalid"
  | "name-missing"
  | "name-invalid"
  | "name-too-long"
  | "name-folder-mismatch"
  | "description-missing"
  | "description-too-long"
  | "compatibility-too-long"
  | "value-not-text"
  | "value-repaired"
  | "indentation-repaired"
  | "line-ignored"
  | "blank-before-frontmatter"
  | "metadata-invalid"
  | "allowed-tools-invalid"
  | "key-misspelt"
  | "text-cut-by-comment"
  | "key-unknown"
  | "description-without-when"
  | "body-empty"
  | "body-too-long"
  | "file-missing"
  | "path-outside-skill"
  | "path-absolute"
  | "script-without-interpreter"
  | "script-crlf";

const table: Readonly<Record<FormatCode, readonly [Severity, FormatRule["kind"], string, string]>> = {
  "encoding-invalid": ["error", "format", "The file is not UTF-8.", "Save it as UTF-8."],
  "frontmatter-missing": [
    "error",
    "format",
    "The file does not begin with a `---` line.",
    "Put `---`, the fields and `---` before the text.",
  ],
  "frontmatter-unclosed": [
    "error",
    "format",
    "No line `---` closes the frontmatter.",
    "Add a line that holds only `---` behind the last field.",
  ],
  "frontmatter-language": [
    "error",
    "format",
    "Something stands behind the opening `---`, such as a language.",
    "Leave only `---` on the first line; other languages are never run.",
  ],
  "frontmatter-too-large": [
    "error",
    "format",
    "The frontmatter is larger than the limit (64 KiB).",
    "Move data and long text into the body or a file of the skill.",
  ],
  "frontmatter-too-complex": [
    "error",
    "format",
    "The frontmatter nests too deeply or holds too many values.",
    "Move the data to a file of the skill.",
  ],
  "frontmatter-not-mapping": ["error", "format", "The frontmatter is not a list of `key: value` lines.", "Write one `key: value` a line."],
  "yaml-invalid": [
    "error",
    "format",
    "The frontmatter is not YAML and could not be repaired.",
    "Put the value of the named line in double quotes.",
  ],
  "yaml-anchor": ["error", "format", "An anchor (`&name`) stands in the frontmatter.", "Quote the value, or write it out."],
  "yaml-alias": ["error", "format", "An alias (`*name`) stands in the frontmatter.", "Quote the value, or write it out."],
  "yaml-tag": ["error", "format", "A tag (`!name`) stands in the frontmatter.", "Quote the value."],
  "key-duplicate": ["error", "format", "A key stands twice.", "Keep one of the two."],
  "key-forbidden": ["error", "format", "The key `__proto__` is not allowed.", "Rename the key."],
  "key-invalid": ["error", "format", "A key is a list or a mapping.", "Use a plain text as the key."],
  "name-missing": [
    "warning",
    "format",
    "There is no `name`; the folder's name is used. An error where there is no folder.",
    "Add `name:` with the folder's name.",
  ],
  "name-invalid": [
    "warning",
    "format",
    "The name is not lower-case words joined by single hyphens.",
    "Use lower-case letters, digits and single hyphens.",
  ],
  "name-too-long": ["warning", "format", "The name has more than 64 characters.", "Shorten it."],
  "name-folder-mismatch": ["warning", "format", "The name differs from the folder's name.", "Give both the same name."],
  "description-missing": [
    "error",
    "format",
    "There is no description, so no model could choose the skill.",
    "Add `description:` that says what the skill does and when to use it.",
  ],
  "description-too-long": [
    "warning",
    "format",
    "The description has more than 1,024 characters.",
    "Shorten it; details belong in the body.",
  ],
  "compatibility-too-long": ["warning", "format", "`compatibility` has more than 500 characters.", "Shorten it."],
  "value-not-text": [
    "warning",
    "format",
    "A field that must be text is written as a number, a boolean, a list or a mapping.",
    "Put the value in double quotes.",
  ],
  "value-repaired": [
    "warning",
    "format",
    "The value is not valid YAML, or would be misread, and was taken as text.",
    "Put the value in double quotes.",
  ],
  "indentation-repaired": [
    "warning",
    "format",
    "Lines are indented by tabs or stand at the wrong depth; they were read as meant.",
    "Indent with spaces, and begin top-level keys at the start of the line.",
  ],
  "line-ignored": [
    "warning",
    "format",
    "A line of the frontmatter has no key and was left out.",
    "Remove it, or indent it under the key it belongs to.",
  ],
  "blank-before-frontmatter": [
    "warning",
    "format",
    "Blank lines stand before the opening `---`.",
    "Remove them; other clients do not see the frontmatter.",
  ],
  "metadata-invalid": ["warning", "format", "`metadata` is not a mapping.", "Write `metadata:` and indented `key: value` lines."],
  "allowed-tools-invalid": [
    "warning",
    "format",
    "`allowed-tools` is neither text nor a list of texts.",
    "Write the tools' names on one line, separated by spaces.",
  ],
  "key-misspelt": ["warning", "lint", "A key is a near miss of a known one.", "Use the spelling that the message gives."],
  "text-cut-by-comment": ["warning", "lint", "Text behind ` #` is a comment for YAML and was dropped.", "Put the value in double quotes."],
  "key-unknown": [
    "info",
    "lint",
    "Keys that agentskills.io does not define; other clients may refuse them.",
    "Move them under `metadata`.",
  ],
  "description-without-when": [
    "warning",
    "lint",
    "The description does not say when to use the skill.",
    "Add a sentence such as `Use when the user asks for …`.",
  ],
  "body-empty": ["warning", "lint", "Nothing stands below the frontmatter.", "Write the instructions."],
  "body-too-long": [
    "warning",
    "lint",
    "The body has more than 500 lines or 5,000 tokens.",
    "Move details to files that the body names, to be read when they are needed.",
  ],
  "file-missing": ["warning", "lint", "The body names a file that the skill does not have.", "Correct the path, or add the file."],
  "path-outside-skill": [
    "warning",
    "lint",
    "The body names a file outside the skill's folder.",
    "Copy the file into the skill; nothing outside is readable.",
  ],
  "path-absolute": ["warning", "lint", "The body names a place that only one machine has.", "Write paths relative to the skill's folder."],
  "script-without-interpreter": [
    "warning",
    "lint",
    "Nothing says what runs a script: no known extension and no `#!` line.",
    "Begin it with a line such as `#!/usr/bin/env python3`.",
  ],
  "script-crlf": [
    "warning",
    "lint",
    "The `#!` line ends in a carriage return, which becomes part of the interpreter's name.",
    "Save the script with LF line ends.",
  ],
};

/** The rules behind the codes. */
export const formatRules: { readonly [code in FormatCode]: FormatRule } = Object.freeze(
  Object.fromEntries(Object.entries(table).map(([code, [severity, kind, meaning, fix]]) => [code, { severity, kind, meaning, fix }])),
) as { readonly [code in FormatCode]: FormatRule };
