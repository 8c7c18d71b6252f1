import { readFileSync } from "node:fs";
import { formatRules } from "skillwright";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../docs/diagnostics.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => /^\| `[a-z-]+` \|/.test(line));

test.each(Object.entries(formatRules))("the page on diagnostics has the row of %s", (code, { severity, meaning, fix }) => {
  const cells = [`\`${code}\``, severity, meaning, fix].map((cell) => cell.replaceAll("|", "\\|"));
  expect(rows).toContain(`| ${cells.join(" | ")} |`);
});

test("the page on diagnostics has no row of a code that is gone", () => {
  expect(rows).toHaveLength(Object.keys(formatRules).length);
});
