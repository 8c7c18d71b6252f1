import { dialects, parseSkill, type ReadingRules } from "skillwright";
import { describe, expect, test } from "vitest";

const defaultRules: ReadingRules = {
  nameFrom: "frontmatter",
  requireDescription: true,
  requireFrontmatter: true,
  strict: false,
  nameStyle: "kebab",
};

const rulesOf = (id: "genkit" | "eino" | "adk" | "trpc"): ReadingRules => {
  const dialect = dialects.get(id);
  if (dialect === undefined) throw new Error(`no dialect ${id}`);
  return { ...defaultRules, ...dialect.reading };
};

interface Line {
  readonly given: string;
  readonly text: string;
  readonly folder?: string;
  /** Name and description; undefined where it is refused. */
  readonly read?: readonly [name: string, description: string];
  readonly body?: string;
  readonly says?: readonly string[];
}

function check(rules: ReadingRules, { text, folder = "tide", read, body, says = [] }: Line): void {
  const parsed = parseSkill(text, { folder, rules });
  expect(parsed.manifest && [parsed.manifest.name, parsed.manifest.description]).toEqual(read);
  if (body !== undefined) expect(parsed.body.trim()).toBe(body);
  expect(parsed.diagnostics.map(({ code }) => code).filter((code) => code !== "body-empty")).toEqual(says);
}

describe("as Genkit reads: the folder is the name, a description may be missing", () => {
  const rules = rulesOf("genkit");
  test.each<Line>([
    { given: "a sound header", text: "---\nname: other\ndescription: d\n---\nB", read: ["tide", "d"], says: ["name-folder-mismatch"] },
    { given: "CRLF", text: "---\r\ndescription: d\r\n---\r\nB", read: ["tide", "d"], body: "B" },
    {
      given: "an unquoted colon",
      text: "---\ndescription: Use when: asked\n---\nB",
      read: ["tide", "Use when: asked"],
      says: ["value-repaired"],
    },
    { given: "dashes in a quoted value", text: '---\ndescription: "a --- b"\n---\nB', read: ["tide", "a --- b"], body: "B" },
    { given: "dashes at the margin of a block", text: "---\ndescription: |\n  a\n----\nlicense: MIT\n---\nB", says: ["yaml-invalid"] },
    {
      given: "a block and another fault",
      text: "---\ndescription: |\n  a\nlicense: MIT: x\n---\nB",
      read: ["tide", "a\n"],
      says: ["value-repaired"],
    },
    { given: "a rule in the body", text: "---\ndescription: d\n---\nB\n\n---\n\nC", read: ["tide", "d"], body: "B\n\n---\n\nC" },
    { given: "a blank behind the opening fence", text: "--- \ndescription: d\n---\nB", read: ["tide", "d"] },
    { given: "a blank behind the closing fence", text: "---\ndescription: d\n--- \nB", read: ["tide", "d"], body: "B" },
    { given: "a byte order mark", text: "\ufeff---\ndescription: d\n---\nB", read: ["tide", "d"] },
    { given: "a tab before a key", text: "---\nname: tide\n\tdescription: d\n---\nB", read: ["tide", "d"], says: ["indentation-repaired"] },
    { given: "a header that nobody closes", text: "---\ndescription: d\n", read: ["tide", ""], says: ["description-missing"] },
    { given: "no header", text: "# Tide", read: ["tide", ""], body: "# Tide", says: ["description-missing"] },
    { given: "a list as the header", text: "---\n- a\n---\nB", says: ["frontmatter-not-mapping"] },
    { given: "an empty description", text: '---\nname: tide\ndescription: ""\n---\nB', read: ["tide", ""], says: ["description-missing"] },
    {
      given: "a sentence that once stood for none",
      text: "---\ndescription: No description provided.\n---\nB",
      read: ["tide", "No description provided."],
    },
    {
      given: "an odd name",
      text: "---\nname: My_Skill\ndescription: d\n---\nB",
      folder: "My_Skill",
      read: ["My_Skill", "d"],
      says: ["name-invalid"],
    },
    { given: "brackets and less-than signs", text: "---\ndescription: values < 10 and a<b\n---\nB", read: ["tide", "values < 10 and a<b"] },
  ])("$given", (line) => check(rules, line));
});

describe("as Eino reads: YAML between fences, the body trimmed", () => {
  const rules = rulesOf("eino");
  test.each<Line>([
    { given: "a sound header", text: "---\nname: tide\ndescription: d\n---\nB", read: ["tide", "d"], body: "B" },
    { given: "a body of several lines", text: "---\nname: tide\ndescription: d\n---\nB\n\nC\n", read: ["tide", "d"], body: "B\n\nC" },
    {
      given: "blank lines first, blanks last",
      text: "\n  \n---\nname: tide\ndescription: d\n---\nB  ",
      read: ["tide", "d"],
      body: "B",
      says: ["blank-before-frontmatter"],
    },
    { given: "no opening fence", text: "name: tide\ndescription: d\n---\nB", says: ["frontmatter-missing"] },
    { given: "no closing fence", text: "---\nname: tide\ndescription: d\nB", says: ["frontmatter-unclosed"] },
    { given: "dashes in a line of the body", text: "---\nname: tide\ndescription: d\n---\na --- b", read: ["tide", "d"], body: "a --- b" },
    { given: "an empty body", text: "---\nname: tide\ndescription: d\n---\n", read: ["tide", "d"], body: "" },
    { given: "a body between blank lines", text: "---\nname: tide\ndescription: d\n---\n\n \nB\n\n", read: ["tide", "d"], body: "B" },
    { given: "YAML beyond repair", text: "---\nname: tide\ndescription: d\nx: &a [y]\n---\nB", says: ["yaml-anchor"] },
  ])("$given", (line) => check(rules, line));

  test("an empty frontmatter has a body and no fields", () => {
    const parsed = parseSkill("---\n---\nB", { folder: "tide", rules });
    expect(parsed.body).toBe("B");
  });
});

describe("as ADK reads: strictly", () => {
  const rules = rulesOf("adk");
  const long = (count: number) => "d".repeat(count);
  test.each<Line>([
    { given: "a sound header", text: "---\nname: tide\ndescription: d\nallowed-tools: Read\n---\nB", read: ["tide", "d"], body: "B" },
    { given: "another folder", text: "---\nname: ebb\ndescription: d\n---\nB", says: ["name-folder-mismatch"] },
    { given: "no name", text: "---\ndescription: d\n---\nB", says: ["name-missing"] },
    { given: "an unknown field", text: "---\nname: tide\ndescription: d\nsource: x\n---\nB", read: ["tide", "d"] },
    {
      given: "allowed_tools",
      text: "---\nname: tide\ndescription: d\nallowed_tools: Read\n---\nB",
      read: ["tide", "d"],
      says: ["key-misspelt"],
    },
    { given: "no opening fence", text: "name: tide\n", says: ["frontmatter-missing"] },
    { given: "no closing fence", text: "---\nname: tide\ndescription: d\n", says: ["frontmatter-unclosed"] },
    { given: "a list as the header", text: "---\n- a\n---\nB", says: ["frontmatter-not-mapping"] },
    { given: "bad YAML", text: "---\nname: tide\ndescription: a: b\n---\nB", says: ["value-repaired"] },
    { given: "an empty body", text: "---\nname: tide\ndescription: d\n---\n", read: ["tide", "d"], body: "" },
    { given: "extra line breaks", text: "---\nname: tide\ndescription: d\n---\n\n\nB\n\n", read: ["tide", "d"], body: "B" },
    {
      given: "a table with dashes",
      text: "---\nname: tide\ndescription: d\n---\n| a |\n| --- |\n| b |",
      read: ["tide", "d"],
      body: "| a |\n| --- |\n| b |",
    },
    {
      given: "a name of 65 characters",
      text: `---\nname: ${"a".repeat(65)}\ndescription: d\n---\nB`,
      folder: "a".repeat(65),
      says: ["name-too-long"],
    },
    { given: "upper case", text: "---\nname: Tide\ndescription: d\n---\nB", folder: "Tide", says: ["name-invalid"] },
    { given: "a leading hyphen", text: "---\nname: -tide\ndescription: d\n---\nB", folder: "-tide", says: ["name-invalid"] },
    { given: "a trailing hyphen", text: "---\nname: tide-\ndescription: d\n---\nB", folder: "tide-", says: ["name-invalid"] },
    { given: "two hyphens", text: "---\nname: tide--x\ndescription: d\n---\nB", folder: "tide--x", says: ["name-invalid"] },
    { given: "an ampersand", text: "---\nname: tide&x\ndescription: d\n---\nB", folder: "tide&x", says: ["name-invalid"] },
    { given: "hyphens and underscores", text: "---\nname: a-b_c\ndescription: d\n---\nB", folder: "a-b_c", says: ["name-invalid"] },
    { given: "words and digits", text: "---\nname: my-tide-2\ndescription: d\n---\nB", folder: "my-tide-2", read: ["my-tide-2", "d"] },
    { given: "an empty description", text: '---\nname: tide\ndescription: ""\n---\nB', says: ["description-missing"] },
    { given: "1,024 characters", text: `---\nname: tide\ndescription: ${long(1024)}\n---\nB`, read: ["tide", long(1024)] },
    { given: "1,025 characters", text: `---\nname: tide\ndescription: ${long(1025)}\n---\nB`, says: ["description-too-long"] },
    {
      given: "a compatibility of 501",
      text: `---\nname: tide\ndescription: d\ncompatibility: ${long(501)}\n---\nB`,
      says: ["compatibility-too-long"],
    },
    { given: "a name that is a number", text: "---\nname: 123\ndescription: d\n---\nB", folder: "123", says: ["value-not-text"] },
    { given: "metadata that is null", text: "---\nname: tide\ndescription: d\nmetadata:\n---\nB", says: ["metadata-invalid"] },
  ])("$given", (line) => check(rules, line));

  test("snake case by a switch, but no mixture", () => {
    const snake: ReadingRules = { ...rules, nameStyle: "kebab-or-snake" };
    check(snake, { given: "", text: "---\nname: my_tide\ndescription: d\n---\nB", folder: "my_tide", read: ["my_tide", "d"] });
    check(snake, { given: "", text: "---\nname: a-b_c\ndescription: d\n---\nB", folder: "a-b_c", says: ["name-invalid"] });
  });

  test("typed metadata: a list is a list, true is not the text true", () => {
    const { manifest } = parseSkill(
      "---\nname: tide\ndescription: d\nmetadata:\n  adk_additional_tools: [a, b]\n  adk_inject_state: true\n  text: 'true'\n---\nB",
      {
        folder: "tide",
        rules,
      },
    );
    expect(manifest?.metadata).toEqual({ adk_additional_tools: ["a", "b"], adk_inject_state: true, text: "true" });
  });

  test("allowed-tools as text and as a list, under either spelling", () => {
    for (const line of ["allowed-tools: Read Write", "allowed_tools: Read Write", "allowed-tools: [Read, Write]"]) {
      expect(parseSkill(`---\nname: tide\ndescription: d\n${line}\n---\nB`, { folder: "tide", rules }).manifest?.allowedTools).toEqual([
        "Read",
        "Write",
      ]);
    }
  });
});

describe("as trpc-agent-go reads: without frontmatter all is body", () => {
  const rules = rulesOf("trpc");
  test.each<Line>([
    { given: "a comment line", text: "---\n# about tides\nname: tide\ndescription: d\n---\nB", read: ["tide", "d"], body: "B" },
    { given: "no frontmatter", text: "# Tide\n", read: ["tide", ""], body: "# Tide", says: ["description-missing"] },
    { given: "no closing fence", text: "---\nname: x\nB", read: ["tide", ""], body: "---\nname: x\nB", says: ["description-missing"] },
    { given: "a hash inside a value", text: "---\nname: tide\ndescription: C#/F# notes\n---\nB", read: ["tide", "C#/F# notes"] },
    { given: "a key without a value", text: "---\nname: tide\ndescription:\n---\nB", read: ["tide", ""], says: ["description-missing"] },
    {
      given: "blank lines and a line without a colon",
      text: "---\nname: tide\n\nstray\n\ndescription: d\n---\nB",
      read: ["tide", "d"],
      says: ["line-ignored"],
    },
    { given: "a literal block without its end", text: "---\nname: tide\ndescription: |-\n  a\n  b\n---\nB", read: ["tide", "a\nb"] },
    { given: "a literal block", text: "---\nname: tide\ndescription: |\n  a\n  b\n---\nB", read: ["tide", "a\nb\n"] },
    { given: "a folded block", text: "---\nname: tide\ndescription: >\n  a\n  b\n---\nB", read: ["tide", "a b\n"] },
    { given: "a block and a plain key", text: "---\ndescription: |-\n  a\nname: tide\n---\nB", read: ["tide", "a"] },
    { given: "an empty block", text: "---\nname: tide\ndescription: |\n---\nB", read: ["tide", ""], says: ["description-missing"] },
    { given: "no name", text: "---\ndescription: d\n---\nB", read: ["tide", "d"], says: ["name-missing"] },
    { given: "quotes", text: "---\nname: \"tide\"\ndescription: 'd'\n---\nB", read: ["tide", "d"] },
    { given: "a name below metadata", text: "---\nname: tide\ndescription: d\nmetadata:\n  name: other\n---\nB", read: ["tide", "d"] },
    { given: "a plain value of several lines", text: "---\nname: tide\ndescription: a\n  b\n---\nB", read: ["tide", "a b"] },
  ])("$given", (line) => check(rules, line));
});
