import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../core/index.ts";
import { parseSkill } from "./parse-skill.ts";
import { renderSkill } from "./render-skill.ts";

test("writes a file that people like to read", () => {
  const text = renderSkill({
    name: "mole",
    description: "Digs holes. Use when the user asks for a hole.",
    license: "Apache-2.0",
    compatibility: "Needs: a spade",
    allowedTools: ["Read", "Bash(dig deep:*)"],
    metadata: { author: "ann", version: "1.10", bins: ["spade"], ready: true },
    extra: { homepage: "https://example.org/#mole" },
    body: "\n# Mole\n",
  });
  expect(text).toBe(`---
name: mole
description: Digs holes. Use when the user asks for a hole.
license: Apache-2.0
compatibility: "Needs: a spade"
allowed-tools: Read Bash(dig deep:*)
metadata:
  author: ann
  version: "1.10"
  bins: ["spade"]
  ready: true
homepage: https://example.org/#mole
---

# Mole
`);
});

const tricky = fc.constantFrom(
  ": ",
  " #",
  "#",
  "- ",
  "'",
  '"',
  "\\",
  "\n",
  "\r",
  "\t",
  "[",
  "{",
  "&a",
  "*a",
  "!t",
  "%",
  "@",
  "`",
  "true",
  "~",
  "1.10",
  "---",
  "é",
  "日本",
  "\u2028",
  "\ufeff",
);
const text = fc.oneof(
  fc.string(),
  fc.array(fc.oneof(tricky, fc.string({ maxLength: 4 })), { maxLength: 5 }).map((parts) => parts.join("")),
);
const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,5}){0,2}$/);
const key = fc.oneof(fc.stringMatching(/^[a-z][\w.-]{0,10}$/), text).filter((one) => one !== "__proto__" && one.length < 100);
const json: fc.Arbitrary<JsonValue> = (fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>).filter(
  (value) => !/__proto__|-0\b/.test(JSON.stringify(value)) && !Object.is(value, -0),
);
const record: fc.Arbitrary<{ [key: string]: JsonValue }> = fc.dictionary(key, fc.oneof(text, json), { maxKeys: 4 });
const specKeys = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

test("what is written is read back", () => {
  fc.assert(
    fc.property(
      fc.record({
        name,
        description: text.filter((value) => value.trim() !== ""),
        license: text.filter((value) => value !== ""),
        compatibility: text.filter((value) => value !== ""),
        allowedTools: fc.array(fc.oneof(fc.constantFrom("Read", "Bash(git add:*)", "mcp__x__y"), fc.stringMatching(/^[!-~]{1,8}$/)), {
          maxLength: 3,
        }),
        metadata: record,
        extra: record.filter((value) => !specKeys.some((spec) => Object.hasOwn(value, spec))),
        body: fc.string(),
      }),
      ({ body, ...fields }) => {
        const parsed = parseSkill(renderSkill({ ...fields, body }), { folder: fields.name });
        expect(parsed.manifest).toMatchObject({ name: fields.name, description: fields.description, repaired: false });
        expect(parsed.manifest?.license).toBe(fields.license);
        expect(parsed.manifest?.compatibility).toBe(fields.compatibility);
        expect(parsed.manifest?.allowedTools).toEqual(fields.allowedTools);
        expect(JSON.parse(JSON.stringify(parsed.manifest?.metadata))).toEqual(JSON.parse(JSON.stringify(fields.metadata)));
        expect(JSON.parse(JSON.stringify(parsed.manifest?.extra))).toEqual(JSON.parse(JSON.stringify(fields.extra)));
        expect(parsed.body).toBe(body);
      },
    ),
    { numRuns: 300 },
  );
});
