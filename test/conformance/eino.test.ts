import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  type Dialect,
  dialects,
  type ForkRequest,
  type HistoryMessage,
  openSkills,
  parseSkill,
  type SessionOptions,
  type SkillLibrary,
  type SkillSession,
  type ToolResult,
} from "skillwright";
import { backendSource } from "skillwright/sources/backend";
import { expect, onTestFinished } from "vitest";
import { type Tree, temporaryFolder, writeTree } from "../session/make-library.ts";
import { rows } from "./eino.rows.ts";
import { type Proof, proveRows } from "./row.ts";

const file = (name: string, content: string, extra = ""): string =>
  `---\nname: ${name}\ndescription: What ${name} does\n${extra}---\n${content}`;
const two: Tree = { "name1/SKILL.md": file("name1", "content1"), "name2/SKILL.md": file("name2", "content2") };

async function library(tree: Tree = two): Promise<{ library: SkillLibrary; root: string }> {
  const root = temporaryFolder();
  writeTree(root, tree);
  const opened = await openSkills({ sources: [root], dialect: "eino" });
  onTestFinished(() => opened.close());
  return { library: opened, root };
}

async function open(options: SessionOptions = {}, tree: Tree = two): Promise<SkillSession> {
  return (await library(tree)).library.openSession(options);
}

const one = (extra: string, content = "Dig."): Tree => ({ "s/SKILL.md": file("s", content, extra) });
let calls = 0;
const launch = (session: SkillSession, skill: unknown, more: object = {}): Promise<ToolResult> =>
  session.call("skill", { skill, ...more }, { callId: `${++calls}` });
const names = (opened: SkillLibrary): string[] => opened.catalog.skills.map((skill) => skill.name);
const codes = (text: string): string[] =>
  parseSkill(text, { folder: "s", rules: { requireDescription: false } }).diagnostics.map(({ code }) => code);
const tool = (session: SkillSession) => session.tools.find((found) => found.operation === "load");

/** Eino's table with parameters of the host's beside its own. */
function withParameters(): Dialect {
  const base = dialects.get("eino");
  if (base === undefined) throw new Error("no dialect");
  const own = [
    { name: "foo", to: "foo", schema: { type: "string" }, required: true },
    { name: "bar", to: "bar", schema: { type: "integer" } },
  ];
  return {
    ...base,
    tools: base.tools.map((spec) => (spec.operation === "load" ? { ...spec, parameters: [...own, ...spec.parameters] } : spec)),
  };
}

async function ownParameters(): Promise<void> {
  const words = dialects.get("eino")?.words.en.tools;
  const load = { description: () => "own", parameters: { skill: "custom", foo: "the foo" } };
  const schema = tool(await open({ dialect: withParameters(), wording: { tools: { ...words, load } } }))?.inputSchema;
  expect(schema).toMatchObject({
    properties: { foo: { type: "string", description: "the foo" }, bar: { type: "integer" }, skill: { description: "custom" } },
    required: ["foo", "skill"],
  });
}

async function renamed(): Promise<void> {
  const session = await open({ toolNames: { load: "load_skill" } });
  expect(session.instructions).toContain("'load_skill'");
  expect(session.tools.map(({ name }) => name)).toEqual(["load_skill"]);
}

async function missingSource(): Promise<void> {
  await expect(openSkills({ sources: [undefined as never], dialect: "eino" })).rejects.toMatchObject({ code: "tenant-unresolved" });
}

/** A fork with a hub that answers `answers` and keeps what it was asked. */
async function fork(
  answers: readonly string[] | Error,
  { extra = "context: fork\n", ...options }: SessionOptions & { extra?: string } = {},
  history?: readonly HistoryMessage[],
): Promise<{ result: ToolResult; asked: ForkRequest[] }> {
  const asked: ForkRequest[] = [];
  const agents = async (request: ForkRequest): Promise<readonly string[]> => {
    asked.push(request);
    if (answers instanceof Error) throw answers;
    return answers;
  };
  const session = await open({ ...options, hosts: { agents, ...options.hosts } }, one(extra));
  if (history !== undefined) await session.beforeRequest({ history });
  return { result: await launch(session, "s"), asked };
}

async function forkNeeds(extra: string, hosts: NonNullable<SessionOptions["hosts"]>, words: RegExp): Promise<void> {
  const result = await launch(await open({ hosts }, one(extra)), "s");
  expect(result).toMatchObject({ isError: true, data: { code: "hub-missing" } });
  expect(result.text).toMatch(words);
}

const noAgents = () => forkNeeds("context: fork\n", {}, /no agents are configured/);
const noModels = () => forkNeeds("context: fork\nmodel: big\n", { agents: async () => [] }, /model "big"/);
const agentFails = async (): Promise<void> => {
  const { result } = await fork(new Error("no such agent"));
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining("no such agent") });
};
const modelAsked = async (): Promise<void> => {
  const { asked } = await fork(["a"], { extra: "context: fork\nmodel: big\n", hosts: { models: () => true } });
  expect(asked).toMatchObject([{ model: "big" }]);
};
const severalAnswers = async (): Promise<void> => {
  const { result } = await fork(["part1", "", "part2"]);
  expect(result.text).toContain("part1\npart2");
};
const emptyAnswer = async (): Promise<void> => {
  const { result } = await fork([""]);
  expect(result).toMatchObject({ isError: false, text: expect.stringContaining('"s"') });
};
const simpleFork = async (): Promise<void> => {
  const { result, asked } = await fork(["agent response"]);
  expect(result.text).toMatch(/"s" completed[\s\S]*agent response/);
  expect(asked).toHaveLength(1);
  expect(asked[0]).not.toHaveProperty("model");
};
const forkMessages = async (): Promise<void> => {
  const { asked } = await fork(["a"]);
  expect(asked).toMatchObject([{ skill: "s", mode: "fork", input: { skill: "s" } }]);
  expect(asked[0]?.content).toMatch(/^Launching skill: s\nBase directory for this skill: .+\n\nDig\.$/);
};
const formed = async (): Promise<void> => {
  const { result } = await fork(["p1", "p2"], {
    wording: { present: (outcome) => ({ text: outcome.kind === "forked" ? `E:${outcome.results.join(",")}` : "" }) },
  });
  expect(result.text).toBe("E:p1,p2");
};
const hookFails = async (extra: string): Promise<void> => {
  const present = (): never => {
    throw new Error("cause");
  };
  const session = await open({ wording: { present }, hosts: { agents: async () => ["a"] } }, one(extra));
  await expect(launch(session, "s")).rejects.toThrow("cause");
};

async function modelAfter(extra: string, hosts: NonNullable<SessionOptions["hosts"]>): Promise<string | undefined> {
  const session = await open({ hosts }, one(extra));
  await session.beforeRequest({ turn: "1" });
  await launch(session, "s");
  return (await session.beforeRequest({ turn: "1" })).model;
}
const baseModel = async () => expect(await modelAfter("model: other\n", {})).toBeUndefined();

const limits = (options: Parameters<SkillSession["rehydrate"]>[0]) => async () => (await open()).rehydrate(options);
const refused = (options: Parameters<SkillSession["rehydrate"]>[0]) => async () => {
  await expect(limits(options)()).rejects.toMatchObject({ code: "configuration-invalid", message: expect.stringContaining("negative") });
};
const accepted = (options?: Parameters<SkillSession["rehydrate"]>[0]) => async () => {
  expect(await limits(options)()).toBe("");
};
const keepsAll = async (): Promise<void> => {
  const session = await open();
  await launch(session, "name1");
  expect(await session.rehydrate()).toContain("content1");
};

/** Loads skills whose bodies have these texts, in order, and gives back what fits. */
async function kept(bodies: Readonly<Record<string, string>>, options: Parameters<SkillSession["rehydrate"]>[0]): Promise<string> {
  const tree = Object.fromEntries(Object.entries(bodies).map(([name, body]) => [`${name}/SKILL.md`, file(name, body)]));
  const session = await open({}, tree);
  for (const name of Object.keys(bodies)) await launch(session, name);
  return session.rehydrate(options);
}
const long = "word ".repeat(400).trim();

const proofs: Record<string, Proof> = {
  "1": async () => {
    const opened = await openSkills({ cwd: temporaryFolder(), env: { HOME: temporaryFolder() }, dialect: "eino" });
    expect(names(opened)).toEqual([]);
  },
  "2": missingSource,
  "3": async () => {
    await expect(openSkills({ sources: [""], dialect: "eino" })).rejects.toMatchObject({ code: "configuration-invalid" });
  },
  "4": async () => expect(names((await library()).library)).toEqual(["name1", "name2"]),
  "5": async () => expect(names((await library({ ".keep": "" })).library)).toEqual([]),
  "6": async () => expect(names((await library({ "s/readme.md": "x" })).library)).toEqual([]),
  "7": async () => expect(names((await library({ "SKILL.md": file("root", "x") })).library)).toEqual(["root"]),
  "8": async () => {
    const extra = "license: MIT\nmetadata:\n  author: me\n  nested:\n    deep: 1\n";
    const { catalog } = (await library(one(extra))).library;
    expect(catalog.skills).toMatchObject([{ name: "s", description: "What s does" }]);
  },
  "9": async () => expect(names((await library()).library)).toHaveLength(2),
  "10": async () => {
    const { catalog } = (await library({ ...two, "bad/SKILL.md": "no front matter" })).library;
    expect(catalog.skills).toHaveLength(2);
    expect(catalog.diagnostics).toMatchObject([{ code: "frontmatter-missing", location: expect.stringContaining("bad") }]);
  },
  "11": async () => {
    expect(names(await openSkills({ sources: [join(temporaryFolder(), "none")], dialect: "eino" }))).toEqual([]);
  },
  "12": async () => expect(names((await library({ ...two, "a/b/SKILL.md": file("b", "x") })).library)).toEqual(["b", "name1", "name2"]),
  "13": async () => {
    await expect((await library()).library.load("nope")).rejects.toMatchObject({ code: "skill-not-found" });
  },
  "14": async () => {
    const loaded = await (await library()).library.load("name1");
    expect(loaded).toMatchObject({ skill: { name: "name1", description: "What name1 does" }, body: "content1" });
  },
  "15": async () => {
    const tree = { ...two, "name3/SKILL.md": file("name3", "content3") };
    expect((await (await library(tree)).library.load("name2")).body).toBe("content2");
  },
  "16": () => expect(parseSkill(file("s", "text"))).toMatchObject({ manifest: { name: "s" }, body: "text" }),
  "17": () => expect(parseSkill(file("s", "a\n\nb\n")).body).toBe("a\n\nb\n"),
  "18a": () => expect(parseSkill(`\n \n${file("s", "x")}`)).toMatchObject({ manifest: { name: "s" }, body: "x" }),
  "18b": async () => expect((await launch(await open({}, one("", "Dig.  \n\n")), "s")).text).toMatch(/\n\nDig\.$/),
  "19": () => expect(codes("name: s\n---\nx")).toContain("frontmatter-missing"),
  "20": () => expect(codes("---\nname: s\nx")).toContain("frontmatter-unclosed"),
  "21": () => {
    expect(parseSkill("---\n---\nbody").body).toBe("body");
    expect(codes("---\n---\nbody")).toContain("frontmatter-not-mapping");
  },
  "22": () => expect(parseSkill(file("s", ""))).toMatchObject({ manifest: { name: "s" }, body: "" }),
  "23": () => expect(parseSkill(file("s", "a --- b\nc")).body).toBe("a --- b\nc"),
  "24": async () => {
    const { library: opened, root } = await library();
    const { skill, body } = await opened.load("name1");
    expect({ ...skill, body }).toMatchObject({ name: "name1", location: join(root, "name1"), body: "content1" });
  },
  "25": async () => {
    const { library: opened, root } = await library();
    rmSync(join(root, "name1"), { recursive: true });
    await expect(opened.load("name1")).rejects.toMatchObject({ code: "skill-not-found" });
  },
  "26": () => expect(codes("---\nname: [\n---\nx").length).toBeGreaterThan(0),
  "27": async () => expect((await launch(await open({}, one("", "\n\n  \nDig.\n\n")), "s")).text).toMatch(/\n\nDig\.$/),
  "28a": async () => expect((await open()).tools.map(({ name }) => name)).toEqual(["skill"]),
  "28b": async () => {
    const entry = (name: string) => `<skill>\n<name>\n${name}\n</name>\n<description>\nWhat ${name} does\n</description>\n</skill>`;
    const description = tool(await open())?.description ?? "";
    expect(description).toMatch(/^Execute a skill within the main conversation\n/);
    expect(description).toContain(`<available_skills>\n${entry("name1")}\n${entry("name2")}\n</available_skills>`);
  },
  "28c": async () => {
    const { library: opened, root } = await library();
    const { text } = await launch(await opened.openSession(), "name1");
    expect(text).toBe(`Launching skill: name1\nBase directory for this skill: ${join(root, "name1")}\n\ncontent1`);
  },
  "28d": async () => {
    const session = await open({ locale: "zh" });
    expect(tool(session)?.description).toContain("在主对话中执行一个技能");
    expect((await launch(session, "name1")).text).toMatch(/^正在启动技能：name1\n/);
  },
  "29a": async () => {
    const session = await open();
    expect(session.instructions).toContain("'skill'");
    expect(tool(session)?.name).toBe("skill");
  },
  "29b": renamed,
  "30a": ownParameters,
  "31": async () => {
    expect(tool(await open())?.inputSchema).toMatchObject({ properties: { skill: { type: "string" } }, required: ["skill"] });
  },
  "32": async () => expect((await open()).tools).toHaveLength(1),
  "33": missingSource,
  "35": async () => expect((await open()).id).not.toBe(""),
  "36": renamed,
  "37": async () => {
    const session = await open({ wording: { instructions: ({ toolName }) => `Call ${toolName("load")}.` } });
    expect(session.instructions).toBe("Call skill.");
  },
  "38": async () => {
    const session = await open({ wording: { tools: { load: { description: ({ catalog }) => `Own: ${catalog}`, parameters: {} } } } });
    expect(tool(session)?.description).toMatch(/^Own: <available_skills>[\s\S]*name1[\s\S]*name2/);
  },
  "39": async () => {
    const session = await open();
    expect(`Be kind.\n${session.instructions}`).toMatch(/^Be kind\.\n# Skills System/);
    expect(session.tools.map(({ name }) => name)).toEqual(["skill"]);
  },
  "40": async () => expect(await modelAfter("model: other\n", { models: () => true })).toBe("other"),
  "42": async () => expect(await modelAfter("model: 123\n", { models: (name) => name !== "123" })).toBeUndefined(),
  "43": async () => {
    const result = await launch(await open({ hosts: { models: () => false } }, one("model: missing\n")), "s");
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('model "missing"') });
  },
  "44": baseModel,
  "45": async () => expect((await (await open({ hosts: { models: () => true } })).beforeRequest()).model).toBeUndefined(),
  "46": async () => expect(await modelAfter('model: ""\n', { models: () => true })).toBeUndefined(),
  "47": async () => {
    const history = [{ role: "user" as const, text: "go" }];
    const { asked } = await fork(["a"], { extra: "context: fork_with_context\n" }, history);
    expect(asked).toMatchObject([{ mode: "fork_with_context", history }]);
  },
  "48": async () => {
    const source = backendSource({ list: async () => Promise.reject(new Error("list failed")), get: async () => undefined });
    const opened = await openSkills({ sources: [source, (await library()).root], dialect: "eino" });
    expect(names(opened)).toEqual(["name1", "name2"]);
    expect(JSON.stringify(opened.catalog.diagnostics)).toContain("list failed");
  },
  "49": async () => expect(tool(await open())?.description).toMatch(/name1[\s\S]*What name1 does[\s\S]*name2[\s\S]*What name2 does/),
  "50": ownParameters,
  "51": async () => {
    const result = await (await open()).call("skill", "{not json", { callId: "1" });
    expect(result).toMatchObject({ isError: true, data: { code: "arguments-invalid" }, text: expect.stringContaining("JSON") });
  },
  "52": async () => {
    const result = await launch(await open(), "nope");
    expect(result).toMatchObject({ isError: true, text: 'There is no skill "nope". Available: "name1", "name2".' });
  },
  "53": async () => expect((await launch(await open(), "name1")).text).toMatch(/name1[\s\S]*Base directory[\s\S]*content1/),
  "54": async () => expect((await launch(await open({}, one("model: other\n")), "s")).isError).toBe(false),
  "55": async () => {
    const session = await open({ wording: { present: (_outcome, _context, input) => ({ text: `own ${JSON.stringify(input)}` }) } });
    expect((await launch(session, "name1")).text).toBe('own {"skill":"name1"}');
  },
  "56": async () => {
    const present = (_outcome: unknown, _context: unknown, input: object | undefined) => ({ text: JSON.stringify(input) });
    const session = await open({ dialect: withParameters(), wording: { present } });
    expect((await launch(session, "name1", { foo: "x", bar: 7 })).text).toBe('{"skill":"name1","foo":"x","bar":7}');
  },
  "57": () => hookFails(""),
  "58": noAgents,
  "59": () => forkNeeds("context: fork_with_context\n", {}, /fork_with_context/),
  "60": async () => {
    const { result, asked } = await fork(["a"], { extra: "context: fork_with_context\n" });
    expect(result.isError).toBe(false);
    expect(asked[0]).not.toHaveProperty("history");
  },
  "61": noModels,
  "62": () => forkNeeds("context: fork\nmodel: big\n", { agents: async () => [], models: () => false }, /model "big"/),
  "63": agentFails,
  "64": simpleFork,
  "65": modelAsked,
  "66": severalAnswers,
  "67": emptyAnswer,
  "68": agentFails,
  "69": forkMessages,
  "70": agentFails,
  "71": formed,
  "72": () => hookFails("context: fork\n"),
  "74": baseModel,
  "75": simpleFork,
  "77": forkMessages,
  "78": formed,
  "79": agentFails,
  "80": severalAnswers,
  "81": modelAsked,
  "82": noAgents,
  "83": noModels,
  "84": emptyAnswer,
  "85": keepsAll,
  "86": refused({ maxSkills: -1 }),
  "87": keepsAll,
  "88": accepted({ maxSkills: 3, maxTokensPerSkill: 10, maxTokens: 100 }),
  "89": accepted({ maxSkills: 0 }),
  "90": refused({ maxSkills: -1 }),
  "91": accepted({ maxTokens: 100 }),
  "92": refused({ maxTokensPerSkill: -1 }),
  "93": refused({ maxTokens: -1 }),
  "94": async () => {
    const session = await open({ toolNames: { load: "open_skill" } });
    await session.call("open_skill", { skill: "name1" }, { callId: "1" });
    expect(await session.rehydrate()).toMatch(/^<skill_content name="name1"[^>]*>\ncontent1\n<\/skill_content>$/);
  },
  "95": accepted(),
  "96": async () => {
    expect(await kept({ a: "x" }, { maxSkills: 0 })).toBe("");
  },
  "97": accepted(),
  "98": keepsAll,
  "99": async () => {
    const session = await open();
    await session.call("skill", "{not json", { callId: "1" });
    await launch(session, "name2");
    expect(await session.rehydrate()).toContain("content2");
  },
  "100": async () => {
    const { library: opened, root } = await library({ ...two, "name3/SKILL.md": file("name3", "content4") });
    const session = await opened.openSession({ pin: "latest" });
    await launch(session, "name1");
    await launch(session, "name2");
    writeTree(root, { "name1/SKILL.md": file("name1", "content3") });
    await launch(session, "name1");
    await launch(session, "name3");
    const text = await session.rehydrate({ maxSkills: 2 });
    for (const content of ["content3", "content4"]) expect(text).toContain(content);
    for (const content of ["content1", "content2"]) expect(text).not.toContain(content);
  },
  "101": async () => {
    const text = await kept({ small: "tiny", large: long }, { maxTokensPerSkill: 10 });
    expect(text).toContain("\ntiny\n");
    expect(text).toMatch(/name="large"[^>]*>\nword word[^[]*\n\[Cut here/);
  },
  "102": async () => {
    const text = await kept({ a: "aaa", b: "bbb", c: "ccc" }, { maxTokens: 80 });
    expect([...text.matchAll(/name="(\w+)"/g)].map((match) => match[1])).toEqual(["c"]);
  },
  "103": async () => {
    const text = await kept({ a: "aaa", b: long, c: "ccc" }, { maxTokensPerSkill: 20, maxTokens: 170 });
    expect([...text.matchAll(/name="(\w+)"/g)].map((match) => match[1])).toEqual(["c", "b"]);
  },
  "104": async () =>
    expect(await kept({ a: long }, { maxTokensPerSkill: 30 })).toMatch(/>\nword word[\s\S]*\[Cut here: [^\]]+\]\n<\/skill_content>$/),
  "105": async () => {
    const text = await kept({ a: "技能说明𠮷".repeat(200) }, { maxTokensPerSkill: 50 });
    expect(text).toContain("技能说明");
    expect(text).not.toMatch(/\p{Surrogate}|\uFFFD/u);
  },
};

proveRows("eino", rows, proofs);
