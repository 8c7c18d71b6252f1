import { lintSkill, type Manifest, type ParsedSkill, parseSkill, type ReadingRules } from "skillwright";
import { describe, expect, test } from "vitest";

const encoder = new TextEncoder();

/** One report from the field: a SKILL.md that other loaders lose or misread. */
interface Report {
  readonly name: string;
  readonly text: string | Uint8Array;
  readonly folder?: string;
  readonly rules?: Partial<ReadingRules>;
  /** What of the manifest must be so; undefined where the skill is refused. */
  readonly manifest?: Partial<Manifest>;
  readonly body?: string;
  /** Code and line of every diagnostic, in any order. */
  readonly says?: readonly (readonly [code: string, line: number])[];
}

function check({ text, folder, rules, manifest, body, says = [] }: Report): ParsedSkill {
  const parsed = parseSkill(text, { ...(folder === undefined ? {} : { folder }), ...(rules === undefined ? {} : { rules }) });
  if (manifest === undefined) expect(parsed.manifest).toBeUndefined();
  else expect(parsed.manifest).toMatchObject(manifest);
  if (body !== undefined) expect(parsed.body).toBe(body);
  expect(parsed.diagnostics.map(({ code, line }) => [code, line]).sort()).toEqual(says.map((pair) => [...pair]).sort());
  for (const { message, hint } of parsed.diagnostics) {
    expect(message).toMatch(/\.$/);
    expect(hint).toMatch(/\S/);
  }
  return parsed;
}

const frontmatter: readonly Report[] = [
  {
    name: "a colon in an unquoted description does not make the skill vanish",
    text: "---\nname: tea-notes\ndescription: Tea notes: leaves and water\n---\nBoil first.",
    manifest: { name: "tea-notes", description: "Tea notes: leaves and water", repaired: true },
    body: "Boil first.",
    says: [["value-repaired", 3]],
  },
  {
    name: "a repaired description costs the skill none of its limits",
    text: "---\nname: vault-look\ndescription: Look at vaults: hands off\nallowed-tools: Read\n---\nNever touch.",
    manifest: { description: "Look at vaults: hands off", allowedTools: ["Read"] },
    says: [["value-repaired", 3]],
  },
  {
    name: "what stands behind a blank and a hash is a comment, and the author is told",
    text: "---\nname: oven-post\ndescription: Post oven logs to #oven-room when cool\n---\nx",
    manifest: { description: "Post oven logs to" },
    says: [["text-cut-by-comment", 3]],
  },
  {
    name: "a literal block is its lines, not a bar",
    text: "---\nname: oven\ndescription: |\n  Reads oven logs.\n  Use when: a pot cracks.\n---\nx",
    manifest: { description: "Reads oven logs.\nUse when: a pot cracks.\n" },
  },
  {
    name: "a folded block is one line, with or without its last line break",
    text: "---\nname: oven\ndescription: >-\n  Reads oven logs\n  and pots.\nlicense: >\n  MIT\n---\nx",
    manifest: { description: "Reads oven logs and pots.", license: "MIT\n" },
  },
  {
    name: "a line of a block that looks like a key is text",
    text: "---\nname: oven\ndescription: |\n  USE FOR: oven logs\n  NEVER USE FOR: bread\n---\nx",
    manifest: { description: "USE FOR: oven logs\nNEVER USE FOR: bread\n", extra: {} },
  },
  {
    name: "three dashes inside a value close nothing",
    text: "---\nname: sign-book\ndescription: Cut parts with --- signs\nlicense: MIT\n---\nB",
    manifest: { description: "Cut parts with --- signs", license: "MIT" },
    body: "B",
  },
  {
    name: "longer runs of dashes and dashes with text close nothing",
    text: "---\nname: sign-book\ndescription: |\n  top\n  ---- no fence\n  --- none either\n---\nB",
    manifest: { description: "top\n---- no fence\n--- none either\n" },
    body: "B",
  },
  {
    name: "indented dashes inside a block of metadata close nothing",
    text: "---\nname: sign-book\ndescription: d\nmetadata:\n  sample: |\n    a\n    ---\n    b\n---\nB",
    manifest: { metadata: { sample: "a\n---\nb\n" } },
    body: "B",
  },
  {
    name: "CRLF, and a closing fence at the end of the file",
    text: "---\r\nname: vole\r\ndescription: d\r\n---",
    manifest: { name: "vole", description: "d" },
    body: "",
    says: [["body-empty", 5]],
  },
  {
    name: "a name with a zero in front keeps it",
    text: "---\nname: 0451\ndescription: d\n---\nx",
    manifest: { name: "0451" },
    says: [["value-not-text", 2]],
  },
  {
    name: "a name that YAML takes for a number loads with a warning",
    text: "---\nname: 451\ndescription: d\n---\nx",
    manifest: { name: "451" },
    says: [["value-not-text", 2]],
  },
  {
    name: "a name that is null gives way to the folder",
    text: "---\nname: null\ndescription: d\n---\nx",
    folder: "vole",
    manifest: { name: "vole" },
    says: [["name-missing", 2]],
  },
  {
    name: "versions, dates and times stay as they were typed",
    text: "---\nname: vole\ndescription: d\nversion: 2.10\nmetadata:\n  version: 1.10\n  since: 2031-04-05\n  at: 12:30\n---\nx",
    manifest: {
      metadata: { version: "1.10", since: "2031-04-05", at: "12:30" },
      metadataText: { version: "1.10", since: "2031-04-05", at: "12:30" },
      extra: { version: "2.10" },
    },
  },
  { name: "a description without a value is missing", text: "---\nname: vole\ndescription:\n---\nx", says: [["description-missing", 3]] },
  { name: "a description of null is missing", text: "---\nname: vole\ndescription: null\n---\nx", says: [["description-missing", 3]] },
  { name: "a blank description is missing", text: '---\nname: vole\ndescription: "  "\n---\nx', says: [["description-missing", 3]] },
  { name: "an absent description is missing", text: "---\nname: vole\n---\nx", says: [["description-missing", 1]] },
  {
    name: "a description over the limit loads with a warning",
    text: `---\nname: vole\ndescription: ${"x".repeat(1100)}\n---\nx`,
    manifest: { description: "x".repeat(1100) },
    says: [["description-too-long", 3]],
  },
  {
    name: "a description over the limit is refused by strict reading",
    text: `---\nname: vole\ndescription: ${"x".repeat(1100)}\n---\nx`,
    rules: { strict: true },
    says: [["description-too-long", 3]],
  },
  {
    name: "a folded description counts after folding",
    text: `---\nname: vole\ndescription: >-\n${`  ${"x".repeat(101)}\n`.repeat(10)}---\nx`,
    rules: { strict: true },
    manifest: { name: "vole" },
  },
  { name: "an empty file", text: "", says: [["frontmatter-missing", 1]] },
  {
    name: "a header and nothing else",
    text: "---\nname: a\ndescription: d\n---",
    manifest: { name: "a" },
    body: "",
    says: [["body-empty", 5]],
  },
  { name: "a text without a header", text: "# just text", says: [["frontmatter-missing", 1]] },
  {
    name: "an alias bomb",
    text: "---\nname: x\ndescription: d\na: &a [z,z,z]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n---",
    says: [["yaml-anchor", 4]],
  },
  { name: "a header of megabytes", text: `---\nname: x\nnotes: ${"z".repeat(4_000_000)}\n---\nx`, says: [["frontmatter-too-large", 1]] },
  {
    name: "a header that nests without end",
    text: `---\nname: x\nnotes: ${"[".repeat(50_000)}\n---\nx`,
    says: [["frontmatter-too-complex", 3]],
  },
  { name: "a tag that would build an object", text: "---\nname: x\ndescription: d\nt: !!js/function 'f()'\n---", says: [["yaml-tag", 4]] },
  {
    name: "a key that reaches for prototypes",
    text: "---\nname: x\ndescription: d\n__proto__: { admin: true }\n---",
    says: [["key-forbidden", 4]],
  },
  { name: "a header in another language", text: "---js\nglobalThis.hit = true\n---\nx", says: [["frontmatter-language", 1]] },
  {
    name: "a list of tools reads alike wherever it is read",
    text: "---\nname: x\ndescription: d\ntools: [read_file, write_file]\nallowed-tools: [read_file, write_file]\n---\nx",
    manifest: { allowedTools: ["read_file", "write_file"], extra: { tools: ["read_file", "write_file"] } },
  },
  {
    name: "quoted text with an unindented line is whole or refused, never half",
    text: '---\nname: a\ndescription: "first\nsecond"\n---\nx',
    manifest: { description: "first second" },
    says: [["value-repaired", 3]],
  },
];

const scalars: readonly (readonly [name: string, written: string, read: string])[] = [
  ["a leading bracket", "[draft] tidy pots", "[draft] tidy pots"],
  ["a leading asterisk", "*all* the pots", "*all* the pots"],
  ["a leading at sign", "@potter tidies", "@potter tidies"],
  ["a leading backtick", "`pot` tidies", "`pot` tidies"],
  ["a leading percent sign", "%POT% tidies", "%POT% tidies"],
  ["text behind a quotation", '"pot" tidies', '"pot" tidies'],
  ["an apostrophe in single quotes", "'that's it'", "that's it"],
  ["a greater sign", "> 5 pots", "> 5 pots"],
  ["a bar", "| pots", "| pots"],
  ["a word behind an exclamation mark", "!important tidy pots", "!important tidy pots"],
  ["a comma", ", and pots", ", and pots"],
  ["two lists", "[pot] [lid]", "[pot] [lid]"],
];

const names: readonly Report[] = [
  {
    name: "a name that differs from its folder loads under the name",
    text: "---\nname: acme-fern\ndescription: d\n---\nx",
    folder: "fern",
    manifest: { name: "acme-fern" },
    says: [["name-folder-mismatch", 2]],
  },
  {
    name: "a composed name in a folder of decomposed letters is no mismatch",
    text: "---\nname: caf\u00e9-notes\ndescription: d\n---\nx",
    folder: "cafe\u0301-notes",
    manifest: { name: "caf\u00e9-notes" },
  },
  {
    name: "names of other scripts are names",
    text: "---\nname: 潮汐笔记\ndescription: d\n---\nx",
    folder: "潮汐笔记",
    manifest: { name: "潮汐笔记" },
  },
  {
    name: "a name that is a path loads with a warning; a name is a key and never a path",
    text: "---\nname: ../../out\ndescription: d\n---\nx",
    manifest: { name: "../../out" },
    says: [["name-invalid", 2]],
  },
];

const others: readonly Report[] = [
  {
    name: "bytes of another code page: that file is refused, with the offset",
    text: Uint8Array.of(...encoder.encode("---\nname: x\ndescription: a"), 0xa1, 0xaa, ...encoder.encode("b\n---\nx")),
    says: [["encoding-invalid", 3]],
  },
  {
    name: "text is read as UTF-8 on every system",
    text: encoder.encode("---\nname: x\ndescription: Übersicht — Notizen 👩‍🚒\n---\nx"),
    manifest: { description: "Übersicht — Notizen 👩‍🚒" },
  },
  {
    name: "angle brackets and ampersands are text",
    text: "---\nname: x\ndescription: Find <pot> cracks & chips\n---\nx",
    manifest: { description: "Find <pot> cracks & chips" },
  },
  {
    name: "a tab before a key is told with its line, and the key is read",
    text: "---\nname: a\n\tdescription: d\n---\nx",
    manifest: { name: "a", description: "d" },
    says: [["indentation-repaired", 3]],
  },
  { name: "a tab behind a colon is fine", text: "---\nname:\ta\ndescription:\td\n---\nx", manifest: { name: "a", description: "d" } },
  { name: "blanks behind fences", text: "--- \nname: a\ndescription: d\n---  \nB", manifest: { name: "a" }, body: "B" },
  { name: "a header that nobody closes", text: "---\nname: a\ndescription: d\nB", says: [["frontmatter-unclosed", 1]] },
  { name: "a header closed by dots", text: "---\nname: a\ndescription: d\n...\nB", says: [["frontmatter-unclosed", 1]] },
  {
    name: "a byte order mark",
    text: encoder.encode("\ufeff---\nname: a\ndescription: d\n---\nB"),
    manifest: { name: "a" },
    body: "B",
  },
];

describe("reports about frontmatter", () => {
  test.each(frontmatter)("$name", (report) => void check(report));

  test.each(scalars)("a plain value that YAML cannot read is text: %s", (_, written, read) => {
    check({
      name: "",
      text: `---\nname: pots\ndescription: ${written}\nlicense: MIT\n---\nx`,
      manifest: { description: read, license: "MIT" },
      says: [["value-repaired", 3]],
    });
  });

  test("nothing a header says reaches other objects", () => {
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
    expect((globalThis as { hit?: unknown }).hit).toBeUndefined();
  });
});

describe("reports about names", () => {
  test.each(names)("$name", (report) => void check(report));
});

describe("reports about files and encodings", () => {
  test.each(others)("$name", (report) => void check(report));

  test("a body that names a file in another case is told so", () => {
    const { manifest, ...parsed } = parseSkill("---\nname: a\ndescription: Use it.\n---\nsee FORMS.md");
    if (manifest === undefined) throw new Error("the skill parses");
    const findings = lintSkill({ ...parsed, manifest, files: [{ path: "forms.md", bytes: 1, mode: 0o644 }] });
    expect(findings).toMatchObject([{ code: "file-missing", line: 5, column: 5, hint: "Did you mean `forms.md`?" }]);
  });

  test("code in a body names no files, and never decides whether a skill is valid", () => {
    const { manifest, ...parsed } = parseSkill("---\nname: a\ndescription: Use it.\n---\nuse `tcp.flag_x` and\n```\nmap.json\n```");
    if (manifest === undefined) throw new Error("the skill parses");
    expect(lintSkill({ ...parsed, manifest, files: [] })).toEqual([]);
  });
});
