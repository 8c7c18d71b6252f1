import { describe, expect, test } from "vitest";
import type { SkillSource, SourceCandidate } from "../../packages/skillwright/src/catalog/index.ts";
import { openLibrary } from "../../packages/skillwright/src/library/index.ts";
import { directorySource } from "../../packages/skillwright/src/sources/directory.ts";
import { defineSkill, memorySource } from "../../packages/skillwright/src/sources/memory.ts";
import { namesOf, openFolders } from "./open-skills.ts";
import { addTree, makeTree, skillFolders, skillText } from "./skill-tree.ts";

const names = ["pdf-forms", "pdf-merge", "pdf-secret", "xlsx", "café"];

describe("scopes", () => {
  test.each([
    { allow: ["pdf-*"], skills: ["pdf-forms", "pdf-merge", "pdf-secret"] },
    { allow: ["pdf-*", "xlsx"], deny: ["*-secret"], skills: ["pdf-forms", "pdf-merge", "xlsx"] },
    { deny: ["*"], skills: [] },
    { allow: [], skills: [] },
    { allow: ["cafe\u0301"], skills: ["café"] },
    { allow: ["pdf-?erge"], skills: ["pdf-merge"] },
    { allow: ["PDF-*"], skills: [] },
    { allow: ["pdf"], skills: [] },
  ])("allow $allow, deny $deny", async ({ skills, ...scope }) => {
    const library = await openFolders(makeTree(skillFolders(...names)));
    expect(namesOf(library.scope(scope)).sort()).toEqual([...skills].sort());
  });

  test("what is hidden is absent everywhere", async () => {
    const root = makeTree({ ...skillFolders(...names), "pdf-broken": { "SKILL.md": "" }, odd: { "SKILL.md": skillText("pdf-secret-2") } });
    const library = await openFolders(root);
    const scoped = library.scope({ deny: ["pdf-*"] });
    expect(scoped.catalog.render().text).not.toContain("pdf");
    expect(JSON.stringify([scoped.catalog.excluded, scoped.catalog.diagnostics])).not.toContain("pdf");
    expect([scoped.catalog.get("pdf-forms"), scoped.catalog.get("odd"), scoped.catalog.get(`${root}/pdf-forms`)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect((await scoped.search("pdf forms merge secret")).map(({ skill }) => skill.name)).toEqual([]);
    for (const name of ["pdf-forms", "pdf-form", "odd", "pdf-broken"]) {
      const error = await scoped.load(name).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: "skill-not-found" });
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error)).replaceAll(JSON.stringify(name).slice(1, -1), "")).not.toContain(
        "pdf",
      );
    }
  });

  test("what is visible works as in the library itself, under every key", async () => {
    const root = makeTree({
      moss: { "SKILL.md": skillText("acme-moss", "Reads maps.", "Body.\n"), "a.txt": "A" },
      ...skillFolders("fern"),
    });
    const scoped = (await openFolders(root)).scope({ allow: ["acme-*"] });
    for (const key of ["acme-moss", "moss", "moss/SKILL.md"]) {
      expect((await scoped.load(key)).body).toBe("Body.\n");
      expect((await scoped.read(key, "a.txt")).text).toBe("A");
    }
    expect((await scoped.search("maps")).map(({ skill }) => skill.name)).toEqual(["acme-moss"]);
  });

  test("a scope of a scope shows what both show, and follows refreshes", async () => {
    const root = makeTree(skillFolders("pdf-forms", "pdf-secret", "xlsx"));
    const library = await openFolders(root);
    const outer = library.scope({ deny: ["*-secret"] });
    const inner = outer.scope({ allow: ["pdf-*"] });
    expect(namesOf(inner)).toEqual(["pdf-forms"]);
    addTree(root, skillFolders("pdf-new", "pdf-new-secret", "docx"));
    expect(await inner.refresh()).toMatchObject({ changed: true, added: ["pdf-new"] });
    expect(namesOf(inner)).toEqual(["pdf-forms", "pdf-new"]);
    expect(namesOf(library)).toHaveLength(6);
  });

  test("while the library does not change, neither does the view", async () => {
    const scoped = (await openFolders(makeTree(skillFolders(...names)))).scope({ allow: ["pdf-*"] });
    expect(scoped.catalog).toBe(scoped.catalog);
    expect(scoped.catalog.render()).toBe(scoped.catalog.render());
  });

  test("closing a view leaves the library open", async () => {
    const library = await openFolders(makeTree(skillFolders("moss")));
    await library.scope({}).close();
    expect((await library.load("moss")).skill.name).toBe("moss");
  });
});

/** A source that cannot list: it finds and searches. */
function registry(skills: readonly { name: string; text: string }[], answers: Partial<SkillSource> = {}): SkillSource {
  const candidate = ({ name, text }: { name: string; text: string }): SourceCandidate => {
    const header = new TextEncoder().encode(text);
    return { path: name, file: "SKILL.md", header: header.slice(0, 4096), size: header.length, stamp: `${header.length}` };
  };
  return {
    id: "registry",
    list: () => [],
    find: async (name) => skills.filter((skill) => skill.name === name).map(candidate)[0],
    search: async (query, { limit }) =>
      skills
        .filter(({ text }) => text.includes(query))
        .map(candidate)
        .slice(0, limit),
    files: async () => ({ files: [], diagnostics: [] }),
    read: async (path) => new TextEncoder().encode(skills.find(({ name }) => name === path)?.text ?? ""),
    locate: (path, file) => ["registry:", path, ...(file === undefined ? [] : [file])].join("/"),
    ...answers,
  };
}

describe("sources that cannot list", () => {
  const tide = { name: "tide", text: skillText("tide", "Reads tide tables.", "How to read tides.\n") };

  test("are asked when a name is not in the catalogue, and when something is searched", async () => {
    const library = await openLibrary({ sources: [registry([tide]), directorySource(makeTree(skillFolders("moss")))] });
    expect(namesOf(library)).toEqual(["moss"]);
    expect((await library.load("tide")).body).toBe("How to read tides.\n");
    expect((await library.search("tide")).map(({ skill, why }) => [skill.name, skill.trust, why])).toEqual([
      ["tide", "untrusted", "found by registry"],
    ]);
  });

  test("are asked once for a skill whose files are read, and again after a refresh", async () => {
    const asked: string[] = [];
    const source = registry([tide]);
    const find: SkillSource["find"] = async (name, context) => {
      asked.push(name);
      return source.find?.(name, context);
    };
    const library = await openLibrary({ sources: [{ ...source, find }] });
    for (let round = 0; round < 3; round++) expect((await library.read("tide", "SKILL.md")).text).toBe(tide.text);
    expect(asked).toEqual(["tide"]);
    await library.refresh();
    await library.read("tide", "SKILL.md");
    expect(asked).toEqual(["tide", "tide"]);
  });

  test("never stand in for a skill of the catalogue", async () => {
    const asked: string[] = [];
    const source = registry([{ name: "moss", text: skillText("moss", "Another moss.") }], { find: async (name) => void asked.push(name) });
    const library = await openLibrary({ sources: [source, directorySource(makeTree(skillFolders("moss")))] });
    await library.load("moss");
    expect(asked).toEqual([]);
    expect((await library.search("moss")).map(({ skill }) => skill.source)).toEqual([library.catalog.skills[0]?.source]);
  });

  test("are not believed when they answer with another skill", async () => {
    const source = registry([], { find: async () => registry([tide]).find?.("tide", {} as never) });
    const library = await openLibrary({ sources: [source] });
    await expect(library.load("tide-tables")).rejects.toMatchObject({ code: "skill-not-found" });
  });

  test("that fail are told of, and break nothing else", async () => {
    const told: string[] = [];
    const fail = () => Promise.reject(new Error("no answer"));
    const sources = [registry([], { id: "broken", find: fail, search: fail }), registry([tide])];
    const library = await openLibrary({ sources, onEvent: (event) => event.type === "diagnostic" && told.push(event.diagnostic.location) });
    expect((await library.load("tide")).skill.name).toBe("tide");
    expect((await library.search("tide")).length).toBe(1);
    expect(told).toEqual(["broken", "broken"]);
  });

  test("obey scopes and filters", async () => {
    const secret = { name: "secret", text: skillText("secret", "Reads tide tables in secret.") };
    const library = await openLibrary({ sources: [registry([tide, secret])], filter: ({ name }) => name !== "secret" });
    await expect(library.load("secret")).rejects.toMatchObject({ code: "skill-not-found" });
    expect((await library.search("tide")).map(({ skill }) => skill.name)).toEqual(["tide"]);
    const scoped = library.scope({ filter: ({ description }) => !description.includes("tide") });
    await expect(scoped.load("tide")).rejects.toMatchObject({ code: "skill-not-found" });
    await expect(scoped.read("tide", "SKILL.md")).rejects.toMatchObject({ code: "skill-not-found" });
    expect(await scoped.search("tide")).toEqual([]);
  });
});

describe("how a library is opened", () => {
  test("a local source that stands alone is trusted, another is not, and the host's word counts", async () => {
    const skill = [defineSkill({ name: "moss", description: "d", body: "" })];
    const bare = memorySource(skill);
    const { origin: _, ...elsewhere } = memorySource(skill, { id: "elsewhere" });
    const trustOf = async (source: Parameters<typeof openLibrary>[0]["sources"][number]) =>
      (await openLibrary({ sources: [source] })).catalog.skills[0]?.trust;
    expect([
      await trustOf(bare),
      await trustOf(elsewhere),
      await trustOf({ source: bare, trust: "untrusted" }),
      await trustOf({ source: elsewhere, trust: "trusted" }),
    ]).toEqual(["trusted", "untrusted", "untrusted", "trusted"]);
  });

  test("a withheld source shows nothing, takes no name, and is never silent", async () => {
    const events: unknown[] = [];
    const [project, home] = [makeTree(skillFolders("moss", "evil")), makeTree(skillFolders("moss"))];
    const library = await openLibrary({
      sources: [
        { source: directorySource(project), trust: "untrusted", withheld: "The project is not trusted yet. Trust it with --trust." },
        directorySource(home),
      ],
      onEvent: (event) => event.type === "skills-withheld" && events.push(event),
    });
    expect(library.catalog.skills.map(({ location }) => location)).toEqual([`${home}/moss`]);
    expect(library.catalog.excluded.map(({ name, fate }) => [name, fate])).toEqual([
      ["evil", "withheld"],
      ["moss", "withheld"],
    ]);
    expect(events).toEqual([{ type: "skills-withheld", count: 2, roots: [project], hint: expect.stringContaining("--trust") }]);
    await expect(library.load("evil")).rejects.toMatchObject({ code: "skill-not-found", data: { fate: "withheld" } });
  });

  test("two sources of one id are a mistake; one root that is named twice is none", async () => {
    await expect(openLibrary({ sources: [memorySource([]), memorySource([])] })).rejects.toMatchObject({ code: "configuration-invalid" });
    const root = makeTree(skillFolders("moss"));
    expect((await openFolders([root, root, `${root}/`, `${root}/moss/..`])).catalog.diagnostics).toEqual([]);
  });

  test("events tell of each diagnostic once, and of each catalogue", async () => {
    const events: string[] = [];
    const root = makeTree({ moss: { "SKILL.md": skillText("other") } });
    const library = await openFolders(root, {
      onEvent: (event) =>
        events.push(
          event.type === "diagnostic" ? event.diagnostic.code : event.type === "catalog-ready" ? `catalog ${event.revision}` : event.type,
        ),
    });
    await library.refresh();
    addTree(root, skillFolders("fern"));
    await library.refresh();
    expect(events).toEqual(["name-folder-mismatch", "catalog 1", "catalog 2"]);
  });

  test("a definition in code cannot place files outside its skill", () => {
    for (const path of ["../x", "/x", "C:\\x", "SKILL.md", "./skill.md", ""]) {
      expect(() => defineSkill({ name: "moss", description: "d", body: "", files: { [path]: "" } })).toThrow(
        expect.objectContaining({ code: "configuration-invalid" }),
      );
    }
  });
});
