import { expect, test } from "vitest";
import { parseHeader } from "./parse-header.ts";
import { parseSkill } from "./parse-skill.ts";

const encoder = new TextEncoder();
const parse = (header: string) => parseSkill(`---\n${header}\n---\nB`, { folder: "mole", location: "mole/SKILL.md" });

test("reads every field of the specification", () => {
  const { manifest, body, bodyLine, diagnostics, places } = parse(
    [
      "name: mole",
      "description: Digs. Use when asked to dig.",
      "license: Apache-2.0",
      "compatibility: Needs a spade",
      "allowed-tools: Read, Bash(dig deep:*)",
      "metadata:",
      "  author: ann",
      "homepage: https://example.org/mole",
    ].join("\n"),
  );
  expect(manifest).toEqual({
    name: "mole",
    description: "Digs. Use when asked to dig.",
    license: "Apache-2.0",
    compatibility: "Needs a spade",
    allowedTools: ["Read", "Bash(dig deep:*)"],
    metadata: { author: "ann" },
    metadataText: { author: "ann" },
    extra: { homepage: "https://example.org/mole" },
    repaired: false,
  });
  expect([body, bodyLine, diagnostics]).toEqual(["B", 11, []]);
  expect(places.get("description")).toEqual({ line: 3, column: 14 });
});

test("metadata is typed where nothing is lost, beside the text as written", () => {
  const { manifest } = parse(
    [
      "name: mole",
      "description: d",
      "metadata:",
      "  version: 1.10",
      "  major: 3",
      "  ratio: 0.5",
      "  long: 12345678901234567890",
      "  hex: 0x1F",
      "  since: 2031-04-05",
      "  at: 12:30",
      "  old: yes",
      "  inject: true",
      '  quoted: "true"',
      "  none: null",
      "  empty:",
      "  tools: [a, b, 2]",
      '  vendor: {"bins": ["jq"], "deep": {"on": false}}',
    ].join("\n"),
  );
  expect(manifest?.metadata).toEqual({
    version: "1.10",
    major: 3,
    ratio: 0.5,
    long: "12345678901234567890",
    hex: "0x1F",
    since: "2031-04-05",
    at: "12:30",
    old: "yes",
    inject: true,
    quoted: "true",
    none: null,
    empty: null,
    tools: ["a", "b", 2],
    vendor: { bins: ["jq"], deep: { on: false } },
  });
  expect(manifest?.metadataText).toMatchObject({ version: "1.10", major: "3", inject: "true", quoted: "true", none: "null", empty: "" });
  expect(manifest?.metadataText).not.toHaveProperty("tools");
});

test("keys meet nothing inherited", () => {
  const { manifest } = parse("name: mole\ndescription: d\nconstructor: x\nmetadata:\n  toString: y");
  expect(Object.keys(manifest?.extra ?? {})).toEqual(["constructor"]);
  expect(manifest?.extra.hasOwnProperty).toBeUndefined();
  expect(manifest?.metadata.constructor).toBeUndefined();
  expect(JSON.stringify(manifest?.extra)).toBe('{"constructor":"x"}');
});

test.each([
  ["a list", "[Read, 'Bash(git add:*)']", ["Read", "Bash(git add:*)"]],
  ["a block list", "\n  - Read\n  - Bash(git add:*)", ["Read", "Bash(git add:*)"]],
  ["blanks", "Read Bash(git add:*)", ["Read", "Bash(git add:*)"]],
  ["nothing", "", []],
  ["null", "null", []],
])("allowed-tools as %s", (_, value, tools) => {
  const { manifest, diagnostics } = parse(`name: mole\ndescription: d\nallowed-tools: ${value}`);
  expect(manifest?.allowedTools).toEqual(tools);
  expect(diagnostics).toEqual([]);
});

test.each([
  ["allowedTools", "allowed-tools"],
  ["allowed_tools", "allowed-tools"],
  ["Allowed-Tools", "allowed-tools"],
  ["user-invokable", "user-invocable"],
  ["user_invocable", "user-invocable"],
  ["disableModelInvocation", "disable-model-invocation"],
  ["Compatibility", "compatibility"],
  ["licence", "license"],
  ["compatability", "compatibility"],
])("tells %s from %s and keeps it", (wrong, right) => {
  const { manifest, diagnostics } = parse(`name: mole\ndescription: d\n${wrong}: Read`);
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "key-misspelt", line: 4, column: 1 }]);
  expect(diagnostics[0]?.message).toContain(`\`${right}\``);
  expect(manifest?.extra).toEqual({ [wrong]: "Read" });
  expect(manifest?.allowedTools).toEqual(right === "allowed-tools" ? ["Read"] : []);
});

test("the right spelling of a key wins over a wrong one", () => {
  expect(parse("name: mole\ndescription: d\nallowedTools: Write\nallowed-tools: Read").manifest?.allowedTools).toEqual(["Read"]);
});

test("a missing description names the key that may have been meant", () => {
  const { diagnostics } = parse("name: mole\ndescritpion: d");
  expect(diagnostics).toMatchObject([{ severity: "error", code: "description-missing", line: 1 }]);
  expect(diagnostics[0]?.hint).toContain("`descritpion`");
});

test("a field of a shape that its place cannot hold is kept beside it", () => {
  const { manifest, diagnostics } = parse("name: mole\ndescription: d\ncompatibility:\n  os: [linux]\nmetadata: text");
  expect(manifest?.extra).toEqual({ compatibility: { os: ["linux"] }, metadata: "text" });
  expect(manifest).not.toHaveProperty("compatibility");
  expect(diagnostics.map(({ code, line }) => [code, line]).sort()).toEqual([
    ["metadata-invalid", 6],
    ["value-not-text", 4],
  ]);
});

test.each([
  ["a number", "name: 404\ndescription: d", "404", "value-not-text"],
  ["a boolean", "name: true\ndescription: d", "true", "value-not-text"],
  ["a boolean of old", "name: Yes\ndescription: d", "Yes", "value-not-text"],
  ["a number with a zero in front", "name: 0451\ndescription: d", "0451", "value-not-text"],
  ["a number in another notation", "name: 1e3\ndescription: d", "1e3", "value-not-text"],
  ["a date", "name: 2031-04-05\ndescription: d", "2031-04-05", "value-not-text"],
  ["a quoted number", "name: '404'\ndescription: d", "404", undefined],
  ["a list in brackets", "name: [mole]\ndescription: d", "[mole]", "value-not-text"],
  ["a block list", "name:\n  - mole\ndescription: d", "mole", "value-not-text"],
  ["null", "name: ~\ndescription: d", "mole", "name-missing"],
  ["empty", "name:\ndescription: d", "mole", "name-missing"],
  ["blank", 'name: "  "\ndescription: d', "mole", "name-missing"],
  ["absent", "description: d", "mole", "name-missing"],
  ["padded", 'name: " mole "\ndescription: d', "mole", undefined],
])("a name that is %s", (_, header, name, code) => {
  const { manifest, diagnostics } = parse(header);
  expect(manifest?.name).toBe(name);
  const found = diagnostics.filter((diagnostic) => diagnostic.code !== "name-folder-mismatch" && diagnostic.code !== "name-invalid");
  if (code === undefined) expect(found).toEqual([]);
  else expect(diagnostics[0]).toMatchObject({ severity: "warning", code, location: "mole/SKILL.md" });
});

test("without a folder a name is needed", () => {
  expect(parseSkill("---\ndescription: d\n---\n").diagnostics[0]).toMatchObject({ severity: "error", code: "name-missing", line: 1 });
});

test.each([
  ["the folder names the skill", { nameFrom: "folder" }, "---\nname: other\ndescription: d\n---\nB", "mole", "d", "B"],
  ["no description is needed", { requireDescription: false }, "---\nname: mole\n---\nB", "mole", "", "B"],
  ["no frontmatter is needed", { requireFrontmatter: false, requireDescription: false }, "# B", "mole", "", "# B"],
  [
    "an open frontmatter is body",
    { requireFrontmatter: false, requireDescription: false },
    "---\nname: x\nB",
    "mole",
    "",
    "---\nname: x\nB",
  ],
] as const)("reading rules: %s", (_, rules, text, name, description, body) => {
  const parsed = parseSkill(text, { folder: "mole", rules });
  expect(parsed.manifest).toMatchObject({ name, description });
  expect(parsed.body).toBe(body);
});

test.each([
  ["a number", "description: 404", "404"],
  ["brackets", "description: [draft]", "[draft]"],
])("a description that YAML takes for %s is text", (_, line, description) => {
  const { manifest, diagnostics } = parse(`name: mole\n${line}`);
  expect(manifest?.description).toBe(description);
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "value-not-text", line: 3, column: 14 }]);
});

test.each([
  [
    "Latin-1 in the frontmatter",
    Uint8Array.of(...encoder.encode("---\nname: a\ndescription: Caf"), 0xe9, ...encoder.encode("\n---\nB")),
    28,
    3,
  ],
  ["Latin-1 in the body", Uint8Array.of(...encoder.encode("---\nname: a\ndescription: é�\n---\nB\n"), 0xe9), 37, 6],
  ["a cut character", Uint8Array.of(...encoder.encode("---\nname: a\ndescription: "), 0xe2, 0x82, ...encoder.encode("\n---\nB")), 25, 3],
])("says at which byte it is not UTF-8: %s", (_, bytes, offset, line) => {
  const { manifest, diagnostics } = parseSkill(bytes);
  expect(manifest).toBeUndefined();
  expect(diagnostics).toMatchObject([
    { severity: "error", code: "encoding-invalid", line, message: `The file is not UTF-8: byte ${offset} does not fit.` },
  ]);
});

test("says that a file is UTF-16", () => {
  const bytes = Uint8Array.from([0xff, 0xfe, ...[..."---\n"].flatMap((character) => [character.charCodeAt(0), 0])]);
  expect(parseSkill(bytes).diagnostics[0]?.message).toContain("UTF-16");
});

test.each([
  ["too many bytes", `---\nname: a\ndescription: ${"é".repeat(40_000)}\n---\nB`, 65_536],
  ["too many characters", `---\nname: a\ndescription: ${"e".repeat(70_000)}\n---\nB`, 65_536],
  ["a limit of one's own", "---\nname: a\ndescription: d\n---\nB", 10],
  ["no end in sight", `---\n${"a: b\n".repeat(20_000)}`, 65_536],
])("refuses a frontmatter of %s", (_, text, maxFrontmatterBytes) => {
  for (const { manifest, diagnostics } of [
    parseSkill(text, { maxFrontmatterBytes }),
    parseHeader(encoder.encode(text), { maxFrontmatterBytes }),
  ]) {
    expect(manifest).toBeUndefined();
    expect(diagnostics).toMatchObject([{ severity: "error", code: "frontmatter-too-large", line: 1 }]);
  }
});

test.each([
  ["an empty file", "", "empty"],
  ["a file in a code fence", "```markdown\n---\nname: a\n---\n```", "code fence"],
  ["fields without fences", "name: a\ndescription: d\n", "before the fields"],
  ["a link that was checked out as text", "../shared/mole/SKILL.md", "holds only a path"],
  ["four dashes", "----\nname: a\n----\n", "three dashes"],
  ["a comment before the fence", "<!-- x -->\n---\nname: a\n---\n", "first line"],
  ["an indented fence", "  ---\nname: a\n---\n", "first line"],
  ["an indented closing fence", "---\nname: a\ndescription: d\n ---\nB", "blanks before the closing"],
  ["closing dots", "---\nname: a\ndescription: d\n...\nB", "exactly `---`"],
  ["a closing code fence", "---\nname: a\n```\nB", "exactly `---`"],
])("helps with %s", (_, text, hint) => {
  const { diagnostics } = parseSkill(text);
  expect(diagnostics[0]?.severity).toBe("error");
  expect(diagnostics[0]?.hint).toContain(hint);
});

test("a header is incomplete until its closing fence is certain", () => {
  const bytes = encoder.encode("---\nname: mole\ndescription: d\n---\nB");
  const complete = Array.from(bytes, (_, length) => parseHeader(bytes.subarray(0, length)).complete);
  expect(complete.indexOf(true)).toBe(bytes.length - 1);
  expect(parseHeader(bytes.subarray(0, bytes.length - 2), { whole: true })).toMatchObject({ complete: true, manifest: { name: "mole" } });
});

test("a body without text is worth a warning, not a refusal", () => {
  const { manifest, diagnostics } = parseSkill("---\nname: mole\ndescription: d\n---\n \n");
  expect(manifest).toBeDefined();
  expect(diagnostics).toMatchObject([{ severity: "warning", code: "body-empty", line: 5 }]);
});

test.each([
  ["in a description", "name: mole\ndescription: Post to #kiln after cooling", 3, 14],
  ["as the whole value", "name: mole\ndescription: d\nlicense: #1", 4, 1],
  ["below metadata", "name: mole\ndescription: d\nmetadata:\n  issue: see #1", 5, 10],
  ["behind brackets", "name: mole\ndescription: d\ntags: [a] # b", undefined, undefined],
  ["behind quotes", 'name: mole\ndescription: "d" # e', undefined, undefined],
  ["before a mapping", "name: mole\ndescription: d\nmetadata: # of all kinds\n  a: b", undefined, undefined],
])("text cut by a comment %s", (_, header, line, column) => {
  const { diagnostics } = parse(header);
  expect(diagnostics).toMatchObject(line === undefined ? [] : [{ severity: "warning", code: "text-cut-by-comment", line, column }]);
});
