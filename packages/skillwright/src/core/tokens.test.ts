import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { estimateTokens } from "./tokens.ts";

function sample(name: string): string {
  return readFileSync(new URL(`../../../../test/fixtures/texts/${name}`, import.meta.url), "utf8");
}

test.each([
  ["english-prose.md", 0.1],
  ["english-skill.md", 0.1],
  ["chinese-prose.md", 0.1],
  ["chinese-skill.md", 0.1],
  ["japanese.md", 0.1],
  ["korean.md", 0.1],
  ["python-code.txt", 0.1],
  ["shell-session.txt", 0.1],
  ["french.md", 0.1],
  ["russian.md", 0.15],
  ["german.md", 0.25],
])("a whole document is within its documented error of o200k: %s", (name, error) => {
  const text = sample(name);
  const real = countTokens(text);
  expect(Math.abs(estimateTokens(text) - real) / real).toBeLessThanOrEqual(error);
});

test.each([
  ["nothing", "", 0, 0],
  ["one letter", "a", 1, 1],
  ["a word", "skill", 1, 2],
  ["digits go by threes", "123456789", 4, 6],
  ["a run of spaces is cheap", " ".repeat(500), 1, 10],
  ["a run without words is not", "abcdefghij".repeat(100), 300, 500],
  ["ideographs by the character", "潮".repeat(100), 80, 90],
  ["lone surrogates", "\ud800\udfff", 1, 3],
])("%s", (_, text, least, most) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(least);
  expect(estimateTokens(text)).toBeLessThanOrEqual(most);
});
