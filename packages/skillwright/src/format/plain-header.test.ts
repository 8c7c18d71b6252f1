import fc from "fast-check";
import { expect, test } from "vitest";
import { readPlainHeader } from "./plain-header.ts";
import { readYamlHeader } from "./yaml-header.ts";

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
  the user asks: never
license: 'it''s MIT'
allowed-tools: [Read, "Write"]
metadata:
  author: "someone else"
  version: 1.10

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
    fc.array(fc.tuple(fc.nat(400), fc.constantFrom(0, 0, 1, 2, 5), fc.oneof(piece, fc.constantFrom("\n", "\n", "\n  ", "\n    "))), {
      maxLength: 3,
    }),
  )
  .map(([text, edits]) =>
    edits.reduce((edited, [at, removed, added]) => {
      const position = at % (edited.length + 1);
      return edited.slice(0, position) + added + edited.slice(position + removed);
    }, text),
  );

test("the plain reader reads what the YAML library reads, or nothing", () => {
  fc.assert(
    fc.property(fc.oneof(header, mutated), (text) => {
      const plain = readPlainHeader(text, 2);
      if (plain !== undefined) expect(readYamlHeader(text, 2)).toEqual({ entries: plain });
    }),
    { numRuns: 20_000 },
  );
});
