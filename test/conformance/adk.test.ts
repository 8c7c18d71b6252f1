import { openSkills, type Sandbox, type SessionOptions, SkillError, type SkillEvent, type SkillSession } from "skillwright";
import { localSandbox } from "skillwright/sandboxes/local";
import { type RegistrySkill, registrySource, type SkillRegistry } from "skillwright/sources/registry";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder, writeTree } from "../session/make-library.ts";
import { rows } from "./adk.rows.ts";
import { formatProofs } from "./adk-format.ts";
import { both, bytes, call, file, load, names, open, openOn, read, sandboxed, state, tree } from "./adk-session.ts";
import { type Proof, proveRows } from "./row.ts";

/** Runs a script of skill1, given by its text, or one that is there. */
async function run(script: string, text?: string, input: object = {}, options: SessionOptions = {}): Promise<Record<string, unknown>> {
  const { session } = await sandboxed(text === undefined ? {} : { [`skill1/${script}`]: text }, options);
  return call(session, "run_skill_script", { skill_name: "skill1", file_path: script, ...input });
}

const runs =
  (expected: object, ...given: Parameters<typeof run>) =>
  async () =>
    expect(await run(...given)).toMatchObject(expected);
const invalid = { error_code: "INVALID_ARGUMENTS" };
const invalidRuns = (key: string, values: readonly unknown[]) => async () => {
  const { session } = await sandboxed();
  for (const value of values) {
    const result = await call(session, "run_skill_script", { skill_name: "skill1", file_path: "scripts/run.sh", [key]: value });
    expect(result, JSON.stringify(value)).toMatchObject(invalid);
  }
};

async function misses(tool: "load_skill_resource" | "run_skill_script", second: string): Promise<void> {
  const { session } = await sandboxed();
  const miss = (file_path: string) => call(session, tool, { skill_name: "skill1", file_path });
  const code = tool === "run_skill_script" ? "SCRIPT_NOT_FOUND" : "RESOURCE_NOT_FOUND";
  expect(await miss("scripts/none.sh")).toMatchObject({ error_code: code, error: expect.stringContaining("none.sh") });
  expect(await miss(second)).toMatchObject({ error_code: `${code}_FATAL`, error: expect.stringMatching(/failure #2.*Do not retry/) });
}

async function countedApart(tool: string, code: string): Promise<void> {
  const { session } = await sandboxed();
  for (const turn of ["1", "2"]) {
    await session.beforeRequest({ turn });
    expect(await call(session, tool, { skill_name: "skill1", file_path: "scripts/none.sh" })).toMatchObject({ error_code: code });
  }
}

async function noExecutor(): Promise<void> {
  const { session } = await open();
  expect(names(session)).not.toContain("run_skill_script");
  const result = await session.call("run_skill_script", { skill_name: "skill1", file_path: "scripts/run.sh" }, { callId: "1" });
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining("load_skill_resource") });
}

/** A sandbox that works up to writing files, or not at all. */
function failing(where: "open" | "writeFiles"): Sandbox {
  const sandbox = localSandbox();
  const fail = async (): Promise<never> => Promise.reject(new SkillError("sandbox-failed", "No space left."));
  return { ...sandbox, open: where === "open" ? fail : async (options) => ({ ...(await sandbox.open(options)), writeFiles: fail }) };
}
const failsWith = (where: "open" | "writeFiles") =>
  runs(
    { error_code: "EXECUTION_ERROR", error: expect.stringContaining("No space left.") },
    "scripts/run.sh",
    undefined,
    {},
    { sandbox: failing(where) },
  );

const hidden = (...operations: string[]): SessionOptions => ({ toolFilter: ({ operation }) => !operations.includes(operation) });
async function noBan(options: SessionOptions, offered: readonly string[]): Promise<void> {
  const { session } = await sandboxed({}, options);
  expect(names(session)).toEqual(offered);
  const all = ["list_skills", "load_skill_resource", "run_skill_script", "load_skill"];
  const text = offered.reduce((rest, name) => rest.replaceAll(name, ""), session.instructions);
  for (const name of all.filter((tool) => !offered.includes(tool))) expect(text).not.toContain(name);
}
const listed = async () => {
  const { session } = await open(hidden("list"));
  expect(session.instructions).toMatch(/<available_skills>[\s\S]*skill1[\s\S]*skill2[\s\S]*<\/available_skills>/);
};

const remote: RegistrySkill = {
  name: "remote",
  description: "Does remote things",
  instructions: "Remote body.",
  metadata: { adk_additional_tools: ["sql"] },
  resources: { references: { "r.md": "remote reference" }, scripts: { "hi.sh": "echo hi\n" } },
};
function counting(skills: readonly RegistrySkill[] = [remote]): { registry: SkillRegistry; asked: string[]; queries: string[] } {
  const asked: string[] = [];
  const queries: string[] = [];
  return {
    asked,
    queries,
    registry: {
      search: async (query) => {
        queries.push(query);
        return skills;
      },
      get: async (name) => {
        asked.push(name);
        return skills.find((skill) => skill.name === name);
      },
    },
  };
}
async function withRegistry(options: SessionOptions = {}, local = true, skills?: readonly RegistrySkill[]) {
  const counted = counting(skills);
  const root = temporaryFolder();
  writeTree(root, tree);
  const source = { source: registrySource(counted.registry), trust: "trusted" as const };
  return { ...counted, ...(await openOn(local ? [root, source] : [source], options)) };
}
const found = async (session: SkillSession, query: string): Promise<unknown> =>
  ((await call(session, "search_skills", { query })).skills as { name: string }[]).map(({ name }) => name);

const cap = (options: NonNullable<SessionOptions["lifecycle"]>) => open({ lifecycle: options }, { "skill3/SKILL.md": file("skill3") });

const staged = runs(
  { stdout: "0\nnested\nGrüße 你好\nasset" },
  "scripts/all.sh",
  "wc -c < assets/empty.txt\ncat references/deep/nested.md\necho\ncat references/ref.md\necho\ncat assets/asset.txt\n",
);
const rules = async (options: SessionOptions, expected: RegExp) =>
  expect((await sandboxed({}, options)).session.instructions).toMatch(expected);
const prefixed = { toolNamePrefix: "my_" };

const proofs: Record<string, Proof> = {
  ...formatProofs,
  "2.1.1": async () => {
    const { catalog } = (await open()).library;
    expect([catalog.get("skill1")?.name, catalog.get("none")]).toEqual(["skill1", undefined]);
  },
  "2.1.2": async () => expect((await open()).library.catalog.skills.map(({ name }) => name)).toEqual(both),
  "2.1.3": async () => {
    const { library } = await open();
    const options = { sandbox: localSandbox(), toolNamePrefix: "x_" };
    const session = await library.scope({ allow: ["skill2"] }).openSession(options);
    expect(names(session)).toEqual(["x_list_skills", "x_load_skill", "x_load_skill_resource", "x_run_skill_script"]);
    expect(await call(session, "x_load_skill", { skill_name: "skill1" })).toMatchObject({ error_code: "SKILL_NOT_FOUND" });
  },
  "2.1.4": async () => {
    const { library, session } = await open({ ...prefixed, toolFilter: ({ operation }) => operation === "list" });
    const copy = await library
      .scope({ allow: ["skill2"] })
      .openSession({ ...prefixed, toolFilter: ({ operation }) => operation === "list" });
    expect(names(copy)).toEqual(names(session));
  },
  "2.1.5": runs({ status: "success" }, "scripts/run.sh"),
  "2.1.10": async () => {
    expect(names((await sandboxed()).session)).toEqual(["list_skills", "load_skill", "load_skill_resource", "run_skill_script"]);
  },
  "2.1.11": async () => expect((await open({ toolsOnLoad: { tools: ["sql"] } })).session.enabledHostTools).toEqual([]),
  "2.1.12": async () => {
    const { text } = await (await open()).session.call("list_skills", {}, { callId: "1" });
    expect(text).toMatch(/^<available_skills>\n<skill>\n<name>\nskill1\n[\s\S]*skill2/);
  },
  "2.1.13a": async () => {
    const expected = { skill_name: "skill1", instructions: "Body of skill1.", frontmatter: { name: "skill1", description: "Does skill1" } };
    expect(await load((await open()).session, "skill1")).toMatchObject(expected);
  },
  "2.1.13b": async () => expect(await load((await open()).session, "none")).toMatchObject({ error_code: "SKILL_NOT_FOUND" }),
  "2.1.13c": async () => {
    expect(await call((await open()).session, "load_skill", {})).toEqual({ error: "Argument 'skill_name' is required.", ...invalid });
  },
  "2.1.14": async () => {
    const { session } = await open();
    await load(session, "skill1");
    expect(session.active.map(({ name }) => name)).toEqual(["skill1"]);
  },
  "2.1.15": state("metadata:\n  adk_inject_state: true\n", "Hi Ada."),
  "2.1.16": state("metadata:\n  adk_inject_state: false\n", "Hi {who}."),
  "2.1.17": state("", "Hi {who}."),
  "2.1.18a": async () => expect(await read((await open()).session, "references/ref.md")).toMatchObject({ content: "Grüße 你好" }),
  "2.1.18b": async () => expect(await read((await open()).session, "assets/asset.txt")).toMatchObject({ content: "asset" }),
  "2.1.18c": async () => {
    const result = await read((await open()).session, "references/doc.pdf");
    expect(result).toMatchObject({ status: expect.stringContaining("Binary file"), mime_type: "application/pdf" });
    expect(result).not.toHaveProperty("content");
  },
  "2.1.18d": async () => expect(await read((await open()).session, "assets/pic.png")).toMatchObject({ mime_type: "image/png" }),
  "2.1.18e": async () =>
    expect(await read((await open()).session, "scripts/run.py")).toMatchObject({ content: tree["skill1/scripts/run.py"] }),
  "2.1.18f": async () =>
    expect(await read((await open()).session, "references/x", "none")).toMatchObject({ error_code: "SKILL_NOT_FOUND" }),
  "2.1.18g": async () => expect(await read((await open()).session, "SKILL.md")).toMatchObject({ error_code: "INVALID_RESOURCE_PATH" }),
  "2.1.18h": async () =>
    expect(await call((await open()).session, "load_skill_resource", { file_path: "assets/a" })).toMatchObject(invalid),
  "2.1.18i": async () => expect(await call((await open()).session, "load_skill_resource", { skill_name: "skill1" })).toMatchObject(invalid),
  "2.1.19": async () => {
    const { session } = await open();
    const input = { skill_name: "skill1", file_path: "references/doc.pdf" };
    const { media } = await session.call("load_skill_resource", input, { callId: "1" });
    expect(media).toEqual([{ name: "references/doc.pdf", mediaType: "application/pdf", data: bytes }]);
  },
  "2.1.20": async () => {
    const view = await (await open()).session.beforeRequest();
    expect(view.instructions.match(/You have skills/g)).toHaveLength(1);
    expect(view.instructions).not.toContain("<available_skills>");
  },
  "2.1.21a": listed,
  "2.1.21b": () => noBan(hidden("list"), ["load_skill", "load_skill_resource", "run_skill_script"]),
  "2.1.22": async () => {
    const one = temporaryFolder();
    const other = temporaryFolder();
    for (const root of [one, other]) writeTree(root, { "s/SKILL.md": file("s") });
    const { library } = await openOn([one, other]);
    expect(library.catalog.excluded).toMatchObject([{ fate: "shadowed" }]);
    await expect(openSkills({ sources: [one, other], duplicates: "error" })).rejects.toMatchObject({ code: "duplicate-skill" });
  },
  "2.1.23": async () => expect(await read((await open()).session, "scripts/none.sh")).toMatchObject({ error_code: "RESOURCE_NOT_FOUND" }),
  "2.1.24": async () => expect(await read((await open()).session, "assets/none")).toMatchObject({ error_code: "RESOURCE_NOT_FOUND" }),
  "2.1.25": () => misses("load_skill_resource", "scripts/none.sh"),
  "2.1.26": () => misses("load_skill_resource", "assets/other.txt"),
  "2.1.27": () => countedApart("load_skill_resource", "RESOURCE_NOT_FOUND"),
  "2.1.29": async () => {
    const { session } = await sandboxed();
    const error = "Argument 'skill_name' is required.\nArgument 'file_path' is required.";
    expect(await call(session, "run_skill_script", { skill_name: "" })).toEqual({ error, ...invalid });
  },
  "2.1.30": async () => {
    const input = { skill_name: "none", file_path: "scripts/run.sh" };
    expect(await call((await sandboxed()).session, "run_skill_script", input)).toMatchObject({ error_code: "SKILL_NOT_FOUND" });
  },
  "2.1.31": runs({ error_code: "SCRIPT_NOT_FOUND" }, "scripts/none.sh"),
  "2.1.32": () => misses("run_skill_script", "scripts/none.sh"),
  "2.1.33": () => misses("run_skill_script", "scripts/other.sh"),
  "2.1.34": () => countedApart("run_skill_script", "SCRIPT_NOT_FOUND"),
  "2.1.36": noExecutor,
  "2.1.37": noExecutor,
  "2.1.38": runs({ status: "success", stdout: "by its first line\n" }, "scripts/app.rb", "#!/bin/sh\necho by its first line\n"),
  "2.1.39": runs({ skill_name: "skill1", file_path: "scripts/run.py", status: "success", stdout: "[]\n", stderr: "" }, "scripts/run.py"),
  "2.1.40": runs({ status: "success" }, "scripts/run.sh"),
  "2.1.41": runs({ stdout: "Grüße 你好" }, "scripts/cat.sh", "cat references/ref.md"),
  "2.1.42": runs({ stdout: "['--verbose', 'true', '--count', '3']\n" }, "scripts/run.py", undefined, { args: { verbose: true, count: 3 } }),
  "2.1.43": runs({ stdout: "--force|true|" }, "scripts/run.sh", undefined, { args: { force: true } }),
  "2.1.44": runs({ stdout: "['a b', '-x']\n" }, "scripts/run.py", undefined, { args: ["a b", "-x"] }),
  "2.1.45": runs({ stdout: "a b|-x|" }, "scripts/run.sh", undefined, { args: ["a b", "-x"] }),
  "2.1.46": runs(invalid, "scripts/run.py", undefined, { args: ["a"], short_options: { v: 1 } }),
  "2.1.47": runs({ ...invalid, error: expect.stringContaining("Cannot specify") }, "scripts/run.sh", undefined, {
    args: ["a"],
    positional_args: ["b"],
  }),
  "2.1.48": runs({ status: "success", file_path: "scripts/run.sh" }, "scripts/run.sh"),
  "2.1.51": failsWith("open"),
  "2.1.52": runs({ status: "error" }, "scripts/e.sh", "echo e >&2\n"),
  "2.1.53": runs({ status: "warning" }, "scripts/e.sh", "echo o\necho e >&2\n"),
  "2.1.55": runs({ status: "error", exit_code: 1, stdout: "before\n" }, "scripts/x.py", "import sys\nprint('before')\nsys.exit(1)\n"),
  "2.1.56": runs({ status: "success" }, "scripts/x.py", "import sys\nsys.exit(0)\n"),
  "2.1.57": runs({ status: "success" }, "scripts/x.py", "import sys\nsys.exit(None)\n"),
  "2.1.58": async () => {
    const root = temporaryFolder();
    writeTree(root, { "s/SKILL.md": file("s"), "s/scripts/long.sh": "echo begun\nsleep 600\n" });
    const library = await openSkills({ sources: [root], dialect: "adk", limits: { runTimeoutMs: 1_500 } });
    const session = await library.openSession({ sandbox: localSandbox() });
    onTestFinished(() => session.close());
    const result = await call(session, "run_skill_script", { skill_name: "s", file_path: "scripts/long.sh" });
    expect(result).toMatchObject({ status: "error", timed_out: true, stdout: "begun\n", stderr: expect.stringContaining("Timed out") });
    expect(result.stderr).not.toContain("Exit code");
  },
  "2.1.59": runs({ status: "success", stdout: "ran\n" }, "scripts/plain", "#!/bin/sh\necho ran\n"),
  "2.1.63": failsWith("open"),
  "2.1.65": failsWith("writeFiles"),
  "2.1.66": staged,
  "2.1.67": runs({ stdout: "hi\n", stderr: "", status: "success" }, "scripts/x.py", "print('hi')\n"),
  "2.1.68": runs({ stdout: "Grüße 你好\n" }, "scripts/x.py", "print(open('references/ref.md', encoding='utf-8').read())\n"),
  "2.1.69": async () => {
    const { session } = await sandboxed({
      "skill1/scripts/x.py": "import near\nprint(near.word)\n",
      "skill1/scripts/near.py": "word = 'newt'\n",
    });
    expect(await call(session, "run_skill_script", { skill_name: "skill1", file_path: "x.py" })).toMatchObject({ stdout: "newt\n" });
  },
  "2.1.70": runs({ status: "success" }, "scripts/x.py", "import sys\nsys.exit(0)\n"),
  "2.1.71": runs({ status: "warning" }, "scripts/e.sh", "echo o\necho e >&2\n"),
  "2.1.72": runs({ status: "error", exit_code: 0 }, "scripts/e.sh", "echo e >&2\n"),
  "2.1.73": runs(
    { status: "error", exit_code: 1, stdout: "o\n", stderr: expect.stringContaining("boom") },
    "scripts/x.py",
    "print('o')\nraise ValueError('boom')\n",
  ),
  "2.1.74": runs({ status: "error", exit_code: 3 }, "scripts/x.py", "import sys\nsys.exit(3)\n"),
  "2.1.75": runs({ exit_code: 0 }, "scripts/run.sh"),
  "2.1.76": runs({ status: "error", exit_code: 0 }, "scripts/e.sh", "echo e >&2\n"),
  "2.1.79": runs({ status: "error", stderr: "Exit code 2" }, "scripts/e.sh", "exit 2\n"),
  "2.1.80": runs({ stderr: "e\nExit code 2" }, "scripts/e.sh", "echo e >&2\nexit 2\n"),
  "2.1.81": runs({ status: "warning" }, "scripts/e.sh", "echo o\necho e >&2\n"),
  "2.1.84": staged,
  "2.1.85": runs({ status: "error", stderr: expect.stringContaining("42") }, "scripts/e.sh", "exit 42\n"),
  "2.1.86": () => rules({}, /scripts with run_skill_script/),
  "2.1.87": () => rules({}, /load_skill does NOT complete your turn.*empty response/),
  "2.1.88": () => rules(prefixed, /my_load_skill does NOT complete your turn.*empty response/),
  "2.1.89": staged,
  "2.1.90": invalidRuns("args", ["--x", 3, true]),
  "2.1.91": invalidRuns("short_options", ["v", ["v"], 3, true]),
  "2.1.92": invalidRuns("positional_args", ["v", { v: 1 }, 3, true]),
  "2.1.93": runs({ stdout: "25504446" + "00fffe01\n" }, "scripts/x.py", "print(open('references/doc.pdf', 'rb').read().hex())\n"),
  "2.1.94": async () => {
    const asks = (tools: string): string => `metadata:\n  adk_additional_tools: [${tools}]\n`;
    const { session } = await open(
      { toolsOnLoad: { tools: ["mail", "chart"], sets: { sql: ["query", "explain"] } } },
      { "a/SKILL.md": file("a", "x", asks("mail, sql")), "b/SKILL.md": file("b", "x", asks("mail, chart")) },
    );
    expect((await session.beforeRequest()).enabledHostTools).toEqual([]);
    await load(session, "a");
    await load(session, "b");
    expect((await session.beforeRequest()).enabledHostTools).toEqual(["mail", "chart", "query", "explain"]);
  },
  "2.1.95": async () => {
    const events: SkillEvent[] = [];
    const options = { toolsOnLoad: { tools: ["mail"] }, onEvent: (event: SkillEvent) => events.push(event) };
    const { session } = await open(options, { "a/SKILL.md": file("a", "x", "metadata:\n  adk_additional_tools: [nope]\n") });
    await load(session, "a");
    await session.beforeRequest();
    expect((await session.beforeRequest({ turn: "2" })).enabledHostTools).toEqual([]);
    expect(events.filter((event) => JSON.stringify(event).includes("tool-missing"))).toHaveLength(1);
  },
  "2.1.98": async () => {
    const { session } = await withRegistry({ sandbox: localSandbox() }, false);
    expect(names(session)).toEqual(["list_skills", "load_skill", "load_skill_resource", "run_skill_script", "search_skills"]);
  },
  "2.1.99": async () => {
    const { session } = await open();
    expect(names(session)).not.toContain("search_skills");
    expect(await session.call("search_skills", { query: "x" }, { callId: "1" })).toMatchObject({ isError: true });
  },
  "2.1.100": async () => {
    const { session, queries } = await withRegistry({}, true, [remote, { ...remote, name: "skill1" }]);
    expect(await found(session, "zzz")).toEqual(["remote"]);
    expect(queries).toEqual(["zzz"]);
    expect(await call(session, "search_skills", { query: "" })).toMatchObject(invalid);
  },
  "2.1.101a": async () => {
    const { session, asked } = await withRegistry();
    expect(await load(session, "remote")).toMatchObject({ instructions: "Remote body." });
    expect(asked).toEqual(["remote"]);
    expect(session.active.map(({ name }) => name)).toEqual(["remote"]);
  },
  "2.1.101b": async () => {
    const { registry, asked } = counting();
    const { library } = await openOn([registrySource(registry, { maxAgeMs: 0 })]);
    await library.load("remote");
    const before = asked.length;
    await library.load("remote");
    expect(asked.length).toBeGreaterThan(before);
  },
  "2.1.102": async () => {
    const { session } = await withRegistry({ toolsOnLoad: { tools: ["sql"] } });
    expect(await read(session, "references/r.md", "remote")).toMatchObject({ content: "remote reference" });
    await load(session, "remote");
    expect((await session.beforeRequest()).enabledHostTools).toEqual(["sql"]);
  },
  "2.1.103": async () => expect((await withRegistry()).session.instructions).toContain("search_skills"),
  "2.1.104": async () => {
    const { session, asked } = await withRegistry({ sandbox: localSandbox() });
    await load(session, "remote");
    expect(await call(session, "run_skill_script", { skill_name: "remote", file_path: "scripts/hi.sh" })).toMatchObject({ stdout: "hi\n" });
    expect(asked).toEqual(["remote"]);
  },
  "2.1.105": async () => {
    const many = Array.from({ length: 17 }, (_, index): RegistrySkill => ({ ...remote, name: `s${index}` }));
    const { library, asked } = await withRegistry({}, false, many);
    for (const { name } of [...many, { name: "s16" }, { name: "s0" }]) await library.load(name);
    expect(asked.filter((name) => name === "s16" || name === "s0")).toEqual(["s0", "s16", "s0"]);
  },
  "2.1.106": async () => {
    const { library, asked } = await withRegistry();
    await Promise.all([1, 2, 3].map(() => library.load("remote")));
    expect(asked).toEqual(["remote"]);
  },
  "2.1.107": async () => {
    const { session, library, root } = await open();
    const before = (await session.beforeRequest()).tools;
    writeTree(root, { "new/SKILL.md": file("new") });
    await library.refresh();
    expect((await session.beforeRequest()).tools).not.toBe(before);
    expect(await load(session, "new")).toMatchObject({ skill_name: "new" });
  },
  "2.1.109": async () => {
    const { session } = await withRegistry({ ...prefixed, ...hidden("list") });
    expect(names(session)).toEqual(["my_load_skill", "my_load_skill_resource", "my_search_skills"]);
    expect(session.instructions).toMatch(/my_search_skills[\s\S]*<available_skills>/);
  },
  "2.1.110": async () => {
    expect(names((await open({ toolFilter: ({ name }) => ["list_skills", "load_skill"].includes(name) })).session)).toEqual([
      "list_skills",
      "load_skill",
    ]);
  },
  "2.1.111": async () => {
    expect(names((await open({ toolFilter: ({ name }) => name.startsWith("load") })).session)).toEqual([
      "load_skill",
      "load_skill_resource",
    ]);
  },
  "2.1.112": async () => {
    const extra = "metadata:\n  adk_additional_tools: [mail]\n";
    const { library } = await open({}, { "a/SKILL.md": file("a", "x", extra) });
    const session = await library.openSession({ ...hidden("load"), toolsOnLoad: { tools: ["mail"] }, preload: ["a"] });
    expect(names(session)).not.toContain("load_skill");
    expect(session.enabledHostTools).toEqual(["mail"]);
  },
  "2.1.113": () => noBan(hidden("read", "run-script"), ["list_skills", "load_skill"]),
  "2.1.114": () => noBan(hidden("read", "load", "list"), ["run_skill_script"]),
  "2.1.115": async () => {
    const { session } = await withRegistry({ sandbox: localSandbox(), lifecycle: { mode: "bounded", maxActive: 5 } });
    const order = ["list_skills", "load_skill", "load_skill_resource", "run_skill_script", "search_skills", "unload_skill"];
    expect(names(session)).toEqual(order);
  },
  "2.1.116": async () => expect((await open()).session.instructions).not.toMatch(/not available|do not call/i),
  "2.1.117": () => rules({}, /programs to run[\s\S]*load_skill_resource reads files[\s\S]*7\. load_skill does NOT/),
  "2.1.118": () => noBan({ toolFilter: ({ name }) => name === "load_skill" }, ["load_skill"]),
  "2.1.119": listed,
  "2.1.120": async () => expect((await withRegistry(hidden("search"))).session.instructions).not.toContain("search_skills"),
  "2.1.121": async () => expect((await withRegistry()).session.instructions).toContain("search_skills"),
  "2.1.122": () => noBan({ ...prefixed, ...hidden("list", "read", "run-script") }, ["my_load_skill"]),
  "2.1.123": () => noBan(hidden("run-script"), ["list_skills", "load_skill", "load_skill_resource"]),
  "2.1.124": noExecutor,
  "2.1.125": async () => expect(names((await sandboxed()).session)).toContain("run_skill_script"),
  "2.1.126": async () => expect(names((await sandboxed()).session)).toContain("run_skill_script"),
  "2.1.129": async () => {
    const { instructions } = (await open()).session;
    expect(instructions).not.toMatch(/run_skill_script|bash/);
    expect([...instructions.matchAll(/^(\d)\. /gm)].map((match) => match[1])).toEqual(["1", "2", "3", "4", "5"]);
  },
  "2.1.130": () => rules({}, /^1\. [\s\S]*^7\. /m),
  "life.1": async () => {
    const { session } = await cap({ mode: "bounded", maxActive: 2 });
    for (const name of ["skill1", "skill2", "skill1", "skill3"]) await load(session, name);
    expect(session.active.map(({ name }) => name)).toEqual(["skill1", "skill3"]);
  },
  "life.2": async () => {
    const { session } = await cap({ mode: "ephemeral" });
    await session.beforeRequest({ turn: "1" });
    await load(session, "skill1");
    await session.beforeRequest({ turn: "2" });
    expect(session.active).toEqual([]);
    expect(await load(session, "skill1")).toMatchObject({ instructions: "Body of skill1." });
  },
  "life.3": async () => {
    const { session } = await cap({ mode: "bounded", maxActive: 1, overrides: { skill1: "ephemeral" } });
    await session.beforeRequest({ turn: "1" });
    await load(session, "skill2");
    await load(session, "skill1");
    await session.beforeRequest({ turn: "2" });
    expect(await load(session, "skill3")).toMatchObject({ unloaded_skills: ["skill1", "skill2"] });
  },
  "life.4": async () => {
    expect(await load((await cap({ mode: "ephemeral" })).session, "skill1")).toMatchObject({ lifecycle_notice: expect.any(String) });
  },
  "life.5": async () => {
    const { session } = await cap({});
    await load(session, "skill1");
    expect(await call(session, "unload_skill", { skill_name: "skill1" })).toEqual({
      skill_name: "skill1",
      unloaded: true,
      active_skills: [],
    });
    expect(await call(session, "unload_skill", { skill_name: "skill1" })).toMatchObject({ error_code: "SKILL_NOT_ACTIVE" });
  },
  "life.6": async () => {
    const { session } = await cap({});
    const { text } = await session.call("load_skill", { skill_name: "skill1" }, { callId: "x" });
    await session.unload("skill1");
    const history = [{ role: "tool" as const, toolResults: [{ callId: "x", tool: "load_skill", text }] }];
    const kept = JSON.stringify(history);
    expect((await session.beforeRequest({ history })).edits).toMatchObject([{ callId: "x", text: expect.stringContaining("unloaded") }]);
    expect(JSON.stringify(history)).toBe(kept);
  },
  "life.8": async () => {
    await expect(cap({ mode: "bounded", maxActive: 0 })).rejects.toMatchObject({ code: "configuration-invalid" });
  },
  "life.9": async () => {
    const { session } = await open();
    await session.beforeRequest({ turn: "1" });
    for (const name of both) await load(session, name);
    await session.beforeRequest({ turn: "2" });
    expect(session.active).toHaveLength(2);
    expect(names(session)).not.toContain("unload_skill");
  },
  "2.4.1": async () => {
    const { text } = await (await open()).session.call("list_skills", {}, { callId: "1" });
    const entry = (name: string) => `<skill>\n<name>\n${name}\n</name>\n<description>\nDoes ${name}\n</description>\n</skill>`;
    expect(text).toBe(`<available_skills>\n${entry("skill1")}\n${entry("skill2")}\n</available_skills>`);
  },
  "2.4.2": async () => {
    const { session } = await withRegistry({}, false);
    expect((await session.call("list_skills", {}, { callId: "1" })).text).toBe("<available_skills>\n</available_skills>");
  },
  "2.4.3": async () => {
    const { session } = await open({}, { "s/SKILL.md": '---\nname: s\ndescription: "a <b> & c"\n---\nx' });
    expect((await session.call("list_skills", {}, { callId: "1" })).text).toContain("a &lt;b&gt; &amp; c");
  },
  "2.5.3": async () => {
    const bad = ["Caps", "x".repeat(65)].map((name): RegistrySkill => ({ ...remote, name }));
    const { session } = await withRegistry({}, true, [...bad, { ...remote, name: "blank", description: "" }, remote]);
    expect(await found(session, "zzz")).toEqual(["remote"]);
  },
  "2.5.4": async () => {
    const bad = [null, 5, ["a"]].map((name) => ({ ...remote, name }) as unknown as RegistrySkill);
    expect(await found((await withRegistry({}, true, [...bad, remote])).session, "zzz")).toEqual(["remote"]);
  },
  "2.5.9": async () => {
    const { session, asked } = await withRegistry();
    for (const name of ["../x", "%2e%2e", "x?y", "x#y", "x/y", "a..b", "-x"]) {
      expect(await load(session, name), name).toMatchObject({ error_code: "SKILL_NOT_FOUND" });
    }
    expect(asked).toEqual([]);
  },
  "2.5.10": async () => {
    const { session, asked } = await withRegistry();
    for (const name of ["a", "a-b", "a.b"]) await load(session, name);
    expect(asked).toEqual(["a", "a-b", "a.b"]);
  },
};
proofs["2.1.82"] = proofs["2.1.58"] as Proof;

proveRows("adk", rows, proofs);
