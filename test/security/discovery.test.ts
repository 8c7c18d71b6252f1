import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compileNamePatterns } from "../../packages/skillwright/src/library/name-pattern.ts";
import { fatesOf, namesOf, notesOf, openFolders, openUntrusted } from "../library/open-skills.ts";
import { makeTree, makeUnreadable, skillFolders, skillText } from "../library/skill-tree.ts";

describe("things that are not files", () => {
  test("a pipe named SKILL.md is never opened: whoever writes to it still waits", async (context) => {
    if (process.platform === "win32") context.skip("needs named pipes");
    const root = makeTree({ moss: { "a.txt": "" }, ...skillFolders("fern") });
    execFileSync("mkfifo", [join(root, "moss/SKILL.md")]);
    const writer = spawn("sh", ["-c", 'exec 3>"$0"; echo opened', join(root, "moss/SKILL.md")], { stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    writer.stdout.on("data", (data) => (output += data));
    try {
      for (const library of [await openFolders(root), await openUntrusted(root)]) {
        expect({ skills: namesOf(library), notes: notesOf(library, root), fates: fatesOf(library, root) }).toEqual({
          skills: ["fern"],
          notes: ["error special-file moss/SKILL.md"],
          fates: ["invalid moss"],
        });
      }
      await new Promise((resume) => setImmediate(resume));
      expect(output).toBe("");
    } finally {
      writer.kill("SIGKILL");
    }
  });

  test("a pipe among the resources is not listed, and reading it is refused at once", async (context) => {
    if (process.platform === "win32") context.skip("needs named pipes");
    const root = makeTree(skillFolders("moss"));
    execFileSync("mkfifo", [join(root, "moss/pipe")]);
    const library = await openFolders(root);
    expect((await library.load("moss")).files).toEqual([]);
    await expect(library.read("moss", "pipe")).rejects.toMatchObject({ code: "file-not-found", message: expect.stringContaining("pipe") });
  });

  test("a socket named SKILL.md is refused", async () => {
    const root = makeTree({ moss: { "a.txt": "" }, ...skillFolders("fern") });
    const server = createServer();
    await new Promise<void>((resume) => server.listen(join(root, "moss/SKILL.md"), resume));
    try {
      const library = await openFolders(root);
      expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({
        skills: ["fern"],
        notes: ["error special-file moss/SKILL.md"],
      });
    } finally {
      server.close();
    }
  });

  test("a link to a device is refused, in a trusted root too", async (context) => {
    if (process.platform === "win32") context.skip("needs devices");
    const root = makeTree({
      moss: { "SKILL.md": { link: "/dev/zero" } },
      fern: { "SKILL.md": skillText("fern"), noise: { link: "/dev/urandom" } },
    });
    const library = await openFolders(root);
    expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({
      skills: ["fern"],
      notes: ["error special-file moss/SKILL.md"],
    });
    await expect(library.read("fern", "noise")).rejects.toMatchObject({ code: "file-not-found" });
  });
});

describe("links in an untrusted root", () => {
  test("none leads out: not a root's folder, not SKILL.md, not a resource, not a chain of links", async () => {
    const secret = makeTree({ moss: { "SKILL.md": skillText("moss") }, "secret.txt": "secret" });
    const root = makeTree({
      out: { link: join(secret, "moss") },
      chain: { link: "hop" },
      ".hop": { link: secret },
      hop: { link: ".hop/moss" },
      fern: {
        "SKILL.md": skillText("fern"),
        "a.txt": { link: join(secret, "secret.txt") },
        up: { link: "../../../../../../../../etc" },
        in: { link: "b.txt" },
        "b.txt": "b",
      },
    });
    const library = await openUntrusted(root);
    expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({
      skills: ["fern"],
      notes: ["warning link-outside-root chain", "warning link-outside-root hop", "warning link-outside-root out"],
    });
    expect((await library.load("fern")).files.map(({ path }) => path)).toEqual(["b.txt", "in"]);
    for (const path of ["a.txt", "up/hostname"])
      await expect(library.read("fern", path)).rejects.toMatchObject({ code: "path-outside-root" });
    expect((await library.read("fern", "in")).text).toBe("b");
  });

  test("a sibling folder whose name begins like the root's is outside", async () => {
    const parent = makeTree({ skills: { moss: { link: "../skills-evil/moss" } }, "skills-evil": skillFolders("moss") });
    expect(namesOf(await openUntrusted(join(parent, "skills")))).toEqual([]);
  });

  test("a folder swapped for a link while readers run never gives away what lies outside", async () => {
    const secret = makeTree({ moss: { "SKILL.md": skillText("moss", "SECRET"), "a.txt": "SECRET" } });
    const root = makeTree({ moss: { "SKILL.md": skillText("moss"), "a.txt": "inside" } });
    const library = await openUntrusted(root);
    const seen = new Set<string>();
    for (let round = 0; round < 60; round++) {
      rmSync(join(root, "moss"), { recursive: true });
      if (round % 2 === 0) {
        symlinkSync(join(secret, "moss"), join(root, "moss"));
      } else {
        mkdirSync(join(root, "moss"));
        symlinkSync(join(secret, "moss/a.txt"), join(root, "moss/a.txt"));
        symlinkSync(join(secret, "moss/SKILL.md"), join(root, "moss/SKILL.md"));
      }
      await library.refresh();
      seen.add(library.catalog.render().text);
      seen.add(
        await library.read("moss", "a.txt").then(
          ({ text }) => String(text),
          (error: { message: string }) => error.message,
        ),
      );
      seen.add(
        await library.load("moss").then(
          ({ text }) => text,
          (error: { message: string }) => error.message,
        ),
      );
    }
    expect([...seen].filter((text) => text.includes("SECRET"))).toEqual([]);
  });
});

describe("more than there should be", () => {
  test("entries, skills and files are capped, and each cap is told of", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `skill-${String(index).padStart(2, "0")}`);
    const root = makeTree({
      ...skillFolders(...names),
      "skill-00": { "SKILL.md": skillText("skill-00"), ...Object.fromEntries(names.map((name) => [`${name}.txt`, ""])) },
    });
    const entries = await openFolders(root, { limits: { maxEntries: 40 } });
    expect(notesOf(entries, root)).toEqual(["warning entries-limit"]);
    const skills = await openFolders(root, { limits: { maxSkills: 7 } });
    expect(namesOf(skills)).toEqual(names.slice(0, 7));
    expect(skills.catalog.diagnostics.map(({ code }) => code)).toEqual(["skills-limit"]);
    const told: string[] = [];
    const files = await openFolders(root, {
      limits: { maxFiles: 9 },
      onEvent: (event) => event.type === "diagnostic" && told.push(event.diagnostic.code),
    });
    expect((await files.load("skill-00")).files.length).toBeLessThanOrEqual(9);
    expect(told).toEqual(["files-limit"]);
  });

  test("a SKILL.md over the limit is left out unread, its neighbour loads", async () => {
    const root = makeTree({ moss: { "SKILL.md": skillText("moss", "Big.", "x".repeat(1024 * 1024)) }, ...skillFolders("fern") });
    const library = await openFolders(root);
    expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({
      skills: ["fern"],
      notes: ["error body-too-large moss/SKILL.md"],
    });
  });

  test("a SKILL.md that grows over the limit after the scan is refused when it is loaded", async () => {
    const root = makeTree(skillFolders("moss"));
    const library = await openFolders(root, { limits: { maxBodyBytes: 200 } });
    rmSync(join(root, "moss/SKILL.md"));
    execFileSync("sh", ["-c", 'head -c 500 /dev/zero > "$0"', join(root, "moss/SKILL.md")]);
    await expect(library.load("moss")).rejects.toMatchObject({ code: "limit-exceeded" });
  });

  test("folders nested without end are left at the depth limit", async () => {
    const root = makeTree({ [Array.from({ length: 120 }, () => "d").join("/")]: skillFolders("moss"), ...skillFolders("fern") });
    expect(namesOf(await openFolders(root))).toEqual(["fern"]);
  });
});

describe("hostile names", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

  test("the names of an object's own machinery are ordinary names", async () => {
    const library = await openFolders(makeTree(skillFolders(...names)));
    expect(namesOf(library).sort()).toEqual([...names].sort());
    for (const name of names) expect((await library.load(name)).body).toBe(`How to do ${name}.\n`);
    const empty = await openFolders(makeTree(skillFolders("moss")));
    for (const name of names) {
      expect(empty.catalog.get(name)).toBeUndefined();
      await expect(empty.load(name)).rejects.toMatchObject({ code: "skill-not-found" });
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("a name is a key: what looks like a path reads no file", async () => {
    const root = makeTree({ skills: skillFolders("moss"), secret: skillFolders("fern") });
    const library = await openFolders(join(root, "skills"));
    for (const name of [
      "../secret/fern",
      `${root}/secret/fern`,
      "../../etc/passwd",
      "moss/../../secret/fern",
      "..",
      "/",
      "moss\0",
      "x".repeat(100_000),
    ]) {
      await expect(library.load(name)).rejects.toMatchObject({ code: "skill-not-found" });
    }
  });

  test("every name that a catalogue prints loads that skill", async () => {
    const named = (name: string): string =>
      `---\nname: ${JSON.stringify(name)}\ndescription: Something.\n---\nBody of ${JSON.stringify(name)}\n`;
    const odd = ["two  blanks", " edges ", "a<b", 'say "x" & y', "line\nbreak", "tab\there", "</available_skills>", "emoji 👩‍🚒", "ünï"];
    const root = makeTree(Object.fromEntries(odd.map((name, index) => [`s${index}`, { "SKILL.md": named(name) }])));
    const library = await openFolders(root);
    const { text } = library.catalog.render();
    for (const skill of library.catalog.skills) {
      const printed = [skill.name, skill.name.replace(/\s+/g, " ").trim()];
      printed.push(
        ...printed.map((name) => name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")),
      );
      expect(printed.some((name) => text.includes(name))).toBe(true);
      for (const name of printed) expect(library.catalog.get(name)).toBe(skill);
    }
  });

  test("a folder name that is no UTF-8, or holds a line break, breaks nothing", async (context) => {
    const root = makeTree({ "a\nb": { "SKILL.md": skillText("odd") }, ...skillFolders("moss") });
    try {
      mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]));
    } catch {
      context.skip("the file system takes only UTF-8 names");
    }
    const library = await openFolders(root);
    expect(namesOf(library)).toEqual(["odd", "moss"]);
    expect(library.catalog.get("a\nb")?.name).toBe("odd");
  });

  test("a pattern over names takes no more time than its length times the name's", () => {
    const matches = compileNamePatterns([`${"*a".repeat(200)}b`]);
    expect(matches("a".repeat(5_000))).toBe(false);
    expect(matches(`${"a".repeat(5_000)}b`)).toBe(true);
  });
});

test("what may not be read is told of, and hides nothing else", async (context) => {
  if (process.getuid?.() === 0) context.skip("root may read everything");
  const root = makeTree({ closed: skillFolders("moss"), fern: { "SKILL.md": skillText("fern") }, ...skillFolders("reed") });
  makeUnreadable(join(root, "closed"));
  makeUnreadable(join(root, "fern/SKILL.md"));
  const library = await openFolders(root);
  expect({ skills: namesOf(library), notes: notesOf(library, root) }).toEqual({
    skills: ["reed"],
    notes: ["error folder-unreadable closed", "error unreadable fern/SKILL.md"],
  });
});
