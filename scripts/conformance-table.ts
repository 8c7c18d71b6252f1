import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Row } from "../test/conformance/row.ts";

// Writes docs/conformance.md from the rows that test/conformance proves; `--check` fails when the page is not up to date.
const folder = fileURLToPath(new URL("../test/conformance/", import.meta.url));
const page = fileURLToPath(new URL("../docs/conformance.md", import.meta.url));

const systems: { readonly name: string; readonly rows: readonly Row[] }[] = [];
for (const file of readdirSync(folder)
  .filter((name) => name.endsWith(".rows.ts"))
  .sort()) {
  const module = (await import(pathToFileURL(`${folder}${file}`).href)) as { rows: readonly Row[] };
  systems.push({ name: file.replace(".rows.ts", ""), rows: module.rows });
}

const count = (rows: readonly Row[], status: Row["status"]): number => rows.filter((row) => row.status === status).length;
const lines = [
  "# Conformance",
  "",
  "What the five home systems do, line by line, and what Skillwright does with it. Written by `npm run conformance` from the rows in",
  "`test/conformance`; each row that applies is a test of the same name. *Passed*: the same here. *Bettered*: answered differently on",
  "purpose. *Not applicable*: about a part that a TypeScript runtime for skills does not have.",
  "",
  "| system | lines | passed | bettered | not applicable | of those that apply |",
  "| --- | ---: | ---: | ---: | ---: | ---: |",
  ...systems.map(({ name, rows }) => {
    const applicable = rows.length - count(rows, "not-applicable");
    const share = applicable === 0 ? "–" : `${(((count(rows, "passed") + count(rows, "bettered")) / applicable) * 100).toFixed(1)} %`;
    return `| ${name} | ${rows.length} | ${count(rows, "passed")} | ${count(rows, "bettered")} | ${count(rows, "not-applicable")} | ${share} |`;
  }),
  ...systems.flatMap(({ name, rows }) => {
    const special = rows.filter((row) => row.status !== "passed");
    if (special.length === 0) return [];
    return [
      "",
      `## ${name}: bettered and not applicable`,
      "",
      "| line | given → expected there | here |",
      "| --- | --- | --- |",
      ...special.map(
        (row) =>
          `| ${row.id} | ${cell(`${row.given} → ${row.expected}`)} | ${row.status === "bettered" ? "" : "*not applicable* "}${cell(row.why ?? "")} |`,
      ),
    ];
  }),
  "",
];
const text = lines.join("\n");

function cell(value: string): string {
  return value.replaceAll("|", "\\|").replace(/\s+/g, " ");
}

if (process.argv.includes("--check")) {
  if (readFileSync(page, "utf8") !== text) {
    console.error("docs/conformance.md is not up to date: run npm run conformance.");
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, text);
  console.log(lines.slice(6, 8 + systems.length).join("\n"));
}
