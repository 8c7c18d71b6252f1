import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  grantTrust,
  type NodeSkillsOptions,
  openSkills,
  readTrust,
  revokeTrust,
  type SkillEvent,
  type UntrustedProject,
} from "skillwright";
import { describe, expect, test } from "vitest";
import { namesOf } from "../library/open-skills.ts";
import { addTree, makeTree, skillFolders, skillText, type Tree } from "../library/skill-tree.ts";

const git: Tree = { ".git": { HEAD: "ref: refs/heads/main\n" } };

/** A machine with a home folder and a cloned repository of somebody else. */
function machine(tree: Tree = {}) {
  const root = makeTree({
    home: { skills: skillFolders("mine") },
    repo: { ...git, ".agents/skills": skillFolders("evil", "worse"), app: { skills: skillFolders("nested") } },
    ...tree,
  });
  const env = { HOME: join(root, "home"), PATH: "" };
  const events: SkillEvent[] = [];
  const open = (cwd: string, options: NodeSkillsOptions = {}) =>
    openSkills({ cwd: join(root, cwd), env, onEvent: (event) => events.push(event), ...options });
  return { root, env, events, open, repo: join(root, "repo"), trustFile: join(root, "home/.config/skillwright/trust.json") };
}

describe("project skills found by default scope", () => {
  test("are withheld, listed one by one, and told of in one event that says how to trust them", async () => {
    const { open, events, repo } = machine();
    const library = await open("repo/app");
    expect(namesOf(library)).toEqual(["mine"]);
    expect(library.catalog.excluded.map(({ name, fate }) => `${fate} ${name}`)).toEqual([
      "withheld nested",
      "withheld evil",
      "withheld worse",
    ]);
    for (const { reason } of library.catalog.excluded) expect(reason).toContain(`skillwright trust ${repo}`);
    const told = events.filter((event) => event.type === "skills-withheld");
    expect(told).toEqual([
      {
        type: "skills-withheld",
        count: 3,
        roots: [join(repo, "app/skills"), join(repo, ".agents/skills")],
        hint: expect.stringContaining(`skillwright trust ${repo}`),
      },
    ]);
    const noted = library.catalog.diagnostics.filter(({ code }) => code === "skills-withheld");
    expect(noted.map(({ location, message }) => `${location}: ${message}`)).toEqual([
      `${join(repo, "app/skills")}: One skill in it is withheld.`,
      `${join(repo, ".agents/skills")}: 2 skills in it are withheld.`,
    ]);
    for (const { hint } of noted) expect(hint).toContain(`skillwright trust ${repo}`);
    expect(library.catalog.render().text).not.toMatch(/evil|worse|nested/);
    await expect(library.load("evil")).rejects.toMatchObject({ code: "skill-not-found" });
    await expect(library.read("evil", "SKILL.md")).rejects.toMatchObject({ code: "skill-not-found" });
    expect(await library.search("evil")).toEqual([]);
  });

  test("do not take a name from the user's own", async () => {
    const { open } = machine({ "home/skills/evil": { "SKILL.md": skillText("evil", "The user's.") } });
    const library = await open("repo");
    expect(library.catalog.get("evil")?.description).toBe("The user's.");
  });

  test("stay withheld over a refresh, new ones too", async () => {
    const { open, repo } = machine();
    const library = await open("repo");
    addTree(join(repo, ".agents/skills"), skillFolders("late"));
    await library.refresh();
    expect(namesOf(library)).toEqual(["mine"]);
    expect(library.catalog.excluded.map(({ name }) => name)).toContain("late");
  });

  test("are trusted where the caller names the folder, and by nothing less", async () => {
    const { open } = machine();
    const library = await open("repo", { sources: [".agents/skills"] });
    expect(library.catalog.skills.map(({ name, trust }) => `${name} ${trust}`)).toEqual(["evil trusted", "worse trusted"]);
    expect(namesOf(await open("repo", { roots: [".agents/skills"] }))).toEqual(["evil", "worse", "mine"]);
  });

  test("`trust: true` is for this library alone; `false` overrules what is stored", async () => {
    const { open, env, repo } = machine();
    expect(namesOf(await open("repo", { trust: true }))).toEqual(["evil", "worse", "mine"]);
    expect(namesOf(await open("repo"))).toEqual(["mine"]);
    await grantTrust(repo, { env });
    expect(namesOf(await open("repo"))).toEqual(["evil", "worse", "mine"]);
    expect(namesOf(await open("repo", { trust: false }))).toEqual(["mine"]);
  });

  test("a callback is asked once, with what is there, and only where something waits", async () => {
    const { open, env, repo } = machine({ empty: { ...git, skills: {} } });
    const asked: UntrustedProject[] = [];
    const trust = (answer: boolean) => async (project: UntrustedProject) => {
      asked.push(project);
      return answer;
    };
    expect(namesOf(await open("repo/app", { trust: trust(true) }))).toEqual(["nested", "evil", "worse", "mine"]);
    expect(asked).toEqual([{ root: repo, roots: [join(repo, "app/skills"), join(repo, ".agents/skills")], skills: 3 }]);
    expect(namesOf(await open("repo", { trust: trust(false) }))).toEqual(["mine"]);
    await open("empty", { trust: trust(true) });
    await open("home", { trust: trust(true) });
    expect(asked).toHaveLength(2);
    await grantTrust(repo, { env });
    await open("repo", { trust: trust(false) });
    expect(asked).toHaveLength(2);
  });

  test("a link from the project out of it is not opened to count what is behind", async () => {
    const { root, open, repo } = machine({ secret: skillFolders("private") });
    symlinkSync(join(root, "secret"), join(repo, "skills"));
    chmodSync(join(root, "secret"), 0o755);
    const library = await open("repo");
    expect(library.catalog.excluded.map(({ name }) => name)).not.toContain("private");
    expect(library.catalog.excluded).toContainEqual(expect.objectContaining({ location: join(repo, "skills"), fate: "withheld" }));
    expect(namesOf(await open("repo", { trust: true }))).toContain("private");
  });

  test("a link inside a withheld root is not followed out of it", async () => {
    const { root, open, repo } = machine({ secret: { "SKILL.md": skillText("private") } });
    symlinkSync(join(root, "secret"), join(repo, ".agents/skills/out"));
    mkdirSync(join(repo, ".agents/skills/file"));
    symlinkSync(join(root, "secret/SKILL.md"), join(repo, ".agents/skills/file/SKILL.md"));
    const library = await open("repo");
    expect(library.catalog.excluded.map(({ name }) => name)).not.toContain("private");
    expect(JSON.stringify(library.catalog.diagnostics)).toMatch(/link-outside|outside/);
  });

  test("counting starts and imports nothing", async () => {
    const { root, open, repo } = machine();
    const hit = join(root, "hit");
    addTree(join(repo, ".agents/skills/evil"), {
      "package.json": JSON.stringify({ scripts: { postinstall: `touch ${hit}` }, main: "index.mjs" }),
      "index.mjs": `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(hit)}, "");`,
      "SKILL.md": `---js\nrequire("node:fs").writeFileSync(${JSON.stringify(hit)}, "")\n---\n!\`touch ${hit}\`\n`,
    });
    await open("repo", { trust: () => false });
    await open("repo", { trust: true });
    expect(existsSync(hit)).toBe(false);
  });
});

describe("what a repository cannot do for itself", () => {
  test("grant trust in its configuration", async () => {
    const { open, repo } = machine();
    writeFileSync(join(repo, ".skillwright.json"), JSON.stringify({ trust: ["."], roots: [".agents/skills"] }));
    const library = await open("repo");
    expect(namesOf(library)).toEqual(["mine"]);
    expect(library.catalog.diagnostics).toContainEqual(expect.objectContaining({ code: "config-trust-ignored", severity: "warning" }));
  });

  test.each([
    ["a URL", "https://example.org/skills.zip"],
    ["an absolute path", "/etc"],
    ["the parent", "../elsewhere"],
    ["the home folder", "~/private"],
    ["a link that leads out", "outlink"],
  ])("have skills fetched or found outside itself: %s", async (_, named) => {
    const { root, open, repo } = machine({ elsewhere: skillFolders("elsewhere"), "home/private": skillFolders("private") });
    symlinkSync(join(root, "elsewhere"), join(repo, "outlink"));
    writeFileSync(join(repo, ".skillwright.json"), JSON.stringify({ roots: [named] }));
    const library = await open("repo", { trust: true });
    expect(namesOf(library)).toEqual(["evil", "worse", "mine"]);
    expect(library.catalog.diagnostics).toContainEqual(expect.objectContaining({ code: "config-root-refused", severity: "warning" }));
  });

  test("switch on what the user switched off", async () => {
    const { open, repo } = machine({ "home/.config/skillwright/config.json": JSON.stringify({ disable: ["mine"] }) });
    writeFileSync(join(repo, ".skillwright.json"), JSON.stringify({ enable: ["*", "mine"] }));
    expect(namesOf(await open("repo"))).toEqual([]);
  });

  test("stop the reader with a pipe, or have a file elsewhere read as its configuration", async () => {
    const { root, open, repo } = machine({ "outside.json": JSON.stringify({ disable: ["mine"] }) });
    const config = join(repo, ".skillwright.json");
    execFileSync("mkfifo", [config]);
    expect(namesOf(await open("repo"))).toEqual(["mine"]);
    rmSync(config);
    symlinkSync(join(root, "outside.json"), config);
    const library = await open("repo");
    expect(namesOf(library)).toEqual(["mine"]);
    expect(library.catalog.diagnostics).toContainEqual(expect.objectContaining({ code: "config-invalid", location: config }));
  });

  test("pass for a worktree of a trusted project", async () => {
    const { root, env, open, repo } = machine({ fake: { skills: skillFolders("planted") } });
    await grantTrust(repo, { env });
    const claims: Tree[] = [
      { ".git": `gitdir: ${repo}/.git/worktrees/fake\n` },
      { ".git": `gitdir: ${repo}/.git\n` },
      { ".git": "gitdir: ../repo/.git/worktrees/../worktrees/other\n" },
      { ".git": "gitdir: record\n", record: { commondir: `${repo}/.git\n`, gitdir: join(root, "fake/.git\n") } },
    ];
    addTree(join(repo, ".git/worktrees/other"), { commondir: "../..\n", gitdir: join(root, "other/.git\n") });
    for (const claim of claims) {
      for (const name of readdirSync(join(root, "fake"))) if (name !== "skills") rmSync(join(root, "fake", name), { recursive: true });
      addTree(join(root, "fake"), claim);
      expect(namesOf(await open("fake"))).toEqual(["mine"]);
    }
  });

  test("be trusted because a project around it, in it, or of nearly its name is", async () => {
    const { root, env, open, repo } = machine({ "repo-evil": { ...git, skills: skillFolders("planted") } });
    addTree(join(repo, "vendor/theirs"), { ...git, skills: skillFolders("vendored") });
    await grantTrust(repo, { env });
    expect(namesOf(await open("repo-evil"))).toEqual(["mine"]);
    expect(namesOf(await open("repo/vendor/theirs"))).toEqual(["mine"]);
    await revokeTrust(repo, { env });
    await grantTrust(join(repo, "vendor/theirs"), { env });
    expect(namesOf(await open("repo"))).toEqual(["mine"]);
    expect(readTrust({ env }).grants.map(({ path }) => path)).toEqual([join(root, "repo/vendor/theirs")]);
  });
});

describe("trust decisions", () => {
  test("hold for the project by its real path, from anywhere in it, until they are withdrawn", async () => {
    const { root, env, open, repo } = machine();
    symlinkSync(repo, join(root, "link"));
    const grant = await grantTrust("link/app", { env, cwd: root });
    expect(grant).toEqual({ path: repo, grantedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
    expect(namesOf(await open("repo/app"))).toEqual(["nested", "evil", "worse", "mine"]);
    expect(namesOf(await open("link"))).toEqual(["evil", "worse", "mine"]);
    expect(await grantTrust(repo, { env })).toEqual(grant);
    expect(await revokeTrust(join(repo, "app"), { env })).toBe(true);
    expect(await revokeTrust(repo, { env })).toBe(false);
    expect(namesOf(await open("repo"))).toEqual(["mine"]);
  });

  test("hold for every worktree of a repository that git made", async (context) => {
    const { root, env, open } = machine();
    const run = (...args: string[]) =>
      execFileSync("git", args, {
        cwd: join(root, "real"),
        env: { ...process.env, HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1" },
        stdio: "pipe",
      });
    mkdirSync(join(root, "real"));
    try {
      run("init", "-q");
    } catch {
      context.skip("git is not installed");
    }
    addTree(join(root, "real"), { skills: skillFolders("shared") });
    run("add", ".");
    run("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x");
    run("worktree", "add", "-q", join(root, "wt"));
    run("worktree", "add", "-q", join(root, "real/inner"));
    addTree(join(root, "real"), { skills: skillFolders("main-only") });
    expect(namesOf(await open("wt"))).toEqual(["mine"]);
    await grantTrust(join(root, "real"), { env });
    expect(namesOf(await open("wt"))).toEqual(["shared", "mine"]);
    expect(namesOf(await open("real/inner"))).toEqual(["shared", "mine"]);
    await revokeTrust(join(root, "wt"), { env });
    expect(readTrust({ env }).grants).toEqual([]);
  });

  test("can be listed in the user's configuration", async () => {
    const { open } = machine({ "home/.config/skillwright/config.json": JSON.stringify({ trust: ["../../../repo", "~/gone"] }) });
    expect(namesOf(await open("repo"))).toEqual(["evil", "worse", "mine"]);
  });

  test("are kept for the user alone, whole or not at all", async () => {
    const { root, env, repo, trustFile } = machine({ other: git, third: git });
    await Promise.all([repo, join(root, "other"), join(root, "third")].map((path) => grantTrust(path, { env })));
    expect(readTrust({ env }).grants.map(({ path }) => path)).toEqual([repo, join(root, "other"), join(root, "third")]);
    expect(statSync(trustFile).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(trustFile, ".."))).toEqual(["trust.json"]);
  });

  test("written through a link keep the link", async () => {
    const { root, env, repo, trustFile } = machine({ dotfiles: {} });
    mkdirSync(join(trustFile, ".."), { recursive: true });
    writeFileSync(join(root, "dotfiles/trust.json"), JSON.stringify({ version: 1, projects: [] }));
    symlinkSync(join(root, "dotfiles/trust.json"), trustFile);
    await grantTrust(repo, { env });
    expect(readFileSync(join(root, "dotfiles/trust.json"), "utf8")).toContain(repo);
  });

  test.each([
    ["broken JSON", '{"version":1,"projects":[{"path":"'],
    ["another version", '{"version":2,"projects":[]}'],
    ["another shape", '{"version":1,"projects":{"a":true}}'],
    ["an entry without a path", '{"version":1,"projects":[{}]}'],
    ["nothing", ""],
  ])("in a file with %s trust nothing, say so, and are never written over", async (_, text) => {
    const { env, open, repo, trustFile } = machine();
    mkdirSync(join(trustFile, ".."), { recursive: true });
    writeFileSync(trustFile, text);
    const library = await open("repo");
    expect(namesOf(library)).toEqual(["mine"]);
    expect(library.catalog.diagnostics).toContainEqual(
      expect.objectContaining({
        severity: "error",
        code: "trust-file-invalid",
        location: trustFile,
        hint: expect.stringContaining("Repair"),
      }),
    );
    await expect(grantTrust(repo, { env })).rejects.toMatchObject({ code: "configuration-invalid" });
    await expect(revokeTrust(repo, { env })).rejects.toMatchObject({ code: "configuration-invalid" });
    expect(readFileSync(trustFile, "utf8")).toBe(text);
  });

  test("about a path that does not exist are refused; those about one that is gone can be withdrawn", async () => {
    const { root, env } = machine({ gone: git });
    await expect(grantTrust("nowhere", { env, cwd: root })).rejects.toMatchObject({ code: "configuration-invalid" });
    await grantTrust(join(root, "gone"), { env });
    rmSync(join(root, "gone"), { recursive: true });
    expect(await revokeTrust(join(root, "gone"), { env })).toBe(true);
  });
});
