import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namesOf, openFolders, openUntrusted } from "../library/open-skills.ts";

/** A folder of real skills, where there is one. */
const corpus = process.env.SKILLWRIGHT_CORPUS;

/** Every folder with a SKILL.md that no other such folder holds, found without the library. */
function candidatesBelow(folder: string, depth = 0): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name.toLowerCase() === "skill.md")) return [folder];
  if (depth === 6) return [];
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .flatMap(({ name }) => candidatesBelow(join(folder, name), depth + 1));
}

test("every candidate of a real collection is a skill, or is listed with a reason", async (context) => {
  if (corpus === undefined) return context.skip("SKILLWRIGHT_CORPUS names no folder of skills");
  for (const library of [await openFolders(corpus), await openUntrusted(corpus)]) {
    const { skills, excluded, diagnostics } = library.catalog;
    const places = [...skills, ...excluded].map(({ location }) => location);
    const said = new Set(diagnostics.map(({ location }) => location));
    const lost = candidatesBelow(corpus).filter((folder) => !places.includes(folder) && !said.has(folder));
    expect(lost).toEqual([]);
    expect(new Set(places).size).toBe(places.length);
    expect(excluded.filter(({ reason }) => reason.length < 10)).toEqual([]);
  }
});

test("every skill of a real collection loads and searches, and a refresh finds nothing new", async (context) => {
  if (corpus === undefined) return context.skip("SKILLWRIGHT_CORPUS names no folder of skills");
  const library = await openFolders(corpus);
  expect(namesOf(library).length).toBeGreaterThan(0);
  for (const skill of library.catalog.skills) {
    expect(library.catalog.get(skill.name)).toBe(skill);
    const loaded = await library.load(skill.name);
    expect(loaded.skill).toBe(skill);
    expect(loaded.text.endsWith(loaded.body)).toBe(true);
    for (const { path, bytes } of loaded.files.slice(0, 20)) {
      if (bytes > library.limits.maxResourceBytes) continue;
      const resource = await library.read(skill.name, path);
      expect(resource.size).toBe(lstatSync(join(skill.location, path)).isSymbolicLink() ? resource.size : bytes);
    }
  }
  expect((await library.search("fill in a PDF form")).length).toBeGreaterThan(0);
  expect(await library.refresh()).toMatchObject({ changed: false });
});
