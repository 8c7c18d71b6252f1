import fc from "fast-check";
import { expect, test } from "vitest";
import { compileNamePatterns } from "./name-pattern.ts";

test("a pattern matches what the same regular expression matches", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "-", "é"), maxLength: 12 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "-", "é", "*", "?"), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (glob, name) => {
      const expression = new RegExp(`^${glob.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s");
      expect(compileNamePatterns([glob])(name)).toBe(expression.test(name));
    }),
  );
});

test("no pattern matches nothing; one of several is enough", () => {
  expect(compileNamePatterns([])("moss")).toBe(false);
  expect(compileNamePatterns(["fern", "m*"])("moss")).toBe(true);
});
