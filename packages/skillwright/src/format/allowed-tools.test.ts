import { expect, test } from "vitest";
import { splitToolNames } from "./allowed-tools.ts";

test.each([
  ["blanks", "Read Write  Grep", ["Read", "Write", "Grep"]],
  ["commas", "Read, Write,Grep", ["Read", "Write", "Grep"]],
  ["parentheses keep a tool together", "Bash(git add:*), Bash(git commit:*) Read", ["Bash(git add:*)", "Bash(git commit:*)", "Read"]],
  ["nested parentheses", "Bash(echo (a b)) Read", ["Bash(echo (a b))", "Read"]],
  ["several lines", "Read\n\tWrite\r\n", ["Read", "Write"]],
  ["a parenthesis too many", "Read) Write", ["Read)", "Write"]],
  ["a parenthesis never closed", "Bash(git Read", ["Bash(git Read"]],
  ["brackets of a list that YAML could not read", "[@tools/read, Write]", ["@tools/read", "Write"]],
  ["nothing", "  ", []],
])("splits %s", (_, text, tools) => {
  expect(splitToolNames(text)).toEqual(tools);
});
