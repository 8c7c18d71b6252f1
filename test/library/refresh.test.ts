import { renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SkillSource, SourceEntry } from "../../packages/skillwright/src/catalog/index.ts";
import { openLibrary } from "../../packages/skillwright/src/library/index.ts";
import { directorySource } from "../../packages/skillwright/src/sources/directory.ts";
import { defineSkill, memorySource } from "../../packages/skillwright/src/sources/memory.ts";
import { namesOf, notesOf, openFolders } from "./open-skills.ts";
import { addTree, makeTree, skillFolders, skillText } from "./skill-tree.ts";

describe("what a refresh reads", () => {
  /** A source that counts what it reads anew, and says that nothing changed just now: such files are always looked at again. */
  function counting(root: string): { source: SkillSource; read: string[] } {
    const read: string[] = [];
    const source = directorySource(root);
    return {
      read,
      source: {
        ...source,
        *list(context) {
          for (const entry of source.list(context) as Iterable<SourceEntry>) {
            if ("header" in entry) read.push(entry.path);
            yield "header" in entry ? { ...entry, modifiedMs: 0 } : entry;
          }
        },
      },
    };
  }

  test("nothing, when nothing changed: the catalogue and its text are the same objects", async () => {
    const { source, read } = counting(makeTree(skillFolders("moss", "fern")));
    const library = await openLibrary({ sources: [source] });
    const { catalog } = library;
    const rendered = catalog.render();
    read.length = 0;
    expect(await library.refresh()).toEqual({ changed: false, added: [], removed: [], updated: [] });
    await library.load("moss");
    expect(read).toEqual([]);
    expect(library.catalog).toBe(catalog);
    expect(library.catalog.render()).toBe(rendered);
  });

  test("what changed alone", async () => {
    const root = makeTree(skillFolders("moss", "fern", "reed"));
    const { source, read } = counting(root);
    const library = await openLibrary({ sources: [source] });
    read.length = 0;
    writeFileSync(join(root, "fern/SKILL.md"), skillText("fern", "New."));
    expect(await library.refresh()).toMatchObject({ updated: ["fern"] });
    expect(read).toEqual(["fern"]);
  });

  test("a file that is renamed over the old one is seen, whatever its size and time", async () => {
    const root = makeTree({ moss: { "SKILL.md": skillText("moss", "Old text."), next: skillText("moss", "New text.") } });
    const paths = ["SKILL.md", "next"].map((name) => join(root, "moss", name));
    for (const path of paths) utimesSync(path, 1_000, 1_000);
    const library = await openFolders(root);
    renameSync(join(root, "moss/next"), join(root, "moss/SKILL.md"));
    expect(await library.refresh()).toMatchObject({ updated: ["moss"] });
    expect(library.catalog.get("moss")?.description).toBe("New text.");
  });

  test("two edits of the same length within one tick of the clock are both seen", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openFolders(root);
    for (let round = 0; round < 50; round++) {
      const description = `Round ${String(round).padStart(3, "0")}.`;
      writeFileSync(join(root, "moss/SKILL.md"), skillText("moss", description));
      await library.refresh();
      expect(library.catalog.get("moss")?.description).toBe(description);
    }
  });
});

describe("half-written skills", () => {
  test.each([
    { name: "empty", length: 0 },
    { name: "cut in the opening line", length: 2 },
    { name: "cut in the frontmatter", length: 20 },
  ])("a SKILL.md that is $name keeps its last version until it is whole", async ({ length }) => {
    const root = makeTree(skillFolders("moss", "fern"));
    const library = await openFolders(root);
    const before = library.catalog.get("moss");
    truncateSync(join(root, "moss/SKILL.md"), length);
    await library.refresh();
    expect(library.catalog.get("moss")).toBe(before);
    expect(notesOf(library, root)).toEqual(["warning skill-half-written moss/SKILL.md"]);
    writeFileSync(join(root, "moss/SKILL.md"), skillText("moss", "Whole again."));
    expect(await library.refresh()).toMatchObject({ changed: true, updated: ["moss"] });
    expect(notesOf(library, root)).toEqual([]);
  });

  test("a new skill is not shown before its frontmatter is whole", async () => {
    const root = makeTree(skillFolders("fern"));
    const library = await openFolders(root);
    for (const text of ["", "---\nname: moss\n", "---\nname: moss\ndescription: Half a descr"]) {
      addTree(root, { moss: { "SKILL.md": text } });
      await library.refresh();
      expect(namesOf(library)).toEqual(["fern"]);
    }
    addTree(root, skillFolders("moss"));
    expect(await library.refresh()).toMatchObject({ added: ["moss"] });
  });

  test("a skill whose frontmatter is whole and wrong is no half-written one", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openFolders(root);
    writeFileSync(join(root, "moss/SKILL.md"), "---\nname: moss\n---\n");
    expect(await library.refresh()).toMatchObject({ removed: ["moss"] });
    expect(notesOf(library, root)).toEqual(["error description-missing moss/SKILL.md"]);
  });
});

describe("sources that fail", () => {
  test("a source that fails at the start is told of; the others are there", async () => {
    const broken: SkillSource = {
      ...directorySource("/"),
      id: "broken",
      list: () => {
        throw new Error("no answer");
      },
    };
    const library = await openLibrary({ sources: [broken, directorySource(makeTree(skillFolders("moss")))] });
    expect(namesOf(library)).toEqual(["moss"]);
    expect(library.catalog.diagnostics).toMatchObject([
      { severity: "error", code: "source-failed", message: expect.stringContaining("no answer") },
    ]);
  });

  test("a source that fails later keeps its skills until it answers again", async () => {
    const root = makeTree(skillFolders("moss"));
    const source = directorySource(root);
    let fails = false;
    const shaky: SkillSource = {
      ...source,
      async *list(context) {
        if (fails) throw new Error("no answer");
        yield* source.list(context);
      },
    };
    const library = await openLibrary({ sources: [shaky] });
    fails = true;
    addTree(root, skillFolders("fern"));
    await library.refresh();
    expect([namesOf(library), library.catalog.diagnostics.map(({ code }) => code)]).toEqual([["moss"], ["source-failed"]]);
    expect(await library.refresh()).toMatchObject({ changed: false });
    fails = false;
    expect(await library.refresh()).toMatchObject({ added: ["fern"] });
    expect(library.catalog.diagnostics).toEqual([]);
  });

  test("a refresh that finds duplicates where they are errors leaves the catalogue as it was", async () => {
    const roots = [makeTree(skillFolders("moss")), makeTree(skillFolders("fern"))];
    const library = await openFolders(roots, { duplicates: "error" });
    const { catalog } = library;
    addTree(roots[1] ?? "", skillFolders("moss"));
    await expect(library.refresh()).rejects.toMatchObject({ code: "duplicate-skill" });
    expect(library.catalog).toBe(catalog);
  });

  test("a refresh that is aborted leaves the catalogue as it was", async () => {
    const library = await openFolders(makeTree(skillFolders("moss")));
    const controller = new AbortController();
    controller.abort();
    const { catalog } = library;
    await expect(library.refresh({ signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
    expect(library.catalog).toBe(catalog);
    expect(await library.refresh()).toMatchObject({ changed: false });
  });
});

test("skills in code and in folders stand side by side, and code may change between refreshes", async () => {
  const skills = [
    defineSkill({
      name: "moss",
      description: "From code.",
      body: "Body.\n",
      files: { "references/a.md": "A", "scripts/run.sh": "#!/bin/sh\n" },
    }),
  ];
  const library = await openLibrary({ sources: [memorySource(skills), directorySource(makeTree(skillFolders("moss", "fern")))] });
  expect(library.catalog.skills.map(({ name, location }) => [name, location.startsWith("memory:")])).toEqual([
    ["moss", true],
    ["fern", false],
  ]);
  const loaded = await library.load("moss");
  expect([loaded.body, loaded.files.map(({ path, mode, kind }) => [path, mode, kind])]).toEqual([
    "Body.\n",
    [
      ["references/a.md", 0o644, "reference"],
      ["scripts/run.sh", 0o755, "script"],
    ],
  ]);
  skills.push(defineSkill({ name: "reed", description: "Later.", body: "" }));
  expect(await library.refresh()).toMatchObject({ added: ["reed"] });
  skills.shift();
  expect(await library.refresh()).toMatchObject({ changed: true, updated: ["moss"] });
  await expect(library.load("memory")).rejects.toMatchObject({ code: "skill-not-found" });
});

test("a large library is read in slices, between which others run", async () => {
  const skills = Array.from({ length: 30_000 }, (_, index) =>
    defineSkill({ name: `skill-${index}`, description: "One of many.", body: "" }),
  );
  let turns = 0;
  const turn = (): void => {
    turns++;
    running = setImmediate(turn);
  };
  let running = setImmediate(turn);
  const library = await openLibrary({ sources: [memorySource(skills)] });
  clearImmediate(running);
  expect(namesOf(library)).toHaveLength(30_000);
  expect(turns).toBeGreaterThan(0);
});

test("two hundred readers of one library each see one consistent set, old or new, while it changes", async () => {
  const generation = (round: number) =>
    Object.fromEntries(["moss", "fern", "reed"].map((name) => [name, { "SKILL.md": skillText(name, `Round ${round}.`) }]));
  const root = makeTree(generation(0));
  const library = await openFolders(root);
  const texts = new Map<number, Set<string>>();
  await Promise.all(
    Array.from({ length: 200 }, async (_, reader) => {
      if (reader % 20 === 10) {
        addTree(root, generation(reader));
        await library.refresh();
      }
      const { catalog } = library;
      const rounds = new Set(catalog.skills.map(({ description }) => description));
      expect(rounds.size).toBe(1);
      const { text } = catalog.render();
      await library.load(["moss", "fern", "reed"][reader % 3] ?? "");
      expect(catalog.render().text).toBe(text);
      texts.set(catalog.revision, (texts.get(catalog.revision) ?? new Set()).add(text));
    }),
  );
  expect([...texts.values()].every((set) => set.size === 1)).toBe(true);
  expect(texts.size).toBeGreaterThan(1);
});

describe("properties", () => {
  const name = fc.constantFrom("moss", "fern", "reed", "ivy");
  const folder = fc.constantFrom("a", "b", "c", "d/e", "d/f");
  const edit = fc.oneof(
    fc.record({ kind: fc.constant("write" as const), root: fc.nat(1), folder, name, word: fc.constantFrom("one", "two", "six") }),
    fc.record({ kind: fc.constant("remove" as const), root: fc.nat(1), folder }),
    fc.record({
      kind: fc.constant("break" as const),
      root: fc.nat(1),
      folder,
      text: fc.constantFrom("text", "---\nname: x\n---\n", "---\nname: [\n---\n"),
    }),
  );

  test("after any edits a refresh sees what a fresh library sees", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(edit, { maxLength: 5 }), { maxLength: 6 }), async (rounds) => {
        const base = makeTree({ r0: {}, r1: {} });
        const roots = [join(base, "r0"), join(base, "r1")];
        const library = await openFolders(roots);
        for (const edits of rounds) {
          for (const step of edits) {
            const path = join(roots[step.root] ?? "", step.folder);
            if (step.kind === "remove") rmSync(path, { recursive: true, force: true });
            else addTree(path, { "SKILL.md": step.kind === "write" ? skillText(step.name, `Says ${step.word}.`) : step.text });
          }
          const before = library.catalog;
          const { changed, added, removed } = await library.refresh();
          // What was cut a moment ago is shown as it was before; a fresh library has no before.
          const cut = library.catalog.diagnostics.some(({ code }) => code === "skill-half-written");
          const fresh = await openFolders(roots);
          if (!cut) {
            expect(facts(library)).toEqual(facts(fresh));
          }
          expect(changed).toBe(library.catalog !== before);
          const old = new Set(before.skills.map((skill) => skill.name));
          const now = new Set(namesOf(library));
          expect(added).toEqual([...now].filter((skill) => !old.has(skill)));
          expect(removed).toEqual([...old].filter((skill) => !now.has(skill)));
        }
        rmSync(base, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });

  test("the earlier source wins every name, and no candidate is lost", async () => {
    const roots = fc.array(fc.dictionary(fc.constantFrom("a", "b", "c", "d"), name), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(roots, async (trees) => {
        const base = makeTree(
          Object.fromEntries(
            trees.map((tree, index) => [
              `r${index}`,
              Object.fromEntries(Object.entries(tree).map(([path, skill]) => [path, { "SKILL.md": skillText(skill) }])),
            ]),
          ),
        );
        const library = await openFolders(trees.map((_, index) => join(base, `r${index}`)));
        const expected = new Map<string, string>();
        trees.forEach((tree, index) => {
          for (const [path, skill] of Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1))) {
            if (!expected.has(skill)) expected.set(skill, join(base, `r${index}`, path));
          }
        });
        expect(library.catalog.skills.map((skill) => [skill.name, skill.location])).toEqual([...expected]);
        const candidates = trees.reduce((sum, tree) => sum + Object.keys(tree).length, 0);
        expect(library.catalog.skills.length + library.catalog.excluded.length).toBe(candidates);
        rmSync(base, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });

  function facts({ catalog }: Awaited<ReturnType<typeof openFolders>>): unknown {
    return {
      skills: catalog.skills.map((skill) => [skill.name, skill.description, skill.location, skill.aliases]),
      excluded: catalog.excluded,
      diagnostics: catalog.diagnostics,
      text: catalog.render().text,
    };
  }
});
