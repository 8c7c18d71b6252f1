import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineSkill, memorySource, type NodeSkillsOptions, openSkills, type SkillError } from "skillwright";
import { describe, expect, test } from "vitest";
import { namesOf } from "./open-skills.ts";
import { addTree, makeTree, skillFolders, skillText, type Tree } from "./skill-tree.ts";

const git: Tree = { ".git": { HEAD: "ref: refs/heads/main\n" } };

/** A machine of its own: a home folder `home`, and whatever else. */
function machine(tree: Tree) {
  const root = makeTree({ home: {}, ...tree });
  const env = { HOME: join(root, "home"), PATH: join(root, "bin") };
  const open = (cwd: string, options: NodeSkillsOptions & { readonly variables?: Record<string, string> } = {}) => {
    const { variables, ...rest } = options;
    return openSkills({ cwd: join(root, cwd), env: { ...env, ...variables }, ...rest });
  };
  return { root, env, open };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "opened",
    (error: SkillError) => `${error.code}: ${error.message} ${error.hint}`,
  );
}

describe("default scopes", () => {
  test("project folders come nearest first, then home, then the configuration", async () => {
    const { open } = machine({
      home: {
        ".agents/skills": skillFolders("h-agents"),
        ".claude/skills": skillFolders("h-claude"),
        skills: skillFolders("h-skills"),
        ".config": {
          "skillwright/skills": skillFolders("c-own"),
          skills: skillFolders("c-skills"),
          ".agents/skills": skillFolders("c-agents"),
        },
      },
      repo: {
        ...git,
        skills: skillFolders("root-skills"),
        ".claude/skills": skillFolders("root-claude"),
        packages: { ".agents/skills": skillFolders("packages-agents"), app: { skills: skillFolders("app-skills") } },
      },
      "skills/above": { "SKILL.md": skillText("above-the-repository") },
    });
    expect(namesOf(await open("repo/packages/app", { trust: true }))).toEqual([
      "app-skills",
      "packages-agents",
      "root-claude",
      "root-skills",
      "h-agents",
      "h-claude",
      "h-skills",
      "c-own",
      "c-agents",
      "c-skills",
    ]);
  });

  test("without a repository the working folder alone is the project", async () => {
    const { open } = machine({ plain: { skills: skillFolders("above"), below: { skills: skillFolders("here") } } });
    expect(namesOf(await open("plain/below", { trust: true }))).toEqual(["here"]);
  });

  test("XDG_CONFIG_HOME is heeded; a relative one is not, since it would lie in the project", async () => {
    const { root, open } = machine({
      etc: { "skillwright/skills": skillFolders("theirs") },
      repo: { ...git, etc: { "skillwright/skills": skillFolders("planted") } },
    });
    expect(namesOf(await open("repo", { variables: { XDG_CONFIG_HOME: join(root, "etc") } }))).toEqual(["theirs"]);
    expect(namesOf(await open("repo", { variables: { XDG_CONFIG_HOME: "etc" } }))).toEqual([]);
  });

  test("in a worktree only its own skills count, wherever it lies", async () => {
    const { root, open } = machine({ main: { ".git": { "worktrees/wt": {} }, skills: skillFolders("main-only", "shared") } });
    const worktree = join(root, "main/.worktrees/wt");
    addTree(worktree, { ".git": `gitdir: ${join(root, "main/.git/worktrees/wt")}\n`, skills: skillFolders("shared") });
    expect(namesOf(await open("main/.worktrees/wt", { trust: true }))).toEqual(["shared"]);
  });

  test("where the home folder is the repository, its skills are the user's, once", async () => {
    const { open } = machine({ home: { ...git, ".agents/skills": skillFolders("moss"), work: { skills: skillFolders("found") } } });
    const library = await open("home");
    expect(namesOf(library)).toEqual(["moss"]);
    expect(library.catalog.excluded).toEqual([]);
    const below = await open("home/work");
    expect(namesOf(below)).toEqual(["moss"]);
    expect(below.catalog.excluded).toMatchObject([{ name: "found", fate: "withheld" }]);
  });

  test("one folder through two paths is one root, and the user's where any of them is", async () => {
    const { root, open } = machine({ home: { ".agents/skills": skillFolders("moss") }, repo: { ...git, ".agents": {} } });
    symlinkSync(join(root, "home/.agents/skills"), join(root, "repo/.agents/skills"));
    symlinkSync(join(root, "home/.agents/skills"), join(root, "home/skills"));
    const library = await open("repo");
    expect(namesOf(library)).toEqual(["moss"]);
    expect(library.catalog.excluded).toEqual([]);
  });

  test("a root that is a link is followed", async () => {
    const { root, open } = machine({ pool: skillFolders("moss"), home: { ".agents": {} } });
    symlinkSync(join(root, "pool"), join(root, "home/.agents/skills"));
    expect(namesOf(await open("pool"))).toEqual(["moss"]);
  });

  test("the user's roots are scanned inside a repository too, and the project's skills come first", async () => {
    const { open } = machine({
      home: { ".agents/skills": { ...skillFolders("mine"), both: { "SKILL.md": skillText("both", "The user's.") } } },
      repo: { ...git, ".agents/skills": { both: { "SKILL.md": skillText("both", "The project's.") } } },
    });
    const library = await open("repo", { trust: true });
    expect(library.catalog.get("both")?.description).toBe("The project's.");
    expect(library.catalog.excluded).toMatchObject([{ name: "both", fate: "shadowed" }]);
    expect(namesOf(library)).toEqual(["both", "mine"]);
  });

  test("a default root that does not exist is an info, a named one a warning", async () => {
    const { root, open } = machine({ repo: git });
    const library = await open("repo", { roots: ["extra"], trust: true });
    const missing = library.catalog.diagnostics.filter(({ code }) => code === "root-missing");
    expect(missing.filter(({ severity }) => severity === "warning").map(({ location }) => location)).toEqual([join(root, "repo/extra")]);
    expect(new Set(missing.map(({ severity }) => severity))).toEqual(new Set(["warning", "info"]));
  });
});

describe("more roots", () => {
  test("come from the caller, the environment, the project's and the user's configuration, in that order", async () => {
    const { root, open } = machine({
      home: { ".config/skillwright/config.json": JSON.stringify({ roots: ["~/mine", "beside"] }), mine: skillFolders("of-user") },
      "home/.config/skillwright/beside": skillFolders("beside-config"),
      repo: { ...git, ".skillwright.json": JSON.stringify({ roots: ["tools/skills"] }), "tools/skills": skillFolders("of-project") },
      called: skillFolders("of-caller"),
      env: { a: skillFolders("env-a"), b: skillFolders("env-b") },
    });
    const variables = { SKILLWRIGHT_ROOTS: [join(root, "env/b"), "", join(root, "env/a")].join(":") };
    const library = await open("repo", { roots: ["../called"], trust: true, variables });
    expect(namesOf(library)).toEqual(["of-caller", "env-b", "env-a", "of-project", "of-user", "beside-config"]);
  });

  test("named sources replace all of them", async () => {
    const { root, open } = machine({
      home: { skills: skillFolders("home"), ".config/skillwright/config.json": JSON.stringify({ disable: ["*"] }) },
      named: skillFolders("moss"),
    });
    const variables = { SKILLWRIGHT_ROOTS: join(root, "home/skills") };
    expect(namesOf(await open("home", { sources: ["../named"], variables }))).toEqual(["moss"]);
    expect(namesOf(await open("home", { sources: [], variables }))).toEqual([]);
  });

  test("a source that is missing is an error, never the host's disk", async () => {
    const { open } = machine({ home: { skills: skillFolders("of-the-host") } });
    const missing = undefined as unknown as string;
    expect(await codeOf(open("home", { sources: missing as unknown as string[] }))).toMatch(/^tenant-unresolved/);
    expect(await codeOf(open("home", { sources: [missing] }))).toMatch(/^tenant-unresolved/);
    expect(await codeOf(open("home", { sources: [() => undefined] }))).toMatch(/^tenant-unresolved/);
    expect(await codeOf(open("home", { sources: ["skills"], roots: ["x"] }))).toMatch(/^configuration-invalid: `roots` adds/);
  });

  test("folders and skills in code mix", async () => {
    const { open } = machine({ disk: skillFolders("moss", "fern") });
    const code = memorySource([defineSkill({ name: "moss", description: "From code.", body: "x" })]);
    const library = await open("disk", { sources: [code, "."] });
    expect(namesOf(library)).toEqual(["moss", "fern"]);
    expect(library.catalog.get("moss")?.source).toBe("memory");
  });
});

describe("what a text names", () => {
  const rows: readonly [string, (root: string) => string][] = [
    ["an absolute path", (root) => join(root, "home/pool")],
    ["a relative path", () => "../pool"],
    ["a path with a slash at its end", () => "../pool/"],
    ["the home folder", () => "~/pool"],
    ["a file: URL", (root) => pathToFileURL(join(root, "home/pool")).href],
    ["a file: URL with an escaped blank", (root) => `${pathToFileURL(join(root, "home/po ol")).href}`],
    ["a skill's own folder", () => "../pool/moss"],
    ["a SKILL.md", () => "../pool/moss/SKILL.md"],
  ];
  test.each(rows)("%s", async (_, name) => {
    const { root, open } = machine({ home: { work: {}, pool: skillFolders("moss"), "po ol": skillFolders("moss") } });
    expect(namesOf(await open("home/work", { sources: [name(root)] }))).toEqual(["moss"]);
  });

  test("twice the same is one", async () => {
    const { open } = machine({ pool: skillFolders("moss") });
    const library = await open("pool", { sources: [".", "./", "../pool"] });
    expect(namesOf(library)).toEqual(["moss"]);
    expect(library.catalog.excluded).toEqual([]);
  });

  test.each([
    ["https://example.org/skills.zip", /not a place on this machine.*pass a source that fetches/],
    ["git+ssh://example.org/x", /not a place on this machine/],
    ["file://elsewhere/share", /not a file: URL of this machine/],
    ["file:pool", /not a file: URL of this machine.*file:\/\/\/absolute/],
    ["  ", /empty text/],
    ["a\0b", /NUL/],
  ])("%j is refused with a way out", async (text, message) => {
    const { open } = machine({});
    expect(await codeOf(open("home", { sources: [text] }))).toMatch(message);
    expect(await codeOf(open("home", { sources: [{ source: text, trust: "trusted" }] }))).toMatch(/^configuration-invalid/);
  });

  test("a URL in the environment is refused, since its colons would cut it", async () => {
    const { open } = machine({});
    expect(await codeOf(open("home", { variables: { SKILLWRIGHT_ROOTS: "/a:https://example.org/x" } }))).toMatch(
      /^configuration-invalid.*URL/,
    );
  });

  test("the trust of a folder is the caller's word", async () => {
    const { open } = machine({ pool: skillFolders("moss") });
    const library = await open("pool", { sources: [{ source: ".", trust: "untrusted" }] });
    expect(library.catalog.get("moss")?.trust).toBe("untrusted");
    expect((await open("pool", { sources: ["."] })).catalog.get("moss")?.trust).toBe("trusted");
  });
});

describe("switches", () => {
  test("the user's, the project's and the caller's are layers; what is off is listed with who switched it off", async () => {
    const { root, open } = machine({
      home: {
        skills: skillFolders("moss", "fern", "ivy", "reed"),
        ".config/skillwright/config.json": JSON.stringify({ disable: ["moss", "fern"] }),
      },
      repo: { ...git, ".skillwright.json": JSON.stringify({ enable: ["moss"], disable: ["ivy"] }) },
    });
    expect(namesOf(await open("home"))).toEqual(["ivy", "reed"]);
    const trusted = await open("repo", { trust: true, disable: ["reed"] });
    expect(namesOf(trusted)).toEqual(["moss"]);
    expect(trusted.catalog.excluded.map(({ name, fate, reason }) => [name, fate, /at (\w+) level/.exec(reason)?.[1]])).toEqual([
      ["fern", "disabled", "user"],
      ["ivy", "disabled", "project"],
      ["reed", "disabled", "session"],
    ]);
    expect(trusted.catalog.excluded[0]?.reason).toContain(join(root, "home/.config/skillwright/config.json"));
    const untrusted = await open("repo");
    expect(namesOf(untrusted)).toEqual(["reed"]);
    expect(untrusted.catalog.diagnostics).toContainEqual(expect.objectContaining({ code: "config-untrusted", severity: "info" }));
  });

  test("a disabled skill is in no answer", async () => {
    const { open } = machine({ pool: skillFolders("moss", "fern") });
    const library = await open("pool", { sources: ["."], disable: ["m*"] });
    expect(library.catalog.render().text).not.toContain("moss");
    await expect(library.load("moss")).rejects.toMatchObject({ code: "skill-not-found" });
  });
});

describe("configuration files", () => {
  test.each([
    ["not JSON", '{ "disable": [', /not JSON/],
    ["not an object", "[]", /not a JSON object/],
    ["a wrong type", '{ "disable": "moss" }', /`disable` is not a list of texts/],
  ])("the user's stops with a reason: %s", async (_, text, message) => {
    const { open } = machine({ "home/.config/skillwright/config.json": text });
    expect(await codeOf(open("home"))).toMatch(message);
  });

  test.each([
    ["not JSON", "{ root:x:0:0 }", "config-invalid"],
    ["a wrong type", '{ "roots": [1] }', "config-invalid"],
    ["a misspelt key", '{ "disabled": ["moss"] }', "config-key-unknown"],
    ["a folder", { "config.json": "{}" }, "config-invalid"],
  ])("the project's is left out with a warning: %s", async (_, text, code) => {
    const { open } = machine({ home: { skills: skillFolders("moss") }, repo: { ...git, ".skillwright.json": text } });
    const library = await open("repo");
    expect(namesOf(library)).toEqual(["moss"]);
    const found = library.catalog.diagnostics.find((diagnostic) => diagnostic.code === code);
    expect(found).toMatchObject({ severity: "warning" });
    expect(found?.message).not.toContain("root:x");
  });

  test("a misspelt key names the near one; $schema and a BOM are fine", async () => {
    const { open } = machine({ "home/.config/skillwright/config.json": '\ufeff{ "$schema": "x", "disabel": [] }' });
    const { diagnostics } = (await open("home")).catalog;
    expect(diagnostics.filter(({ code }) => code.startsWith("config"))).toMatchObject([{ hint: "Did you mean `disable`?" }]);
  });
});

describe("eligibility on this machine", () => {
  const needy =
    "---\nname: moss\ndescription: Sorts moss.\nmetadata:\n  openclaw:\n    requires: { bins: [moss-sorter], env: [MOSS_KEY] }\n---\nx\n";

  test("is checked only when asked for; the skill comes back when the need is met", async () => {
    const { root, open } = machine({ pool: { moss: { "SKILL.md": needy }, ...skillFolders("fern") } });
    expect(namesOf(await open("pool", { sources: ["."] }))).toEqual(["fern", "moss"]);

    const variables: Record<string, string | undefined> = { PATH: join(root, "bin"), HOME: join(root, "home") };
    const library = await open("pool", { sources: ["."], eligibility: true, env: variables });
    expect(namesOf(library)).toEqual(["fern"]);
    expect(library.catalog.excluded).toMatchObject([
      {
        name: "moss",
        fate: "ineligible",
        reason: expect.stringMatching(/moss-sorter on PATH.*MOSS_KEY.*Install moss-sorter; set MOSS_KEY/),
      },
    ]);

    mkdirSync(join(root, "bin"));
    writeFileSync(join(root, "bin/moss-sorter"), "#!/bin/sh\nexit 9\n");
    variables.MOSS_KEY = "set";
    await library.refresh();
    expect(namesOf(library)).toEqual(["fern"]);
    chmodSync(join(root, "bin/moss-sorter"), 0o755);
    expect((await library.refresh()).added).toEqual(["moss"]);
    rmSync(join(root, "bin/moss-sorter"));
    expect((await library.refresh()).removed).toEqual(["moss"]);
  });

  test("parts of the machine can be given", async () => {
    const { open } = machine({ pool: { moss: { "SKILL.md": needy } } });
    const eligibility = { hasProgram: () => true, env: { MOSS_KEY: "x" } };
    expect(namesOf(await open("pool", { sources: ["."], eligibility }))).toEqual(["moss"]);
  });

  test.each(["../bin/moss-sorter", "/bin/sh", ".", "..", "a b", "sh;id", ""])(
    "a program is a name on PATH, never a path: %j",
    async (name) => {
      const { open } = machine({
        pool: {
          moss: {
            "SKILL.md": `---\nname: moss\ndescription: d\nmetadata: { x: { requires: { bins: [${JSON.stringify(name)}] } } }\n---\n`,
          },
        },
      });
      const library = await open("pool", { sources: ["."], eligibility: true, env: { PATH: `${process.env.PATH}:.` } });
      expect(namesOf(library)).toEqual(name === "" ? ["moss"] : []);
    },
  );
});
