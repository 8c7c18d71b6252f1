import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SkillSource } from "../../packages/skillwright/src/catalog/index.ts";
import { defaultLimits } from "../../packages/skillwright/src/core/index.ts";
import { type Library, openLibrary } from "../../packages/skillwright/src/library/index.ts";
import { directorySource } from "../../packages/skillwright/src/sources/directory.ts";
import { namesOf, openFolders } from "./open-skills.ts";
import { addTree, makeTree, skillFolders, skillText } from "./skill-tree.ts";

/** Watches a library; the answer waits until it holds what is wanted. */
function watching(library: Library): (wanted: (library: Library) => boolean) => Promise<void> {
  const waiting = new Set<() => void>();
  const stop = library.watch({ debounceMs: 5, onChange: () => [...waiting].forEach((look) => void look()) });
  onTestFinished(stop);
  return (wanted) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!wanted(library)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
}

const has =
  (...names: string[]) =>
  (library: Library): boolean =>
    JSON.stringify(namesOf(library)) === JSON.stringify(names);

describe("watching folders", () => {
  test("a skill that is added, edited in place, moved and removed is seen", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openFolders(root);
    const until = watching(library);
    addTree(root, skillFolders("fern"));
    await until(has("fern", "moss"));
    appendFileSync(join(root, "fern/SKILL.md"), "More.\n");
    writeFileSync(join(root, "moss/SKILL.md"), skillText("moss", "Edited in place."));
    await until(() => library.catalog.get("moss")?.description === "Edited in place.");
    renameSync(join(root, "fern"), join(root, "aspen"));
    await until(() => library.catalog.get("aspen")?.name === "fern");
    rmSync(join(root, "aspen"), { recursive: true });
    await until(has("moss"));
  });

  test("a skill far down in folders that are new is seen", async () => {
    const root = makeTree();
    const library = await openFolders(root);
    const until = watching(library);
    mkdirSync(join(root, "a/b/c"), { recursive: true });
    addTree(join(root, "a/b/c"), skillFolders("moss"));
    await until(has("moss"));
    addTree(join(root, "a/b"), skillFolders("fern"));
    await until(has("moss", "fern"));
  });

  test("a root that appears later is seen, goes, and comes again", async () => {
    const base = makeTree();
    const root = join(base, "not/yet/there");
    const library = await openFolders(root);
    const until = watching(library);
    mkdirSync(join(base, "not"));
    mkdirSync(join(base, "not/yet"));
    addTree(root, skillFolders("moss"));
    await until(has("moss"));
    rmSync(join(base, "not"), { recursive: true });
    await until(has());
    addTree(root, skillFolders("fern"));
    await until(has("fern"));
  });

  test("what lies behind a link is watched too", async () => {
    const elsewhere = makeTree({ moss: { "SKILL.md": skillText("moss") }, file: skillText("fern") });
    const root = makeTree({ moss: { link: join(elsewhere, "moss") }, fern: { "SKILL.md": { link: join(elsewhere, "file") } } });
    const library = await openFolders(root);
    const until = watching(library);
    writeFileSync(join(elsewhere, "moss/SKILL.md"), skillText("moss", "Edited."));
    await until(() => library.catalog.get("moss")?.description === "Edited.");
    writeFileSync(join(elsewhere, "file"), skillText("fern", "Edited too."));
    await until(() => library.catalog.get("fern")?.description === "Edited too.");
  });

  test("a root that is a link is followed to its new target", async () => {
    const base = makeTree({ one: skillFolders("moss"), two: skillFolders("fern") });
    const root = join(base, "skills");
    symlinkSync("one", root);
    const library = await openFolders(root);
    const until = watching(library);
    addTree(join(base, "one"), skillFolders("ivy"));
    await until(has("ivy", "moss"));
    symlinkSync("two", join(base, "next"));
    renameSync(join(base, "next"), root);
    await until(has("fern"));
    addTree(join(base, "two"), skillFolders("reed"));
    await until(has("fern", "reed"));
  });

  test("a skill, or the root, that another folder takes the place of is watched on", async () => {
    const base = makeTree({
      skills: skillFolders("moss"),
      staging: skillFolders("moss"),
      next: { "next-skill": { "SKILL.md": skillText("fern") } },
    });
    const root = join(base, "skills");
    const library = await openFolders(root);
    const until = watching(library);
    const replaced = (): boolean => library.catalog.get("moss")?.revision !== first;
    const first = library.catalog.get("moss")?.revision;
    renameSync(join(root, "moss"), join(base, "old"));
    renameSync(join(base, "staging/moss"), join(root, "moss"));
    await until(replaced);
    writeFileSync(join(root, "moss/SKILL.md"), skillText("moss", "Edited in its new folder."));
    await until(() => library.catalog.get("moss")?.description === "Edited in its new folder.");
    renameSync(root, join(base, "gone"));
    renameSync(join(base, "next"), root);
    await until(has("fern"));
    writeFileSync(join(root, "next-skill/SKILL.md"), skillText("fern", "Edited in its new root."));
    await until(() => library.catalog.get("fern")?.description === "Edited in its new root.");
  });

  test("readers that hold a catalogue are not disturbed", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openFolders(root);
    const { catalog } = library;
    const { text } = catalog.render();
    const until = watching(library);
    addTree(root, skillFolders("fern"));
    await until(has("fern", "moss"));
    expect([catalog.skills.length, catalog.render().text]).toEqual([1, text]);
  });
});

test("where nothing changes, a listing calls for no other", () => {
  const source = directorySource(makeTree(skillFolders("moss")));
  let changes = 0;
  onTestFinished(source.watch?.(() => changes++) ?? (() => undefined));
  const list = () => [...(source.list({ trust: "trusted", limits: defaultLimits }) as Iterable<unknown>)];
  list();
  expect(changes).toBe(1);
  list();
  list();
  expect(changes).toBe(1);
});

describe("watching in general", () => {
  /** A source whose changes are told of by hand. */
  function told(root: string): { source: SkillSource; change: () => void; listings: () => number; stopped: () => boolean } {
    const source = directorySource(root);
    let onChange = (): void => undefined;
    let listings = 0;
    let stopped = false;
    return {
      change: () => onChange(),
      listings: () => listings,
      stopped: () => stopped,
      source: {
        ...source,
        list(context) {
          listings++;
          return source.list(context);
        },
        watch(callback) {
          onChange = callback;
          return () => {
            stopped = true;
          };
        },
      },
    };
  }

  test("a burst of changes is one refresh", async () => {
    const root = makeTree();
    const { source, change, listings } = told(root);
    const library = await openLibrary({ sources: [source] });
    const until = watching(library);
    await library.refresh();
    const before = listings();
    addTree(root, skillFolders("moss"));
    for (let index = 0; index < 100; index++) change();
    await until(has("moss"));
    expect(listings()).toBe(before + 1);
  });

  test("a watch that is stopped is over, and closing the library stops all", async () => {
    const first = told(makeTree());
    const library = await openLibrary({ sources: [first.source] });
    library.watch()();
    expect(first.stopped()).toBe(true);
    const second = told(makeTree());
    const other = await openLibrary({ sources: [second.source] });
    other.watch();
    await other.close();
    expect(second.stopped()).toBe(true);
    const listings = second.listings();
    second.change();
    await new Promise((resume) => setImmediate(resume));
    expect(second.listings()).toBe(listings);
  });

  test("a refresh that fails while watching is told of, and the next one works", async () => {
    const roots = [makeTree(skillFolders("moss")), makeTree()];
    const events: string[] = [];
    const library = await openFolders(roots, {
      duplicates: "error",
      onEvent: (event) => event.type === "diagnostic" && events.push(event.diagnostic.code),
    });
    const until = watching(library);
    addTree(roots[1] ?? "", skillFolders("moss"));
    addTree(roots[1] ?? "", skillFolders("fern"));
    await new Promise<void>((resolve) => {
      const look = (): void => (events.includes("duplicate-skill") ? resolve() : void setImmediate(look));
      look();
    });
    expect(namesOf(library)).toEqual(["moss"]);
    rmSync(join(roots[1] ?? "", "moss"), { recursive: true });
    await until(has("moss", "fern"));
  });

  test("a skill that was half written is looked at again", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openFolders(root);
    const until = watching(library);
    writeFileSync(join(root, "moss/SKILL.md"), "---\nname: moss\n");
    await until(() => library.catalog.diagnostics.some(({ code }) => code === "skill-half-written"));
    expect(namesOf(library)).toEqual(["moss"]);
    // Nobody writes on: once it is clear that it stays as it is, it is a broken skill like any other.
    await until(has());
  });
});
