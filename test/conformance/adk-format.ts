import { join } from "node:path";
import { openSkills, parseSkill } from "skillwright";
import { expect } from "vitest";
import { type Tree, temporaryFolder, writeTree } from "../session/make-library.ts";
import { both, bytes, file, load, open, state } from "./adk-session.ts";
import type { Proof } from "./row.ts";

const strict = { strict: true } as const;
const errors = (text: string, folder: string, rules: object = strict): string[] =>
  parseSkill(text, { folder, rules })
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);
const named =
  (name: string, valid: boolean, rules: object = strict) =>
  () =>
    expect(errors(file(name), name, rules).length === 0).toBe(valid);
const refusedText = (text: string) => () => expect(errors(text, "s").length).toBeGreaterThan(0);
const readsText = (text: string, expected: object) => () =>
  expect(parseSkill(text, { folder: "s", rules: strict })).toMatchObject(expected);
const only = (more: Tree, expected: readonly string[]) => async () => {
  const { library } = await open({}, more);
  expect(library.catalog.skills.map((skill) => skill.name)).toEqual(expected);
};
const mismatch = only({ "other/SKILL.md": file("name") }, both);
const missingBase = async () => {
  const library = await openSkills({ sources: [join(temporaryFolder(), "none")], dialect: "adk" });
  expect(library.catalog.skills).toEqual([]);
};
const toldMissing = async () => {
  const library = await openSkills({ sources: [join(temporaryFolder(), "none")], dialect: "adk" });
  expect(library.catalog.diagnostics).toHaveLength(1);
};
const extraField = readsText(file("s", "x", "color: red\n"), { manifest: { extra: { color: "red" } }, diagnostics: [] });
const allowed = readsText(file("s", "x", "allowed-tools: Read Write\n"), {
  manifest: { allowedTools: ["Read", "Write"] },
  diagnostics: [],
});
const anyCase = async () => {
  const root = temporaryFolder();
  writeTree(root, { "low/skill.md": file("low") });
  const library = await openSkills({ sources: [root], dialect: "adk", strict: false });
  expect(library.catalog.get("low")).toBeDefined();
  expect(library.catalog.diagnostics.length).toBeGreaterThan(0);
};
const fileTexts = async () => {
  const loaded = await (await open()).library.load("skill1");
  expect(loaded.files.map(({ path }) => path)).toEqual([
    "assets/asset.txt",
    "assets/empty.txt",
    "assets/pic.png",
    "references/deep/nested.md",
    "references/doc.pdf",
    "references/ref.md",
    "scripts/run.py",
    "scripts/run.sh",
  ]);
};
/** Proofs about loaders and models. */
export const formatProofs: Record<string, Proof> = {
  "2.2.1": fileTexts,
  "2.2.2": fileTexts,
  "2.2.4": async () => expect((await (await open()).library.read("skill1", "references/doc.pdf")).bytes).toEqual(bytes),
  "2.2.5": async () => {
    const { library } = await open({}, { "skill1/scripts/tool": bytes });
    expect((await library.load("skill1")).files.map(({ path }) => path)).toContain("scripts/tool");
  },
  "2.2.6": allowed,
  "2.2.7": mismatch,
  "2.2.8": () => expect(parseSkill(file("s"), { folder: "s", rules: strict }).diagnostics).toEqual([]),
  "2.2.9": toldMissing,
  "2.2.10": only({ "none/readme.md": "x" }, both),
  "2.2.11": () => expect(errors(file("name"), "other")).toContain("name-folder-mismatch"),
  "2.2.12": extraField,
  "2.2.13": readsText(file("s", "x", "license: MIT\n"), { manifest: { name: "s", description: "Does s", license: "MIT" } }),
  "2.2.18": only({ "none/readme.md": "x", "bad/SKILL.md": "---\n{{: : x\n---\n", "other/SKILL.md": file("name") }, both),
  "2.2.19": missingBase,
  "2.2.29": only({ "none/readme.md": "x" }, both),
  "2.2.30": toldMissing,
  "2.3.1": readsText(file("s", "x", "license: MIT\ncompatibility: any\nallowed-tools: A\nmetadata:\n  a: b\n"), {
    manifest: { name: "s", description: "Does s", license: "MIT", compatibility: "any", allowedTools: ["A"], metadata: { a: "b" } },
  }),
  "2.3.2": async () => {
    const { library } = await open();
    expect((await library.read("skill1", "assets/asset.txt")).text).toBe("asset");
    await expect(library.read("skill1", "assets/none")).rejects.toMatchObject({ code: "file-not-found" });
  },
  "2.3.3": async () => expect((await open()).library.catalog.get("skill1")).toMatchObject({ name: "skill1", description: "Does skill1" }),
  "2.3.5": named("a".repeat(65), false),
  "2.3.6": named("Skill", false),
  "2.3.7": named("-skill", false),
  "2.3.8": named("skill-", false),
  "2.3.9": named("my--skill", false),
  "2.3.10": named("my_skill", false),
  "2.3.11": named("my_skill", true, { strict: true, nameStyle: "kebab-or-snake" }),
  "2.3.12": named("a&b", false),
  "2.3.13": named("my-big_skill", false),
  "2.3.14": named("my-big_skill", false, { strict: true, nameStyle: "kebab-or-snake" }),
  "2.3.15": named("my-skill-2", true),
  "2.3.16": named("skill", true),
  "2.3.17": refusedText("---\nname: s\ndescription: ''\n---\nx"),
  "2.3.18": refusedText(`---\nname: s\ndescription: ${"d".repeat(1025)}\n---\nx`),
  "2.3.19": refusedText(file("s", "x", `compatibility: ${"c".repeat(501)}\n`)),
  "2.3.20": extraField,
  "2.3.21": allowed,
  "2.3.22": async () => {
    const { session } = await open({}, { "s/SKILL.md": file("s", "x", "allowed-tools: Read Write\n") });
    expect(await load(session, "s")).toMatchObject({ frontmatter: { "allowed-tools": "Read Write" } });
  },
  "2.3.23": readsText(file("s", "x", "metadata:\n  adk_additional_tools: [a, b]\n"), {
    manifest: { metadata: { adk_additional_tools: ["a", "b"] } },
  }),
  "2.3.24": async () => {
    const { session } = await open(
      { toolsOnLoad: { tools: ["a", "b"] } },
      { "s/SKILL.md": file("s", "x", "metadata:\n  adk_additional_tools: b a\n") },
    );
    await load(session, "s");
    expect((await session.beforeRequest()).enabledHostTools).toEqual(["a", "b"]);
  },
  "2.3.25": async () => {
    const { session } = await open(
      { toolsOnLoad: { tools: ["a"] } },
      { "s/SKILL.md": file("s", "x", "metadata:\n  adk_additional_tools: 5\n") },
    );
    expect(await load(session, "s")).toMatchObject({ instructions: "x" });
    expect((await session.beforeRequest()).enabledHostTools).toEqual([]);
  },
  "2.3.26": state("metadata:\n  adk_inject_state: true\n", "Hi Ada."),
  "2.3.27": state('metadata:\n  adk_inject_state: "true"\n', "Hi {who}."),
  "2.6.1": readsText(file("s", "x"), { manifest: { name: "s", description: "Does s" }, body: "x" }),
  "2.6.2": refusedText("name: s\n---\nx"),
  "2.6.3": refusedText("---\nname: s\nx"),
  "2.6.4": refusedText("---\n- a\n---\nx"),
  "2.6.5": refusedText("---\n{{: : x\n---\nx"),
  "2.6.6": readsText(file("s", ""), { body: "" }),
  "2.6.7": async () => {
    const { session } = await open({}, { "s/SKILL.md": file("s", "\n\nx\n\n\n") });
    expect(await load(session, "s")).toMatchObject({ instructions: "x" });
  },
  "2.6.8": readsText(file("s", "| a |\n| --- |\n| b |"), { body: "| a |\n| --- |\n| b |" }),
  "2.6.9": async () => expect((await (await open()).library.load("skill2")).files).toEqual([]),
  "2.6.10": anyCase,
  "2.6.11": only({ "none/readme.md": "x" }, both),
  "2.6.12": mismatch,
  "2.6.13": fileTexts,
  "2.6.14": () => expect(errors(file("s"), "s")).toEqual([]),
  "2.6.15": anyCase,
  "2.6.16": toldMissing,
  "2.6.17": only({ "none/readme.md": "x" }, both),
  "2.6.18": extraField,
  "2.6.19": allowed,
  "2.6.20": () => {
    const parsed = parseSkill(file("s", "x", "allowedTools: Read\n"), { folder: "s" });
    expect(parsed.manifest?.allowedTools).toEqual(["Read"]);
  },
  "2.6.21": refusedText("---\nname: s\n---\nx"),
  "2.6.22": () => expect(errors(file("name"), "other")).toContain("name-folder-mismatch"),
  "2.6.23": only({}, both),
  "2.6.24": only({ "bad/SKILL.md": "---\n{{: : x\n---\n" }, both),
  "2.6.25": missingBase,
  "2.6.26": only({ "group/deep/inner/SKILL.md": file("inner") }, ["inner", ...both]),
};
