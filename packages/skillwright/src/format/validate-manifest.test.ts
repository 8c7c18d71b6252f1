import { expect, test } from "vitest";
import type { ReadingRules } from "../core/index.ts";
import { parseSkill } from "./parse-skill.ts";
import { validateManifest } from "./validate-manifest.ts";

const codes = (
  manifest: { name: string; description: string; compatibility?: string },
  rules: Partial<ReadingRules> = {},
  folder?: string,
) => validateManifest(manifest, { rules, ...(folder === undefined ? {} : { folder }) }).map(({ code }) => code);

test.each([
  "a",
  "kiln",
  "kiln-notes",
  "skill1",
  "2-pots",
  "404",
  "a".repeat(64),
  "café-notes",
  "潮汐笔记",
  "ключ-1",
  "हिन्दी",
  "cafe\u0301",
])("accepts the name %s", (name) => {
  expect(codes({ name, description: "d" })).toEqual([]);
});

test.each([
  ["Kiln", "upper-case"],
  ["kiln_notes", "more than"],
  ["-kiln", "begins or ends"],
  ["kiln-", "begins or ends"],
  ["kiln--notes", "twice in a row"],
  ["kiln notes", "more than"],
  ["kiln\n", "more than"],
  ["kiln/notes", "more than"],
  ["../kiln", "more than"],
  ["kiln.notes", "more than"],
  ["kiln&co", "more than"],
  ["ÉTÉ", "upper-case"],
  ["😀", "more than"],
])("warns of the name %j", (name, why) => {
  const diagnostics = validateManifest({ name, description: "d" });
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "name-invalid" }]);
  expect(diagnostics[0]?.message).toContain(why);
});

test.each([
  ["kiln_notes", []],
  ["kiln-notes", []],
  ["kiln", []],
  ["kiln_notes-2", ["name-invalid"]],
  ["_kiln", ["name-invalid"]],
  ["kiln__notes", ["name-invalid"]],
  ["Kiln_notes", ["name-invalid"]],
])("with snake case allowed, %s gives %j", (name, expected) => {
  expect(codes({ name, description: "d" }, { nameStyle: "kebab-or-snake" })).toEqual(expected);
});

test.each([
  ["name at the limit", { name: "a".repeat(64), description: "d" }, []],
  ["name over it", { name: "a".repeat(65), description: "d" }, ["name-too-long"]],
  ["name of 64 characters outside the basic plane", { name: "𐐨".repeat(64), description: "d" }, []],
  ["description at the limit", { name: "a", description: "d".repeat(1024) }, []],
  ["description over it", { name: "a", description: "d".repeat(1025) }, ["description-too-long"]],
  ["description of 1,024 emoji", { name: "a", description: "😀".repeat(1024) }, []],
  ["description that grows in NFKC", { name: "a", description: "\ufdfa".repeat(57) }, ["description-too-long"]],
  ["description that shrinks in NFKC", { name: "a", description: "e\u0301".repeat(1024) }, []],
  ["compatibility at the limit", { name: "a", description: "d", compatibility: "c".repeat(500) }, []],
  ["compatibility over it", { name: "a", description: "d", compatibility: "c".repeat(501) }, ["compatibility-too-long"]],
  ["blank description", { name: "a", description: " \n" }, ["description-missing"]],
  ["blank name", { name: " ", description: "d" }, ["name-missing"]],
])("counts characters after NFKC: %s", (_, manifest, expected) => {
  expect(codes(manifest)).toEqual(expected);
});

test("compares the folder's name in NFC", () => {
  expect(codes({ name: "caf\u00e9", description: "d" }, {}, "cafe\u0301")).toEqual([]);
  expect(codes({ name: "acme-moss", description: "d" }, {}, "moss")).toEqual(["name-folder-mismatch"]);
});

test.each([
  ["a sound skill", "name: moss\ndescription: d", true],
  ["another folder", "name: acme-moss\ndescription: d", false],
  ["a name with upper case", "name: Moss\ndescription: d", false],
  ["a name that is a number", "name: 404\ndescription: d", false],
  ["no name", "description: d", false],
  ["a long description", `name: moss\ndescription: ${"d".repeat(1025)}`, false],
  ["a repaired value", "name: moss\ndescription: a: b", false],
  ["metadata without a value", "name: moss\ndescription: d\nmetadata:", false],
  ["unknown keys", "name: moss\ndescription: d\nversion: 1", true],
  ["a misspelt key", "name: moss\ndescription: d\nallowedTools: Read", true],
  ["text cut by a comment", "name: moss\ndescription: d # e", true],
  ["typed metadata", "name: moss\ndescription: d\nmetadata:\n  tools: [a, b]\n  on: true", true],
])("strict reading of %s", (_, header, loads) => {
  const text = `---\n${header}\n---\n`;
  const strict = parseSkill(text, { folder: "moss", rules: { strict: true } });
  expect(strict.manifest !== undefined).toBe(loads);
  expect(strict.diagnostics.some(({ severity }) => severity === "error")).toBe(!loads);
  expect(parseSkill(text, { folder: "moss" }).manifest).toBeDefined();
});
