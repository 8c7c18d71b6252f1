import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SkillSource } from "../../packages/skillwright/src/catalog/index.ts";
import { openLibrary } from "../../packages/skillwright/src/library/index.ts";
import { directorySource } from "../../packages/skillwright/src/sources/directory.ts";
import { fatesOf, namesOf, notesOf, openFolders, openUntrusted } from "../library/open-skills.ts";
import { addTree, makeTree, skillFolders, skillText, type Tree } from "../library/skill-tree.ts";

/** A folder, and what a library on it must hold. */
interface Row {
  readonly name: string;
  readonly tree: Tree;
  /** @default "trusted" */
  readonly trust?: "trusted" | "untrusted";
  readonly skills: readonly string[];
  /** All that is said, as `severity code path`. @default [] */
  readonly notes?: readonly string[];
}

const layouts: readonly Row[] = [
  { name: "a skill below a category folder is found", tree: { garden: skillFolders("moss") }, skills: ["moss"] },
  {
    name: "a skill six folders down is found, one seven down is told of",
    tree: { "1/2/3/4/5/fern": { "SKILL.md": skillText("fern") }, "1/2/3/4/5/6/moss": { "SKILL.md": skillText("moss") } },
    skills: ["fern"],
    notes: ["info depth-limit"],
  },
  {
    name: "a skill is a leaf: what lies in it is no skill of its own",
    tree: { moss: { "SKILL.md": skillText("moss"), examples: skillFolders("fern") } },
    skills: ["moss"],
  },
  {
    name: "copies in dot folders and dependencies below a root are not skills",
    tree: {
      garden: { ".cursor": skillFolders("moss"), ".git": skillFolders("fern"), node_modules: skillFolders("ivy") },
      ...skillFolders("reed"),
    },
    skills: ["reed"],
  },
  {
    name: "ignore files hide nothing",
    tree: { ".gitignore": "*", moss: { ".gitignore": "*", "SKILL.md": skillText("moss") } },
    skills: ["moss"],
  },
  {
    name: "skill.md is found everywhere, with a warning",
    tree: { moss: { "skill.md": skillText("moss") }, fern: { "Skill.md": skillText("fern") } },
    skills: ["fern", "moss"],
    notes: ["warning skill-file-case fern/Skill.md", "warning skill-file-case moss/skill.md"],
  },
  {
    name: "a Markdown file in the root itself is told how to become a skill",
    tree: { "moss.md": skillText("moss"), "README.md": "# Skills\n", ...skillFolders("fern") },
    skills: ["fern"],
    notes: ["info skill-file-misplaced moss.md"],
  },
  {
    name: "a file that is not UTF-8 is left out with its byte offset, and the others load",
    tree: {
      moss: { "SKILL.md": Uint8Array.from([...Buffer.from("---\nname: moss\ndescription: a "), 0xa1, 0xaa, ...Buffer.from("\n---\n")]) },
      ...skillFolders("fern"),
    },
    skills: ["fern"],
    notes: ["error encoding-invalid moss/SKILL.md"],
  },
  { name: "text is read as UTF-8", tree: { moss: { "SKILL.md": skillText("moss", "Übersicht — 笔记") } }, skills: ["moss"] },
  {
    name: "a body that names files which do not exist does not make a skill invalid",
    tree: { moss: { "SKILL.md": skillText("moss", "Reads maps.", "Use `tcp.flag_x` and\n```\nmap.json\n```\n") } },
    skills: ["moss"],
  },
  {
    name: "a skill whose name differs from its folder is warned of and loaded",
    tree: { moss: { "SKILL.md": skillText("acme-moss") } },
    skills: ["acme-moss"],
    notes: ["warning name-folder-mismatch moss/SKILL.md"],
  },
  {
    name: "one broken skill hides no other",
    tree: {
      a: { "SKILL.md": "---\nname: a\n" },
      b: { "SKILL.md": "" },
      c: { "SKILL.md": { link: "nowhere" } },
      ...skillFolders("moss"),
    },
    skills: ["moss"],
    notes: ["error frontmatter-unclosed a/SKILL.md", "error frontmatter-missing b/SKILL.md", "error link-broken c/SKILL.md"],
  },
  {
    name: "two skills of one name in one source are an error with a fixed winner",
    tree: { a: { "SKILL.md": skillText("moss", "The first.") }, b: { "SKILL.md": skillText("moss", "The second.") } },
    skills: ["moss"],
    notes: ["warning name-folder-mismatch a/SKILL.md", "warning name-folder-mismatch b/SKILL.md", "error duplicate-name b/SKILL.md"],
  },
  {
    name: "a SKILL.md that is a folder is told of",
    tree: { moss: { "SKILL.md": { "x.txt": "" } }, ...skillFolders("fern") },
    skills: ["fern"],
    notes: ["error skill-file-invalid moss/SKILL.md"],
  },
  {
    name: "a link to the folder that holds it ends the walk there",
    tree: { moss: { "SKILL.md": skillText("moss"), again: { link: "." } }, round: { link: "." } },
    skills: ["moss"],
    notes: ["warning link-cycle round"],
  },
  {
    name: "two links that lead to each other are told of",
    tree: { ...skillFolders("moss"), a: { link: "b" }, b: { link: "a" } },
    skills: ["moss"],
    notes: ["warning link-cycle a", "warning link-cycle b"],
  },
  {
    name: "a skill that is also reached through a link is one skill, under its own path",
    tree: { "a-link": { link: "moss" }, ...skillFolders("moss") },
    skills: ["moss"],
    notes: ["info same-folder a-link"],
  },
  {
    name: "a category that is also reached through a link is searched once",
    tree: { "a-link": { link: "garden" }, garden: skillFolders("moss") },
    skills: ["moss"],
  },
];

describe("what a folder holds", () => {
  test.each(layouts)("$name", async ({ tree, trust = "trusted", skills, notes = [] }) => {
    const root = makeTree(tree);
    const library = trust === "trusted" ? await openFolders(root) : await openUntrusted(root);
    expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({ skills, notes });
  });
});

test("SKILL.md wins over skill.md beside it, which is told of when the skill is looked at as a whole", async () => {
  const root = makeTree({
    moss: { "SKILL.md": skillText("moss"), "skill.md": skillText("lichen") },
    fern: { "Skill.md": skillText("fern"), "skill.md": "" },
  });
  const told: string[] = [];
  const library = await openFolders(root, { onEvent: (event) => event.type === "diagnostic" && told.push(event.diagnostic.code) });
  expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({
    skills: ["fern", "moss"],
    notes: ["warning skill-file-twice fern/skill.md"],
  });
  told.length = 0;
  expect((await library.load("moss")).body).toBe("How to do moss.\n");
  expect(told).toEqual(["skill-file-twice"]);
});

describe("links and trust", () => {
  const outside = (): string => makeTree({ moss: { "SKILL.md": skillText("moss"), "note.txt": "note" }, "SKILL.md": skillText("fern") });

  test("a root that is itself a link is found", async () => {
    const root = makeTree({ pool: skillFolders("moss"), skills: { link: "pool" } });
    expect(namesOf(await openFolders(join(root, "skills")))).toEqual(["moss"]);
  });

  test("a person's own linked skill is followed; in an untrusted root it is refused and said", async () => {
    const root = makeTree({ moss: { link: join(outside(), "moss") } });
    expect(namesOf(await openFolders(root))).toEqual(["moss"]);
    const untrusted = await openUntrusted(root);
    expect({ skills: namesOf(untrusted), notes: notesOf(untrusted, root) }).toEqual({
      skills: [],
      notes: ["warning link-outside-root moss"],
    });
  });

  test("a SKILL.md that is a link is followed where the root is trusted, and always said", async () => {
    const root = makeTree({ fern: { "SKILL.md": { link: join(outside(), "SKILL.md") } } });
    const trusted = await openFolders(root);
    expect({ skills: namesOf(trusted), notes: notesOf(trusted, root) }).toEqual({
      skills: ["fern"],
      notes: ["info link-followed fern/SKILL.md"],
    });
    expect((await trusted.load("fern")).body).toBe("How to do fern.\n");
    const untrusted = await openUntrusted(root);
    expect({ skills: namesOf(untrusted), notes: notesOf(untrusted, root) }).toEqual({
      skills: [],
      notes: ["error link-outside-root fern/SKILL.md"],
    });
  });

  test("links inside an untrusted root are followed", async () => {
    const root = makeTree({ garden: { ".pool": skillFolders("moss"), moss: { link: ".pool/moss" } } });
    expect(namesOf(await openUntrusted(root))).toEqual(["moss"]);
  });

  test("the resources of a skill are not searched: a link in it to a great tree costs nothing", async () => {
    const great = makeTree(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`d${index}`, skillFolders(`s${index}`)])));
    const root = makeTree({ moss: { "SKILL.md": skillText("moss"), references: { link: great } } });
    const library = await openFolders(root, { limits: { maxEntries: 10 } });
    expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({ skills: ["moss"], notes: [] });
  });

  test("what scans, loads, reads and lists obeys one boundary", async () => {
    const target = outside();
    const root = makeTree({
      moss: { "SKILL.md": skillText("moss"), "note.txt": { link: join(target, "moss/note.txt") }, docs: { link: join(target, "moss") } },
    });
    const trusted = await openFolders(root);
    expect((await trusted.load("moss")).files.map(({ path }) => path)).toEqual(["docs/SKILL.md", "docs/note.txt", "note.txt"]);
    expect((await trusted.read("moss", "docs/note.txt")).text).toBe("note");
    const untrusted = await openUntrusted(root);
    expect((await untrusted.load("moss")).files).toEqual([]);
    await expect(untrusted.read("moss", "note.txt")).rejects.toMatchObject({ code: "path-outside-root" });
    await expect(untrusted.read("moss", "docs/note.txt")).rejects.toMatchObject({ code: "path-outside-root" });
  });
});

describe("names and places", () => {
  test("the folder's name is an alias where it is unambiguous", async () => {
    const root = makeTree({
      moss: { "SKILL.md": skillText("acme-moss") },
      fern: { "SKILL.md": skillText("ivy") },
      ivy: { "SKILL.md": skillText("reed") },
    });
    const library = await openFolders(root);
    expect(["acme-moss", "moss", "fern", "ivy", "reed"].map((name) => library.catalog.get(name)?.name)).toEqual([
      "acme-moss",
      "acme-moss",
      "ivy",
      "ivy",
      "reed",
    ]);
  });

  test("a folder's name that two skills could mean is nobody's alias", async () => {
    const root = makeTree({ a: { x: { "SKILL.md": skillText("one") } }, b: { x: { "SKILL.md": skillText("two") } } });
    expect((await openFolders(root)).catalog.get("x")).toBeUndefined();
  });

  test("names compare in NFC", async () => {
    const root = makeTree({ "cafe\u0301-notes": { "SKILL.md": skillText("café-notes") } });
    const library = await openFolders(root);
    expect(notesOf(library, root)).toEqual([]);
    expect(library.catalog.get("cafe\u0301-notes")).toBe(library.catalog.get("café-notes"));
  });

  test("names in other scripts stay apart", async () => {
    expect(namesOf(await openFolders(makeTree(skillFolders("森林笔记", "潮汐笔记"))))).toEqual(["森林笔记", "潮汐笔记"]);
  });

  test.each([
    "moss",
    "skills/moss",
    "skills/moss/",
    "skills/moss/SKILL.md",
    "moss/skill.md",
    "skills\\moss\\SKILL.md",
    "./skills/moss/SKILL.md",
  ])("%j loads the skill, by name, folder or file", async (key) => {
    const root = makeTree({ skills: skillFolders("moss", "moss-evil") });
    const library = await openFolders(join(root, "skills"));
    expect((await library.load(key)).skill.name).toBe("moss");
    expect((await library.load(`${root}/skills/moss/SKILL.md`)).skill.name).toBe("moss");
  });

  test("an unknown name is answered with the nearest ones and never with another skill", async () => {
    const library = await openFolders(makeTree(skillFolders("way-finder-2", "tide")));
    await expect(library.load("way-findr")).rejects.toMatchObject({ code: "skill-not-found", data: { nearest: ["way-finder-2"] } });
  });

  test("an unknown file is answered with the nearest ones", async () => {
    const library = await openFolders(makeTree({ moss: { "SKILL.md": skillText("moss"), "docs/forms.md": "" } }));
    await expect(library.read("moss", "FORMS.md")).rejects.toMatchObject({ code: "file-not-found", data: { nearest: ["docs/forms.md"] } });
  });

  test("a skill says why it is not there when it is asked for", async () => {
    const library = await openFolders(makeTree({ moss: { "SKILL.md": "---\nname: moss\n---\n" } }));
    await expect(library.load("moss")).rejects.toMatchObject({
      code: "skill-not-found",
      data: { fate: "invalid" },
      message: expect.stringContaining("description"),
    });
  });
});

describe("several roots", () => {
  test("the earlier root wins a name, and the other is listed with both places", async () => {
    const [project, home] = [
      makeTree({ moss: { "SKILL.md": skillText("moss", "The project's.") } }),
      makeTree({ moss: { "SKILL.md": skillText("moss", "The person's.") } }),
    ];
    const library = await openFolders([project, home]);
    expect(library.catalog.get("moss")?.description).toBe("The project's.");
    expect(library.catalog.excluded).toEqual([
      { name: "moss", location: `${home}/moss`, fate: "shadowed", reason: expect.stringContaining(`${project}/moss`) },
    ]);
    expect((await openFolders([home, project])).catalog.get("moss")?.description).toBe("The person's.");
  });

  test("duplicates can be an error that names both files", async () => {
    const [a, b] = [makeTree(skillFolders("moss")), makeTree(skillFolders("moss"))];
    await expect(openFolders([a, b], { duplicates: "error" })).rejects.toMatchObject({
      code: "duplicate-skill",
      data: { name: "moss", paths: [`${a}/moss/SKILL.md`, `${b}/moss/SKILL.md`] },
    });
  });

  test("the same folder through two roots is one entry", async () => {
    const root = makeTree({ ".agents/skills": skillFolders("moss"), linked: { link: ".agents" } });
    const roots = [".agents/skills", "linked/skills", ".agents", ".agents/skills"].map((path) => join(root, path));
    for (const duplicates of ["first", "error"] as const) {
      const library = await openFolders(roots, { duplicates });
      expect(namesOf(library)).toEqual(["moss"]);
      expect(fatesOf(library, root)).toEqual([]);
      expect(library.catalog.diagnostics.map(({ code }) => code)).toEqual(["same-folder", "same-folder"]);
    }
  });

  test("sources that answer in any order give the same winner and the same bytes", async () => {
    const roots = [makeTree(skillFolders("moss", "fern")), makeTree(skillFolders("moss", "reed")), makeTree(skillFolders("reed", "fern"))];
    const slow = (root: string, turns: number): SkillSource => {
      const source = directorySource(root);
      return {
        ...source,
        async *list(context) {
          for (let turn = 0; turn < turns; turn++) await new Promise((resume) => setImmediate(resume));
          yield* source.list(context);
        },
      };
    };
    const texts = new Set<string>();
    for (let start = 0; start < 50; start++) {
      const sources = roots.map((root, index) => slow(root, (start * (index + 3)) % 7));
      const library = await openLibrary({ sources });
      texts.add(JSON.stringify([library.catalog.render().text, library.catalog.skills.map(({ location }) => location)]));
    }
    expect(texts.size).toBe(1);
  });

  test("a missing root that was named is a warning, a default place that is missing an info, and neither hides the others", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openLibrary({
      sources: [
        directorySource(`${root}/a`),
        directorySource(`${root}/b`, { missing: "info" }),
        directorySource(`${root}/moss/SKILL.md/x`),
        directorySource(root),
      ],
    });
    expect(namesOf(library)).toEqual(["moss"]);
    expect(notesOf(library, root)).toEqual(["warning root-missing a", "info root-missing b", "warning root-missing moss/SKILL.md/x"]);
  });

  test.each(["", "moss", "moss/SKILL.md", ".hidden"])(
    "a root may be a folder of skills, one skill, its file, or a dot folder: %j",
    async (path) => {
      const root = makeTree({ ...skillFolders("moss"), ".hidden": skillFolders("moss") });
      const library = await openFolders(join(root, path));
      expect(namesOf(library)).toEqual(["moss"]);
      expect((await library.load("moss")).body).toBe("How to do moss.\n");
    },
  );
});

describe("tenants", () => {
  const tenants = new Map([
    ["a", ["moss"]],
    ["b", ["fern"]],
  ]);
  const open = (tenant: unknown) =>
    openLibrary({
      context: tenant,
      sources: [
        (context) => {
          const names = tenants.get(String(context));
          return names && directorySource(makeTree(skillFolders(...names)));
        },
      ],
    });

  test("each tenant sees its own skills", async () => {
    expect(namesOf(await open("a"))).toEqual(["moss"]);
    expect(namesOf(await open("b"))).toEqual(["fern"]);
  });

  test("a tenant without a source is an error, never the host's disk", async () => {
    await expect(open("c")).rejects.toMatchObject({ code: "tenant-unresolved" });
    await expect(open(undefined)).rejects.toMatchObject({ code: "tenant-unresolved" });
  });
});

describe("what is read, and when", () => {
  test("a start reads headers only, and the catalogue holds no body", async () => {
    const root = makeTree({ moss: { "SKILL.md": skillText("moss", "Reads maps.", `SECRET ${"body ".repeat(100_000)}`) } });
    let longest = 0;
    const source = directorySource(root);
    const watched: SkillSource = {
      ...source,
      async *list(context) {
        for await (const entry of source.list(context)) {
          if ("header" in entry) longest = Math.max(longest, entry.header.length);
          yield entry;
        }
      },
      read: () => Promise.reject(new Error("nothing is read at the start")),
    };
    const library = await openLibrary({ sources: [watched] });
    expect(longest).toBe(4096);
    expect(library.catalog.render().text).not.toContain("SECRET");
    expect(JSON.stringify(library.catalog.skills)).not.toContain("SECRET");
  });

  test("frontmatter longer than what a listing brings is read whole", async () => {
    const description = "Reads maps. ".repeat(80).trim();
    const root = makeTree({
      moss: { "SKILL.md": `---\nname: moss\ndescription: ${description}\nmetadata:\n  notes: "${"n".repeat(5_000)}"\n---\nBody.\n` },
      ...skillFolders("reed"),
    });
    const library = await openFolders(root);
    expect(library.catalog.skills.map(({ name, description }) => [name, description])[0]).toEqual(["moss", description]);
    expect(namesOf(library)).toEqual(["moss", "reed"]);
  });

  test("nothing in a skill is run when it is found", async () => {
    const root = makeTree({
      moss: {
        "SKILL.md": skillText("moss"),
        "package.json": JSON.stringify({ scripts: { postinstall: "touch hit", prepare: "touch hit" } }),
        "index.mjs": "import { writeFileSync } from 'node:fs'; writeFileSync(new URL('hit', import.meta.url), '');",
      },
      fern: { "SKILL.md": `---js\nrequire("fs").writeFileSync("${join("hit")}", "")\n---\n` },
    });
    const library = await openFolders(root);
    await library.load("moss");
    expect(namesOf(library)).toEqual(["moss"]);
    expect(existsSync(join(root, "moss/hit")) || existsSync(join(root, "fern/hit")) || existsSync("hit")).toBe(false);
  });

  test("node_modules beside many skills is never entered", async () => {
    const root = makeTree({
      ...skillFolders("moss", "fern"),
      node_modules: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}/SKILL.md`, ""])),
    });
    const library = await openFolders(root, { limits: { maxEntries: 8 } });
    expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({ skills: ["fern", "moss"], notes: [] });
  });

  test("an empty library is a library: it is not read again until it is refreshed", async () => {
    const root = makeTree();
    const library = await openFolders(root);
    expect(namesOf(library)).toEqual([]);
    addTree(root, skillFolders("moss"));
    expect(namesOf(library)).toEqual([]);
    expect(await library.refresh()).toMatchObject({ changed: true, added: ["moss"] });
  });
});

describe("change", () => {
  test("an edit in place that keeps the size and sets the old time back is seen", async () => {
    const root = makeTree(skillFolders("moss", "fern"));
    const file = join(root, "moss/SKILL.md");
    utimesSync(file, 1_000, 1_000);
    const library = await openFolders(root);
    const before = library.catalog;
    writeFileSync(file, skillText("moss", "Does MOSS things when asked."));
    utimesSync(file, 1_000, 1_000);
    expect(await library.refresh()).toMatchObject({ changed: true, added: [], removed: [], updated: ["moss"] });
    expect(library.catalog.get("moss")?.description).toBe("Does MOSS things when asked.");
    expect(before.get("moss")?.description).toBe("Does moss things when asked.");
    expect(library.catalog.get("fern")).toBe(before.get("fern"));
  });

  test("an edited body is loaded at once; a deleted skill says that it was removed", async () => {
    const root = makeTree(skillFolders("moss", "fern"));
    const library = await openFolders(root);
    const first = await library.load("moss");
    appendFileSync(join(root, "moss/SKILL.md"), "More.\n");
    const second = await library.load("moss");
    expect(second.body).toBe("How to do moss.\nMore.\n");
    expect(second.bodyDigest).not.toBe(first.bodyDigest);
    rmSync(join(root, "fern"), { recursive: true });
    await expect(library.load("fern")).rejects.toMatchObject({ code: "skill-not-found", data: { removed: true } });
    expect(await library.refresh()).toMatchObject({ removed: ["fern"], updated: ["moss"] });
    await expect(library.load("fern")).rejects.toMatchObject({ code: "skill-not-found" });
  });

  test("runs that start while the folder is rebuilt see the old set or the new one, whole", async () => {
    const names = Array.from({ length: 35 }, (_, index) => `skill-${index}`);
    const parent = makeTree({ old: skillFolders(...names.slice(0, 11)), new: skillFolders(...names), skills: { link: "old" } });
    const library = await openFolders(join(parent, "skills"));
    const counts = new Set<number>();
    const runs = Array.from({ length: 40 }, async (_, index) => {
      if (index % 10 === 5) {
        rmSync(join(parent, "skills"));
        symlinkSync(index === 15 ? "old" : "new", join(parent, "skills"));
      }
      if (index % 3 === 0) await library.refresh();
      counts.add(library.catalog.skills.length);
    });
    await Promise.all(runs);
    expect([...counts].every((count) => count === 11 || count === 35)).toBe(true);
    expect(counts.size).toBe(2);
  });

  test("a file that was found as a link is confined again when it is read", async () => {
    const root = makeTree({ moss: { "SKILL.md": skillText("moss"), "a.txt": "inside" } });
    const secret = makeTree({ "a.txt": "outside" });
    const library = await openUntrusted(root);
    rmSync(join(root, "moss/a.txt"));
    symlinkSync(join(secret, "a.txt"), join(root, "moss/a.txt"));
    await expect(library.read("moss", "a.txt")).rejects.toMatchObject({ code: "path-outside-root" });
    mkdirSync(join(secret, "moss"));
    writeFileSync(join(secret, "moss/SKILL.md"), skillText("moss", "Another."));
    rmSync(join(root, "moss"), { recursive: true });
    symlinkSync(join(secret, "moss"), join(root, "moss"));
    await expect(library.load("moss")).rejects.toMatchObject({ code: "path-outside-root" });
  });
});

describe("resources", () => {
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff]);
  const open = () =>
    openFolders(
      makeTree({
        moss: {
          "SKILL.md": skillText("moss"),
          "assets/dot.png": png,
          "assets/not.png": "not an image",
          "assets/book.xlsx": Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 0x00, 0xff]),
          "references/a.md": "# A\n",
          "assets/latin1.txt": Uint8Array.from([0x66, 0xfc, 0x72]),
          "assets/plain": "text",
        },
        "moss-evil": { "SKILL.md": skillText("moss-evil"), x: "secret" },
      }),
    );

  test.each([
    { path: "assets/dot.png", mediaType: "image/png", text: undefined },
    { path: "assets/not.png", mediaType: "text/plain", text: "not an image" },
    { path: "assets/book.xlsx", mediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", text: undefined },
    { path: "references/a.md", mediaType: "text/markdown", text: "# A\n" },
    { path: "assets/latin1.txt", mediaType: "application/octet-stream", text: undefined },
    { path: "assets/plain", mediaType: "text/plain", text: "text" },
    { path: "./references//a.md", mediaType: "text/markdown", text: "# A\n" },
  ])("$path is $mediaType", async ({ path, mediaType, text }) => {
    const resource = await (await open()).read("moss", path);
    expect({ mediaType: resource.mediaType, text: resource.text }).toEqual({ mediaType, text });
    expect(resource.size).toBe(resource.bytes.length);
  });

  test("bytes come as they are", async () => {
    expect((await (await open()).read("moss", "assets/dot.png")).bytes).toEqual(png);
  });

  test.each([
    "../../etc/hostname",
    "/etc/hostname",
    "../moss-evil/x",
    "references/../../moss-evil/x",
    "a\\..\\..\\moss-evil\\x",
    "C:x",
    "C:\\x",
    "\\\\host\\s",
    "references/a.md\0.png",
    "",
    ".",
    "file:///etc/hostname",
  ])("%j is refused", async (path) => {
    const error = await (await open()).read("moss", path).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(?:path-outside-root|file-not-found)$/) });
  });

  test.each(["%2e%2e/moss-evil/x", "..%2fmoss-evil%2fx", "references"])("%j is a name that no file has", async (path) => {
    await expect((await open()).read("moss", path)).rejects.toMatchObject({ code: "file-not-found" });
  });

  test("files over the limit are refused with their size", async () => {
    const library = await openFolders(makeTree({ moss: { "SKILL.md": skillText("moss"), "big.txt": "x".repeat(2_000) } }), {
      limits: { maxResourceBytes: 1_000 },
    });
    await expect(library.read("moss", "big.txt")).rejects.toMatchObject({ code: "limit-exceeded", data: { size: 2_000, maxBytes: 1_000 } });
  });
});
