import { expect, test } from "vitest";
import { parseSkill } from "./parse-skill.ts";

function parse(header: string) {
  return parseSkill(`---\n${header}\n---\nB`, { folder: "kiln" });
}

function described(value: string) {
  return parse(`name: kiln\ndescription: ${value}\nlicense: MIT`);
}

test.each([
  ["a colon", "Kiln notes: ratios and water", "Kiln notes: ratios and water"],
  ["a colon at the end", "Use it for:", "Use it for:"],
  ["a colon and a comment sign", "Post: to #room", "Post: to #room"],
  ["a leading bracket", "[draft] tidy notes", "[draft] tidy notes"],
  ["brackets inside brackets", "[ray[data], arrow]", "[ray[data], arrow]"],
  ["a leading brace", "{name} greets", "{name} greets"],
  ["a leading asterisk", "*bold* claims", "*bold* claims"],
  ["an asterisk alone", "*", "*"],
  ["a word after an asterisk", "*anything", "*anything"],
  ["a leading at sign", "@team notes", "@team notes"],
  ["a leading backtick", "`tool` runs", "`tool` runs"],
  ["a leading percent sign", "%TEMP% cleaner", "%TEMP% cleaner"],
  ["a leading comma", ", then stop", ", then stop"],
  ["a lone ampersand", "& co", "& co"],
  ["what looks like a tag", "!important do it", "!important do it"],
  ["an exclamation mark alone", "!", "!"],
  ["an exclamation mark and a blank", "! do it", "! do it"],
  ["a greater sign", "> 5 pots", "> 5 pots"],
  ["a bar", "| x", "| x"],
  ["text behind a quotation", '"x" y', '"x" y'],
  ["two quotations", '"x" and "y"', '"x" and "y"'],
  ["quotes within quotes", '"Use for "chat" and lists."', 'Use for "chat" and lists.'],
  ["escaped and plain quotes", '"a \\"b\\" "c" d"', 'a "b" "c" d'],
  ["an apostrophe within single quotes", "'it's'", "it's"],
  ["a quotation that never ends", '"never closed', "never closed"],
  ["a text behind a list", "[a] [b]", "[a] [b]"],
  ["an emphasis behind a colon", "Use when: *now*", "Use when: *now*"],
  ["an anchor behind a colon", "Q&A: &more", "Q&A: &more"],
  ["further lines", "First line\n  that goes on: and on\n  to the end", "First line that goes on: and on to the end"],
  ["an empty line between", "One: two\n\n  three", "One: two\nthree"],
  ["an unindented line", "One\ntwo three", "One two three"],
  ["quoted lines without indent", '"first\nsecond"', "first second"],
  ["a dash at the beginning", "- one", "- one"],
])("reads as text: %s", (_, value, description) => {
  const { manifest, diagnostics } = described(value);
  expect(manifest).toMatchObject({ description, license: "MIT", repaired: true });
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "value-repaired", line: 3, column: 14 }]);
  expect(diagnostics[0]?.hint).toContain("double quotes");
});

test.each([
  ["an anchor", "&note Kiln", "yaml-anchor"],
  ["a tag before a quotation", "!!js/function 'f()'", "yaml-tag"],
  ["a tag of YAML", "!!str 5", "yaml-tag"],
  ["a verbatim tag", "!<tag:x,2000:y> z", "yaml-tag"],
  ["a tag before a list", "!set [a]", "yaml-tag"],
  ["an alias in a list", "[*a, b]", "yaml-alias"],
])("refuses %s", (_, value, code) => {
  const { manifest, diagnostics } = described(value);
  expect(manifest).toBeUndefined();
  expect(diagnostics).toMatchObject([{ severity: "error", code, line: 3 }]);
});

test("an alias is no text where its anchor stands", () => {
  expect(parse("name: kiln\ndescription: *a\nnotes: &a x").diagnostics).toMatchObject([{ code: "yaml-anchor", line: 4 }]);
});

test.each([
  ["a blank after the colon is missing", 'name: kiln\ndescription:"Fires pots"', { description: "Fires pots" }, "value-repaired", 3],
  [
    "a list beside its key",
    "name: kiln\ndescription: d\nallowed-tools: - Read\n  - Write",
    { allowedTools: ["Read", "Write"] },
    "value-repaired",
    4,
  ],
  [
    "tabs before a mapping",
    "name: kiln\ndescription: d\nmetadata:\n\tauthor: ann",
    { metadata: { author: "ann" } },
    "indentation-repaired",
    5,
  ],
  [
    "a colon below metadata",
    "name: kiln\ndescription: d\nmetadata:\n  note: a: b\n  v: 1.10",
    { metadata: { note: "a: b", v: "1.10" } },
    "value-repaired",
    5,
  ],
  [
    "tabs and a colon below metadata",
    "name: kiln\ndescription: d\nmetadata:\n\tnote: a: b",
    { metadata: { note: "a: b" } },
    "value-repaired",
    5,
  ],
  ["an indented key", "name: kiln\n  description: d", { description: "d" }, "indentation-repaired", 3],
  [
    "a key indented by a tab",
    "name: kiln\n\tdescription: d\n\tlicense: MIT",
    { description: "d", license: "MIT" },
    "indentation-repaired",
    3,
  ],
  [
    "a block that begins deeper than it goes on",
    "name: kiln\ndescription: |\n    four\n  two",
    { description: "  four\ntwo\n" },
    "indentation-repaired",
    3,
  ],
  ["a line without a key", "name: kiln\nstray words\ndescription: d", { name: "kiln", description: "d" }, "line-ignored", 3],
  ["a line without a key at the top", "stray words\nname: kiln\ndescription: d", { name: "kiln", description: "d" }, "line-ignored", 2],
])("repairs %s", (_, header, expected, code, line) => {
  const { manifest, diagnostics } = parse(header);
  expect(manifest).toMatchObject({ ...expected, repaired: true });
  expect(diagnostics[0]).toMatchObject({ severity: "warning", code, line });
});

test("each fault is reported with its own line", () => {
  const { diagnostics } = parse("name: kiln\ndescription: a: b\nlicense: MIT: no\nauthor: [x] y");
  expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
    ["value-repaired", 3],
    ["value-repaired", 4],
    ["value-repaired", 5],
  ]);
});

test("a header of faults is refused with the first of them, not repaired line by line", () => {
  const { manifest, diagnostics } = parse(`description: d\nname: kiln\n${"stray\n".repeat(51)}`);
  expect(manifest).toBeUndefined();
  expect(diagnostics).toHaveLength(1);
});

test("a repair drops no other field", () => {
  const { manifest } = parse("name: kiln\ndescription: Peek at books: read only\nallowed-tools: Read\nmetadata:\n  a: b");
  expect(manifest).toMatchObject({ allowedTools: ["Read"], metadata: { a: "b" } });
});

test.each([
  [
    "marks of a merge conflict",
    "name: kiln\n<<<<<<< ours\ndescription: a\n=======\ndescription: b\n>>>>>>> theirs",
    "yaml-invalid",
    "merge conflict",
  ],
  [
    "a text at the margin behind a block",
    "name: kiln\ndescription: |\n  top\nnot part of it\nlicense: MIT",
    "yaml-invalid",
    "double quotes",
  ],
  ["a key twice", "name: kiln\ndescription: a\ndescription: b", "key-duplicate", "Keep one"],
  ["a key twice below another", "name: kiln\ndescription: a\nmetadata:\n  v: 1\n  v: 2", "key-duplicate", "Keep one"],
  ["a list as the frontmatter", "- name\n- description", "frontmatter-not-mapping", "key: value"],
  ["a text as the frontmatter", "just words", "frontmatter-not-mapping", "key: value"],
  ["nothing", "", "frontmatter-not-mapping", "key: value"],
  ["a comment alone", "# nothing", "frontmatter-not-mapping", "key: value"],
  ["a list as a key", "name: kiln\n? [a, b]\n: c", "key-invalid", "plain text"],
  ["__proto__", "name: kiln\ndescription: d\n__proto__:\n  admin: true", "key-forbidden", "Rename"],
  ["__proto__ further down", "name: kiln\ndescription: d\nmetadata: { __proto__: { admin: true } }", "key-forbidden", "Rename"],
])("refuses %s and says what to do", (_, header, code, hint) => {
  const { manifest, diagnostics } = parse(header);
  expect(manifest).toBeUndefined();
  expect(diagnostics).toMatchObject([{ severity: "error", code }]);
  expect(diagnostics[0]?.line).toBeGreaterThan(1);
  expect(diagnostics[0]?.hint).toContain(hint);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test.each([
  ["brackets", `a: ${"[".repeat(60_000)}`],
  ["braces", `a: ${"{".repeat(60_000)}`],
  ["dashes", `a:\n ${"- ".repeat(30_000)}`],
  ["question marks", "? ".repeat(30_000)],
  ["mappings", `${"a: ".repeat(20_000)}`],
  ["anchors", `a: ${"&a ".repeat(20_000)}`],
  ["tags", `a: ${"!a ".repeat(20_000)}`],
  ["aliases", `a: [${"*a,".repeat(20_000)}]`],
  ["quotes", `a: ${"'\n ".repeat(20_000)}`],
  ["commas", `a: [${",".repeat(60_000)}]`],
  ["keys", Array.from({ length: 8_000 }, (_, index) => `k${index}:`).join("\n")],
  ["faulty keys", Array.from({ length: 6_000 }, (_, index) => `k${index}: a: b`).join("\n")],
  ["lines without a key", "stray\n".repeat(10_000)],
  ["question marks in brackets", `a: [${"? ".repeat(30_000)}`],
  ["question marks in braces", `a: {${"? ".repeat(4_000)}}`],
  ["pairs in brackets", `a: [${"a: ".repeat(3_000)}]`],
  ["deep lines", Array.from({ length: 340 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")],
  ["an alias bomb", "a: &a [z,z,z,z]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]"],
])("ends quickly on a header of %s", (_, header) => {
  const { manifest, diagnostics } = parse(header);
  expect(manifest).toBeUndefined();
  expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
});

test.each([
  ["digits", `name: ${"1".repeat(50_000)}x\ndescription: d`],
  ["a number", `name: ${"1".repeat(50_000)}\ndescription: d`],
  ["blanks", `name: kiln${" ".repeat(50_000)}x\ndescription: d`],
  ["quotes", `name: kiln\ndescription: '${"''".repeat(25_000)}'`],
  ["escapes", `name: kiln\ndescription: "x${"\\n".repeat(25_000)}"`],
  ["colons", `name: kiln\ndescription: ${"a:b".repeat(15_000)}`],
  ["further lines", `name: kiln\ndescription: d\n${"  e\n".repeat(12_000)}`],
  ["empty lines", `name: kiln\ndescription: >\n${"  e\n\n".repeat(10_000)}`],
  ["items", `name: kiln\ndescription: d\ntags: [${"a, ".repeat(9_000)}b]`],
  ["item lines", `name: kiln\ndescription: d\ntags:\n${"- a\n".repeat(12_000)}`],
  ["a colon in a long text", `name: kiln\ndescription: a: ${"b ".repeat(25_000)}`],
])("reads quickly a header of %s", (_, header) => {
  expect(parse(header).manifest).toBeDefined();
});
