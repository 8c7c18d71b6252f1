import { expect, test } from "vitest";
import { readCatalog } from "./read-catalog.ts";

const both = [
  { name: "alpha", description: "Does A & B." },
  { name: "beta", description: "Does B." },
];

test.each([
  [
    "entries with attributes",
    '<available_skills>\n<skill name="alpha">Does A &amp; B.</skill>\n<skill name="beta">Does B.</skill>\n</available_skills>',
  ],
  [
    "entries with more attributes",
    '<skill name="alpha" path="/s/a">Does A &amp; B.</skill>\n<skill name="beta" path="/s/b">Does B.</skill>',
  ],
  [
    "entries with children",
    "<skill>\n<name>\nalpha\n</name>\n<description>\nDoes A &amp; B.\n</description>\n</skill>\n<skill><name>beta</name><description>Does B.</description></skill>",
  ],
  [
    "lines below a heading",
    "You are kind.\n\nAvailable skills:\n- alpha: Does A & B.\n- beta: Does B. (file: [s1]/beta/SKILL.md)\n\nBe brief.",
  ],
  ["lines below a Chinese heading", "可用技能：\n  - alpha: Does A & B.\n  - beta: Does B.\n先读取它。"],
  ["lines inside a block", "<skills>\n - alpha - Does A & B.\n - beta - Does B.\n</skills>"],
  ["lines with marks", "Available skills:\n- **alpha**: Does A & B.\n- `beta`: Does B."],
  [
    "a search's answer as JSON",
    'Available skills:\n[{"name":"alpha","description":"Does A & B."},{"name":"beta","description":"Does B."}]',
  ],
])("reads %s", (_, text) => {
  expect(readCatalog([text])).toEqual(both);
});

test("a name without a description is an entry", () => {
  expect(readCatalog(['<skill name="alpha"/>\n<skill name="beta">Does B.</skill>'])).toEqual([{ name: "alpha", description: "" }, both[1]]);
});

test("lists elsewhere in a prompt are no skills, and a name counts once", () => {
  const text = 'Rules:\n- be: kind\n\n<skill name="alpha">Does A &amp; B.</skill>';
  expect(readCatalog([text, '<skill name="alpha">Other.</skill>', ""])).toEqual([both[0]]);
});
