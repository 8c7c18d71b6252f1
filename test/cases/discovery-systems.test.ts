import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ReadingRules } from "../../packages/skillwright/src/core/index.ts";
import { openLibrary } from "../../packages/skillwright/src/library/index.ts";
import { directorySource } from "../../packages/skillwright/src/sources/directory.ts";
import { fatesOf, namesOf, openFolders, openUntrusted } from "../library/open-skills.ts";
import { addTree, makeTree, skillFolders, skillText, type Tree } from "../library/skill-tree.ts";

// What the skill systems that people come from do with folders; where two disagree, reading rules choose.

const folderRules: Partial<ReadingRules> = { nameFrom: "folder", requireDescription: false, requireFrontmatter: false };

describe("genkit", () => {
  const open = (tree: Tree, trust: "trusted" | "untrusted" = "trusted") =>
    trust === "trusted" ? openFolders(makeTree(tree), { rules: folderRules }) : openUntrusted(makeTree(tree), { rules: folderRules });

  test("a described skill and one without frontmatter are both there, the second by its name alone", async () => {
    const library = await open({
      python: { "SKILL.md": skillText("py", "A python expert skill") },
      javascript: { "SKILL.md": "JavaScript prompt.\n" },
    });
    expect(library.catalog.skills.map(({ name, description }) => [name, description])).toEqual([
      ["javascript", ""],
      ["python", "A python expert skill"],
    ]);
    expect(library.catalog.render().text).toContain("A python expert skill");
  });

  test("the folder's name is the id, whatever the frontmatter says", async () => {
    const library = await open({ python: { "SKILL.md": skillText("py") } });
    expect(library.catalog.get("python")?.name).toBe("python");
    expect(library.catalog.get("py")).toBeUndefined();
  });

  test("one real folder under two names is one skill", async () => {
    const library = await open({ python: { "SKILL.md": skillText("py") }, snake: { link: "python" } });
    expect(namesOf(library)).toEqual(["python"]);
  });

  test("a known skill gives its content, an unknown one is an error that says so", async () => {
    const library = await open({ python: { "SKILL.md": skillText("python", "d", "Python prompt content\n") } });
    expect((await library.load("python")).text).toContain("Python prompt content");
    await expect(library.load("nonexistent")).rejects.toMatchObject({ code: "skill-not-found" });
  });

  test("an empty folder is an empty library with an empty catalogue", async () => {
    const library = await open({});
    expect([namesOf(library), library.catalog.render().text]).toEqual([[], ""]);
  });

  test("a name that breaks the rules of the format is still listed", async () => {
    expect(namesOf(await open(skillFolders("My_Skill")))).toEqual(["My_Skill"]);
  });

  test("the same skill in two places: the place that comes first wins", async () => {
    const [first, second] = [
      makeTree({ pdf: { "SKILL.md": skillText("pdf", "First.") } }),
      makeTree({ pdf: { "SKILL.md": skillText("pdf", "Second.") } }),
    ];
    const library = await openFolders([first, second], { rules: folderRules });
    expect(library.catalog.skills.map(({ description }) => description)).toEqual(["First."]);
  });

  test("a SKILL.md over one mebibyte is left out, its small sibling loads", async () => {
    const library = await open({ big: { "SKILL.md": skillText("big", "d", "x".repeat(1024 * 1024)) }, ...skillFolders("small") });
    expect(namesOf(library)).toEqual(["small"]);
  });

  test("linked skills that leave an untrusted root are left out", async () => {
    const elsewhere = makeTree(skillFolders("moss"));
    const tree = { moss: { link: join(elsewhere, "moss") }, fern: { "SKILL.md": { link: join(elsewhere, "moss/SKILL.md") } } };
    expect(namesOf(await open(tree, "untrusted"))).toEqual([]);
    expect(namesOf(await open(tree))).toEqual(["fern", "moss"]);
  });

  test("a file removed after the scan is a recoverable error", async () => {
    const root = makeTree(skillFolders("python"));
    const library = await openFolders(root, { rules: folderRules });
    rmSync(join(root, "python/SKILL.md"));
    await expect(library.load("python")).rejects.toMatchObject({ code: "skill-not-found", data: { removed: true } });
  });

  test("a resource inside the skill is read; what lies beside it, above it or at an absolute path is not", async () => {
    const library = await open({ moss: { "SKILL.md": skillText("moss"), "references/a.md": "A" }, ...skillFolders("other") });
    expect((await library.read("moss", "references/a.md")).text).toBe("A");
    for (const path of ["../other/SKILL.md", "../../etc/passwd", "/etc/passwd"])
      await expect(library.read("moss", path)).rejects.toMatchObject({ code: "path-outside-root" });
  });

  test("every skill is listed by the name of its folder, blanks and markup and all", async () => {
    const names = ["two  blanks", "trailing ", "a<b"];
    const library = await open(Object.fromEntries(names.map((name) => [name, { "SKILL.md": "text" }])));
    for (const name of names) expect(library.catalog.get(name)?.name).toBe(name);
    expect([library.catalog.get("two blanks")?.name, library.catalog.get("trailing")?.name, library.catalog.get("a&lt;b")?.name]).toEqual(
      names,
    );
  });
});

describe("eino", () => {
  test.each<{ name: string; tree: Tree; skills: string[] }>([
    { name: "an empty base", tree: { ".keep": "" }, skills: [] },
    { name: "a folder without SKILL.md", tree: { moss: { "notes.txt": "" } }, skills: [] },
    { name: "two skills", tree: skillFolders("moss", "fern"), skills: ["fern", "moss"] },
    {
      name: "one skill without frontmatter does not take the others away",
      tree: { bad: { "SKILL.md": "no frontmatter" }, ...skillFolders("moss") },
      skills: ["moss"],
    },
    { name: "a skill two folders down beside one", tree: { a: skillFolders("deep"), ...skillFolders("moss") }, skills: ["deep", "moss"] },
  ])("$name", async ({ tree, skills }) => {
    expect(namesOf(await openFolders(makeTree(tree)))).toEqual(skills);
  });

  test("a base that does not exist is an empty library, and is said", async () => {
    const library = await openFolders(join(makeTree(), "none"));
    expect([namesOf(library), library.catalog.diagnostics.map(({ code }) => code)]).toEqual([[], ["root-missing"]]);
  });

  test("license and nested metadata are kept; the middle one of three is the one that is asked for", async () => {
    const header = "---\nname: two\ndescription: The second.\nlicense: MIT\nmetadata:\n  author: ann\n  tags: [a, b]\n---\nContent two.\n";
    const library = await openFolders(
      makeTree({ one: { "SKILL.md": skillText("one") }, two: { "SKILL.md": header }, three: { "SKILL.md": skillText("three") } }),
    );
    const { skill, body } = await library.load("two");
    expect([skill.description, skill.manifest.license, skill.manifest.metadata, body]).toEqual([
      "The second.",
      "MIT",
      { author: "ann", tags: ["a", "b"] },
      "Content two.\n",
    ]);
  });
});

describe("adk", () => {
  const strict = { strict: true } as const;

  test("a skill's references, assets and scripts are listed with paths of forward slashes", async () => {
    const library = await openFolders(
      makeTree({
        moss: {
          "SKILL.md": skillText("moss"),
          references: { deep: { "a.md": "A" } },
          assets: { "b.bin": Uint8Array.of(0, 255) },
          scripts: { "c.py": "print()", "d.bin": Uint8Array.of(0) },
        },
      }),
      strict,
    );
    const { files } = await library.load("moss");
    expect(files.map(({ path, kind }) => [path, kind])).toEqual([
      ["assets/b.bin", "asset"],
      ["references/deep/a.md", "reference"],
      ["scripts/c.py", "script"],
      ["scripts/d.bin", "script"],
    ]);
    expect((await library.read("moss", "assets/b.bin")).bytes).toEqual(Uint8Array.of(0, 255));
  });

  test("two valid skills are listed; one without a manifest, one of bad YAML and one of another name are not", async () => {
    const root = makeTree({
      ...skillFolders("moss", "fern"),
      empty: { "a.txt": "" },
      bad: { "SKILL.md": "---\nname: bad\n  x: [\n---\n" },
      other: { "SKILL.md": skillText("another") },
    });
    const library = await openFolders(root, strict);
    expect({ skills: namesOf(library), fates: fatesOf(library, root) }).toEqual({
      skills: ["fern", "moss"],
      fates: ["invalid bad", "invalid other"],
    });
    expect(namesOf(await openFolders(root))).toEqual(["fern", "moss", "another"]);
  });

  test("snake case is accepted where it is asked for", async () => {
    const root = makeTree(skillFolders("snake_case", "kebab-case"));
    expect(namesOf(await openFolders(root, strict))).toEqual(["kebab-case"]);
    expect(namesOf(await openFolders(root, { ...strict, rules: { nameStyle: "kebab-or-snake" } }))).toEqual(["kebab-case", "snake_case"]);
  });

  test.each(["SKILL.md", "skill.md", "Skill.md", "SKILL.MD"])("the manifest may be named %s", async (file) => {
    const library = await openFolders(makeTree({ moss: { [file]: skillText("moss") } }), strict);
    expect((await library.load("moss")).files).toEqual([]);
  });

  test("a base that is a file is no root", async () => {
    const library = await openFolders(join(makeTree({ "base.txt": "" }), "base.txt"));
    expect(library.catalog.diagnostics.map(({ code }) => code)).toEqual(["root-invalid"]);
  });

  test("loading does not hold up the loop: others run between the skills of a large library", async () => {
    const library = await openFolders(makeTree(skillFolders(...Array.from({ length: 40 }, (_, index) => `s${index}`))));
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await Promise.all(library.catalog.skills.map(({ name }) => library.load(name)));
    await new Promise((resume) => setTimeout(resume, 2));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });
});

describe("trpc", () => {
  test("a known name has a folder, a missing one an error; a root may be reached through a link", async () => {
    const root = makeTree({ real: skillFolders("moss"), linked: { link: "real" } });
    const library = await openFolders(join(root, "linked"));
    expect(library.catalog.get("moss")?.location).toBe(join(root, "linked/moss"));
    await expect(library.load("missing")).rejects.toMatchObject({ code: "skill-not-found" });
  });

  test("an edited SKILL.md shows its new text, a deleted one is gone, an added one appears after a refresh", async () => {
    const root = makeTree(skillFolders("moss", "fern"));
    const library = await openFolders(root);
    writeFileSync(join(root, "moss/SKILL.md"), skillText("moss", "New text."));
    rmSync(join(root, "fern/SKILL.md"));
    addTree(root, skillFolders("reed"));
    expect(await library.refresh()).toEqual({ changed: true, added: ["reed"], removed: ["fern"], updated: ["moss"] });
    expect(library.catalog.get("moss")?.description).toBe("New text.");
  });

  test("nested files have slash paths; a link that leads nowhere is skipped and told of", async () => {
    const told: string[] = [];
    const root = makeTree({ moss: { "SKILL.md": skillText("moss"), docs: { deep: { "A.MD": "" } }, gone: { link: "nowhere" } } });
    const library = await openFolders(root, { onEvent: (event) => event.type === "diagnostic" && told.push(event.diagnostic.code) });
    expect((await library.load("moss")).files.map(({ path }) => path)).toEqual(["docs/deep/A.MD"]);
    expect(told).toEqual(["link-broken"]);
  });

  test("the same name in two roots: the first root wins", async () => {
    const roots = [
      makeTree({ moss: { "SKILL.md": skillText("moss", "One.") } }),
      makeTree({ moss: { "SKILL.md": skillText("moss", "Two.") } }),
    ];
    expect((await openFolders(roots)).catalog.get("moss")?.description).toBe("One.");
  });

  test("a file that is broken after the scan is an error when it is loaded, and gone after a refresh", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openFolders(root);
    writeFileSync(join(root, "moss/SKILL.md"), "---\nname: moss\n---\n");
    await expect(library.load("moss")).rejects.toMatchObject({ code: "source-failed" });
  });

  test("a renamed skill answers to its new name after a refresh, and to its folder's", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openFolders(root);
    writeFileSync(join(root, "moss/SKILL.md"), skillText("lichen"));
    expect(await library.refresh()).toMatchObject({ added: ["lichen"], removed: ["moss"] });
    expect([library.catalog.get("lichen")?.name, library.catalog.get("moss")?.name]).toEqual(["lichen", "lichen"]);
  });

  test("a filter hides for one user: in lists, answers, paths and suggestions; the plain library stays whole", async () => {
    const library = await openFolders(makeTree(skillFolders("moss", "moss-admin")));
    const scoped = library.scope({ filter: ({ name }) => !name.endsWith("-admin") });
    expect([namesOf(scoped), namesOf(library)]).toEqual([["moss"], ["moss", "moss-admin"]]);
    const [hidden, missing] = await Promise.all(
      ["moss-admin", "moss-adminn"].map((name) => scoped.load(name).catch((error: unknown) => error)),
    );
    expect(hidden).toMatchObject({ code: "skill-not-found", data: { nearest: ["moss"] } });
    expect(missing).toMatchObject({ code: "skill-not-found", data: { nearest: ["moss"] } });
    await expect(scoped.read("moss-admin", "SKILL.md")).rejects.toMatchObject({ code: "skill-not-found" });
  });

  test("the first of two of a name wins even when it is not eligible: nothing takes its place", async () => {
    const roots = [
      makeTree({ moss: { "SKILL.md": skillText("moss", "Needs more.") } }),
      makeTree({ moss: { "SKILL.md": skillText("moss", "Second.") } }),
    ];
    const filter = (skill: { description: string }) =>
      skill.description === "Needs more." ? { withheld: "It needs more.", fate: "ineligible" as const } : true;
    const library = await openLibrary({ sources: roots.map((root) => directorySource(root)), filter });
    expect([namesOf(library), library.catalog.excluded.map(({ fate }) => fate).sort()]).toEqual([[], ["ineligible", "shadowed"]]);
    await expect(library.load("moss")).rejects.toMatchObject({
      message: expect.stringContaining("It needs more."),
      data: { fate: "ineligible" },
    });
  });

  test("a skill whose need is met comes back with the next refresh", async () => {
    let met = false;
    const library = await openFolders(makeTree(skillFolders("moss")), {
      filter: () => met || { withheld: "Install it.", fate: "ineligible" },
    });
    expect(namesOf(library)).toEqual([]);
    met = true;
    expect(await library.refresh()).toMatchObject({ changed: true, added: ["moss"] });
    expect(await library.refresh()).toMatchObject({ changed: false });
  });
});
