import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellQuote } from "./shell-quote.ts";

test("a shell reads back what was quoted", () => {
  const argument = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(fc.array(argument, { minLength: 1, maxLength: 5 }), (argv) => {
      const line = `printf '%s\\0' ${shellQuote(argv)}`;
      expect(execFileSync("sh", ["-c", line], { encoding: "utf8" })).toBe(argv.map((each) => `${each}\0`).join(""));
    }),
    { numRuns: 60 },
  );
});

test.each([
  ["''", ""],
  ["a", "a"],
  ["'a b'", "a b"],
  [`'it'"'"'s'`, "it's"],
  ["'$HOME'", "$HOME"],
  ["-n", "-n"],
])("%s", (line, argument) => {
  expect(shellQuote([argument])).toBe(line);
});
