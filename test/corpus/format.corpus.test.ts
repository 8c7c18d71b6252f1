import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseSkill } from "skillwright";
import { expect, test } from "vitest";
import { isMap, parseDocument } from "yaml";

/** A folder of real skills, where there is one. */
const corpus = process.env.SKILLWRIGHT_CORPUS;

/** Why a header that the library accepts may be refused all the same. */
const refusals = new Set([
  "yaml-anchor",
  "yaml-alias",
  "yaml-tag",
  "key-forbidden",
  "frontmatter-too-complex",
  "frontmatter-too-large",
  "encoding-invalid",
  "description-missing",
]);

interface Outcome {
  readonly path: string;
  /** What the library makes of the frontmatter; undefined where it refuses or there is none. */
  readonly reference: { readonly name?: unknown; readonly description?: unknown } | undefined;
  readonly parsed: ReturnType<typeof parseSkill>;
}

function readAll(folder: string): Outcome[] {
  return globSync("**/[Ss][Kk][Ii][Ll][Ll].md", { cwd: folder }).map((path) => {
    const bytes = readFileSync(join(folder, path));
    const header = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*\r?(?:\n|$)/.exec(bytes.toString("utf8"))?.[1];
    const document = header === undefined ? undefined : parseDocument(header, { schema: "failsafe", logLevel: "silent" });
    const isSound = document !== undefined && document.errors.length === 0 && isMap(document.contents);
    return {
      path,
      reference: isSound ? { name: document.get("name"), description: document.get("description") } : undefined,
      parsed: parseSkill(bytes, { folder: basename(dirname(path)), location: path }),
    };
  });
}

test("real skills: nothing throws, everything is read or explained, and what YAML accepts reads as YAML", (context) => {
  if (corpus === undefined) return context.skip("SKILLWRIGHT_CORPUS names no folder of skills");
  const outcomes = readAll(corpus);
  expect(outcomes.length).toBeGreaterThan(0);

  const unexplained = outcomes.filter(
    ({ parsed }) => parsed.manifest === undefined && !parsed.diagnostics.some(({ severity }) => severity === "error"),
  );
  expect(unexplained.map(({ path }) => path)).toEqual([]);

  const different = outcomes.filter(({ reference, parsed: { manifest, diagnostics } }) => {
    if (reference === undefined) return false;
    if (manifest === undefined) return !diagnostics.some(({ severity, code }) => severity === "error" && refusals.has(code));
    // What only looks like a tag or an alias is read as text, and a name without text is the folder's.
    if (manifest.repaired) return false;
    const { name, description } = reference;
    return (
      (typeof name === "string" && name.trim() !== manifest.name && !isNothing(name)) ||
      (typeof description === "string" && description !== manifest.description)
    );
  });
  expect(different.map(({ path }) => path)).toEqual([]);

  const refused = outcomes.filter(({ reference }) => reference === undefined);
  const accounted = refused.filter(
    ({ parsed: { manifest, diagnostics } }) =>
      manifest?.repaired === true || diagnostics.some(({ line, hint }) => line !== undefined && hint !== undefined),
  );
  expect(accounted.length).toBeGreaterThanOrEqual(refused.length * 0.99);
});

function isNothing(text: string): boolean {
  return /^(?:|~|null)$/i.test(text.trim());
}
