import fc from "fast-check";
import { expect, test } from "vitest";
import { isMap, parseDocument, stringify, type ToStringOptions } from "yaml";
import { parseHeader } from "./parse-header.ts";
import { parseSkill } from "./parse-skill.ts";
import { readPlainHeader } from "./plain-header.ts";
import { guardYaml } from "./yaml-guard.ts";
import { readYamlHeader } from "./yaml-header.ts";

const encoder = new TextEncoder();

const fragments = [
  "name",
  "description",
  "tags",
  "a",
  "b",
  "x y",
  "é",
  "日本",
  "😀",
  "1.10",
  "true",
  "null",
  "~",
  "#",
  " #",
  "# c",
  ":",
  ": ",
  " : ",
  "::",
  "-",
  "- ",
  "--- ",
  "---",
  "...",
  "?",
  "? ",
  "[",
  "]",
  "[a, b]",
  "['a', \"b\"]",
  "[a,b]",
  "[ ]",
  "{",
  "}",
  "{a: b}",
  ",",
  ", ",
  '"',
  "'",
  "''",
  '"q"',
  "'s'",
  '"a" b',
  "\\",
  "\\n",
  "|",
  ">",
  "|-",
  ">-",
  "|+",
  ">2",
  "&a",
  "*a",
  "!t",
  "%",
  "@",
  "`",
  "=",
  "<<",
  "\t",
  "\r",
  "\u0000",
  "\u0085",
  "\u2028",
  "\ufeff",
  "\u00a0",
  "  ",
  " ",
  "(x)",
  "http://h/p?q=1#f",
];
const indent = fc.constantFrom("", "", "", "", " ", "  ", "  ", "   ", "    ");
const piece = fc.constantFrom(...fragments);
const value = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(""));
const key = fc.constantFrom(
  "name",
  "description",
  "metadata",
  "license",
  "k1",
  "k2",
  "k-3",
  "k.4",
  "_k",
  "K",
  "__proto__",
  "k 5",
  '"k"',
  "é",
  "5",
);
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(indent, key, fc.constantFrom(": ", ": ", ": ", ":", ":  "), value).map((parts) => parts.join("")) },
  { weight: 2, arbitrary: fc.tuple(indent, fc.constantFrom("- ", "- ", "-", "-  "), value).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.tuple(indent, fc.constantFrom("- "), key, fc.constant(": "), value).map((parts) => parts.join("")) },
  { weight: 3, arbitrary: fc.tuple(indent, value).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.constantFrom("", "", " ", "    ", "# c", "  # c") },
  { weight: 2, arbitrary: fc.tuple(key, fc.constantFrom(": |", ": >", ": >-", ": |-", ":")).map((parts) => parts.join("")) },
);
const header = fc.array(line, { minLength: 1, maxLength: 7 }).map((lines) => `${lines.join("\n")}\n`);

const sound = `# comment
name: tide-table
description: Reads tide tables. Use when
  the user asks
license: 'it''s MIT'
allowed-tools: [Read, "Write"]
metadata:
  author: "someone else"
  version: 1.10

  vendor: { "openclaw": {"emoji": "🦞", bins: [jq, "c d"]}, x: 1.10 }
  lines:
    {
      "a":
        { "b": [] }
    }
  wrapped: "one two
    three

    four"
  single: 'it''s

    wrapped

    '
  nested:
    - one
    - key: two
      more: three
text: |
  first

   deeper
  last

folded: >-
  one
  two

  three
empty:
list:
- a
- b c
`;
/** A sound header with a few fragments put in, and a few stretches taken out. */
const mutated = fc
  .tuple(
    fc.constantFrom(sound, ...sound.split(/^(?=\w)/m)),
    fc.array(fc.tuple(fc.nat(900), fc.constantFrom(0, 0, 1, 2, 5), fc.oneof(piece, fc.constantFrom("\n", "\n", "\n  ", "\n    "))), {
      maxLength: 3,
    }),
  )
  .map(([text, edits]) =>
    edits.reduce((edited, [at, removed, added]) => {
      const position = at % (edited.length + 1);
      return edited.slice(0, position) + added + edited.slice(position + removed);
    }, text),
  );

const headers = fc.oneof(header, mutated).map((text) => (text.endsWith("\n") ? text : `${text}\n`));

test("the plain reader reads the sound header", () => {
  expect(readPlainHeader(sound, 2)?.map(({ key }) => key)).toEqual([
    "name",
    "description",
    "license",
    "allowed-tools",
    "metadata",
    "text",
    "folded",
    "empty",
    "list",
  ]);
});

test("the plain reader reads what the YAML library reads, or nothing", () => {
  fc.assert(
    fc.property(headers, (text) => {
      const plain = readPlainHeader(text, 2);
      if (plain !== undefined) expect(readYamlHeader(text, 2)).toEqual({ entries: plain });
    }),
    { numRuns: 10_000, examples: [["a:\n# c\n  b\n"], ["a:\n# c\n  [b]\n"], ["a: [\u00a0]\n"], ['a: "b"\n  c\n'], ["a: [b\n]\n"]] },
  );
});

/** What the library makes of a header that it accepts and that holds no anchor, alias or tag. */
function failsafe(text: string): { readonly [key: string]: unknown } | undefined {
  if (guardYaml(text) !== undefined) return undefined;
  const document = parseDocument(text, { schema: "failsafe", logLevel: "silent" });
  return document.errors.length === 0 && isMap(document.contents) ? document.toJS({ maxAliasCount: 0 }) : undefined;
}

/** A mapping as any YAML writer may lay it out. */
const written = fc
  .tuple(
    fc.dictionary(
      fc.oneof(
        fc.constantFrom("name", "description", "license", "metadata", "allowed-tools", "version"),
        fc.string({ minLength: 1, maxLength: 8 }),
      ),
      fc.jsonValue({ maxDepth: 2, stringUnit: fc.oneof(piece, fc.constantFrom("word ", "wörter ", "\n")) }),
      { maxKeys: 5 },
    ),
    fc.record({
      defaultStringType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
      lineWidth: fc.constantFrom(0, 20, 80),
      indent: fc.constantFrom(2, 4),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom("any", "block", "flow"),
    }),
  )
  .map(([value, options]) => stringify(value, { ...options, aliasDuplicateObjects: false } as ToStringOptions));

test("name and description are those of the YAML library wherever it accepts the header", () => {
  fc.assert(
    fc.property(fc.oneof(headers, written), fc.constantFrom("\n", "\r\n"), (text, newline) => {
      const reference = failsafe(text);
      if (reference === undefined || /^---[ \t\r]*$/m.test(text)) return;
      const { manifest, diagnostics } = parseSkill(`---\n${text.replace(/\r?\n/g, newline)}---\nB`, {
        rules: { requireDescription: false },
      });
      if (manifest === undefined) {
        expect(diagnostics.some(({ code }) => ["name-missing", "key-forbidden", "key-invalid"].includes(code))).toBe(true);
        return;
      }
      expect(manifest.repaired).toBe(false);
      const { name, description } = reference;
      if (typeof name === "string") expect(manifest.name).toBe(name.trim());
      if (typeof description === "string") expect(["", description]).toContain(manifest.description);
      if (typeof description === "string" && !/^(?:~|null)?$/i.test(description)) expect(manifest.description).toBe(description);
    }),
    { numRuns: 1_500 },
  );
});

test("never throws, whatever the text and the rules", () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.array(piece).map((parts) => parts.join("")),
    headers,
  );
  const rules = fc.record({
    nameFrom: fc.constantFrom("frontmatter" as const, "folder" as const),
    requireDescription: fc.boolean(),
    requireFrontmatter: fc.boolean(),
    strict: fc.boolean(),
    nameStyle: fc.constantFrom("kebab" as const, "kebab-or-snake" as const),
  });
  fc.assert(
    fc.property(anything, fc.boolean(), rules, fc.option(fc.string(), { nil: undefined }), (text, fenced, chosen, folder) => {
      const source = fenced ? `---\n${text}\n---\n${text}` : text;
      const options = { rules: chosen, ...(folder === undefined ? {} : { folder }) };
      const parsed = parseSkill(source, options);
      expect(parsed.manifest !== undefined || parsed.diagnostics.some(({ severity }) => severity === "error")).toBe(true);
      expect(JSON.parse(JSON.stringify(parsed.manifest ?? {}))).toEqual(parsed.manifest ?? {});
      for (const { line } of parsed.diagnostics) expect(line).toBeGreaterThan(0);
    }),
    { numRuns: 2_000 },
  );
});

test("never throws on bytes, and says what the text says", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    headers.map((text) => encoder.encode(`---\n${text}---\nB`)),
  );
  fc.assert(
    fc.property(bytes, fc.nat(), (source, cut) => {
      const whole = parseHeader(source, { whole: true });
      const parsed = parseSkill(source);
      if (parsed.diagnostics[0]?.code === "encoding-invalid") return;
      expect(whole.manifest).toEqual(parsed.manifest);
      expect(whole.diagnostics).toEqual(parsed.diagnostics.filter(({ code }) => code !== "body-empty"));

      const prefix = parseHeader(source.subarray(0, cut % (source.length + 1)));
      if (prefix.complete) expect(prefix).toEqual(whole);
      else expect(prefix.manifest).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
});
