import fc from "fast-check";
import { expect, test } from "vitest";
import { globMatcher } from "./glob.ts";

test.each([
  ["out/*.csv", "out/a.csv", true],
  ["out/*.csv", "out/deep/a.csv", false],
  ["out/**", "out/deep/a.csv", true],
  ["out/**/*.csv", "out/a.csv", true],
  ["out/**/*.csv", "out/deep/er/a.csv", true],
  ["**/*.{png,jpg}", "a/b.jpg", true],
  ["**/*.{png,jpg}", "a/b.gif", false],
  ["a?.txt", "ab.txt", true],
  ["a?.txt", "a/.txt", false],
  ["./a.txt", "a.txt", true],
  ["a.txt", "aXtxt", false],
  ["a+(b).txt", "a+(b).txt", true],
  ["[x].txt", "[x].txt", true],
  ["a,b", "a,b", true],
  ["{a", "{a", true],
  ["{a,b}/{c,d}", "b/c", true],
  ["**", "a", true],
  ["**/**", "a/b/c", true],
  ["a/**/b", "a/b", true],
  ["a/**/b", "a/x/y/b", true],
  ["a**b", "axxb", true],
  ["a**b", "a/b", false],
  ["*", "", true],
])("%s against %s is %s", (pattern, path, matches) => {
  expect(globMatcher(pattern)(path)).toBe(matches);
});

test("any text is a pattern, and a plain one matches itself", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      const matches = globMatcher(text);
      if (!/[*?{}]/.test(text) && !text.startsWith("./")) expect(matches(text)).toBe(true);
    }),
  );
});

test("a pattern made to be slow is not", () => {
  const path = `${"a/".repeat(200)}b`;
  expect(globMatcher(`${"**/a/".repeat(100)}c`)(path)).toBe(false);
  expect(globMatcher(`${"*a".repeat(500)}c`)("a".repeat(5000))).toBe(false);
  expect(globMatcher("{a,b}".repeat(40))("ab")).toBe(false);
});
