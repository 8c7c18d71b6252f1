import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SkillEvent } from "skillwright";
import { expect, test } from "vitest";
import { makeLibrary, skillFile, writeTree } from "../session/make-library.ts";
import { connect, type Era, eventually, textOf } from "./connect.ts";

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2, 3]);
const wasm = Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const tree = {
  "moss/SKILL.md": skillFile("moss", "Read references/G.md, look at assets/leaf.png."),
  "moss/references/G.md": "\uFEFF---\nname: inner\n---\r\nKeep me as I am.\r\n",
  "moss/references/deep/er.md": "deeper",
  "moss/assets/leaf.png": png,
  "moss/assets/engine.wasm": wasm,
  "moss/odd names/a b&c#d?.md": "odd",
  "fern/SKILL.md": skillFile("fern"),
};

function sha256(data: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}

/** A file's URI: what a URI takes for itself is encoded. */
function uriOf(path: string): string {
  return `skill://${path.replaceAll("%", "%25").replaceAll("#", "%23").replaceAll("?", "%3F")}`;
}

const eras: Era[] = ["2025", "2026"];

test.each(eras)("the skills extension lists every file with its digest and size, and each reads back to it (%s)", async (era) => {
  const { library } = await makeLibrary(tree);
  const { skills } = await connect(library, { era });
  expect(skills.supported).toBe(true);
  const { skills: entries } = await skills.list();
  expect(entries.map((entry) => entry.uri)).toEqual(["skill://fern/SKILL.md", "skill://moss/SKILL.md"]);
  const moss = await skills.get("skill://moss/SKILL.md");
  expect(moss.skill).toEqual(entries[1]);
  expect(moss.skill.frontmatter).toEqual({ name: "moss", description: "Does moss. Use when moss is asked for." });
  const files = Object.entries(tree).filter(([path]) => path.startsWith("moss/"));
  expect(moss.skill.resources).toHaveLength(files.length);
  for (const [path, content] of files) {
    const file = await skills.read(moss.skill, uriOf(path));
    expect([path, sha256(file.bytes), file.verified]).toEqual([path, sha256(content), true]);
  }
});

test.each(eras)("folders are read one level at a time (%s)", async (era) => {
  const { library } = await makeLibrary(tree);
  const { skills } = await connect(library, { era });
  const namesIn = async (uri: string) =>
    (await skills.readDirectory(uri)).resources.map(({ name, mimeType }) => [name, mimeType ?? "file"]);
  expect(await namesIn("skill://moss")).toEqual([
    ["SKILL.md", "file"],
    ["assets", "inode/directory"],
    ["odd names", "inode/directory"],
    ["references", "inode/directory"],
  ]);
  expect(await namesIn("skill://moss/references")).toEqual([
    ["G.md", "file"],
    ["deep", "inode/directory"],
  ]);
  await expect(skills.readDirectory("skill://moss/SKILL.md")).rejects.toThrow(/not a directory/);
  await expect(skills.readDirectory("skill://nettle")).rejects.toThrow(/not a directory/);
});

test.each([
  ["skill://nettle/SKILL.md"],
  ["skill://moss/nothing.md"],
  ["skill://moss/../fern/SKILL.md"],
  ["skill://moss/references/%2e%2e/%2e%2e/fern/SKILL.md"],
  ["skill://moss/..%2Ffern%2FSKILL.md"],
  ["skill://moss/%00"],
  ["skill://moss/%zz"],
])("nothing is read at %s", async (uri) => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library);
  await expect(client.readResource({ uri })).rejects.toThrow();
});

test("entries are made when they are asked for, kept while nothing changes, and made anew when a file does", async () => {
  const { library, root } = await makeLibrary(tree);
  const { skills } = await connect(library);
  const before = await skills.get("skill://moss/SKILL.md");
  expect(await skills.get("skill://moss/SKILL.md")).toEqual(before);
  writeFileSync(join(root, "moss/references/G.md"), "Changed, and longer than before: it has another stamp.");
  const after = await skills.get("skill://moss/SKILL.md");
  expect(after.skill.resources).not.toEqual(before.skill.resources);
  expect((await skills.read(after.skill, "references/G.md")).text).toContain("Changed");
  await expect(skills.read(before.skill, "references/G.md")).rejects.toThrow(/digest|bytes/);
});

test("what the protocol does not take is left out of the listing with a reason, and the tools serve it", async () => {
  const events: SkillEvent[] = [];
  const { library } = await makeLibrary(
    {
      "good/SKILL.md": skillFile("good"),
      "Wörter/SKILL.md": skillFile("Wörter"),
      "versioned/SKILL.md": skillFile("versioned", "Body.", "metadata:\n  version: 1.10\n"),
      "bulky/SKILL.md": skillFile("bulky"),
      ...Object.fromEntries(Array.from({ length: 512 }, (_, index) => [`bulky/f${index}.txt`, "x"])),
    },
    { onEvent: (event) => events.push(event) },
  );
  const { client, skills } = await connect(library);
  expect((await skills.list()).skills.map((entry) => entry.frontmatter.name)).toEqual(["good"]);
  await skills.list();
  const reasons = events.flatMap((event) =>
    event.type === "diagnostic" && event.diagnostic.code === "skill-not-published" ? [event.diagnostic.message] : [],
  );
  expect(reasons).toHaveLength(3);
  for (const reason of [/513 files/, /metadata/, /"Wörter" must be/]) expect(reasons.join("\n")).toMatch(reason);
  for (const name of ["Wörter", "versioned", "bulky"]) {
    const result = await client.callTool({ name: "load_skill", arguments: { name } });
    expect(textOf(result)).toContain(`<skill_content name="${name}"`);
  }
  await expect(skills.get("skill://versioned/SKILL.md")).rejects.toThrow(/No skill is served/);
});

test("a long list comes in pages, each skill once", async () => {
  const names = Array.from({ length: 120 }, (_, index) => `skill-${index}`);
  const { library } = await makeLibrary(Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skillFile(name)])));
  const { client, skills } = await connect(library);
  // With a cursor the client asks for one page alone; every name comes after "".
  const first = await skills.list({ cursor: "" });
  expect(first.skills).toHaveLength(50);
  expect(first.nextCursor).toBeDefined();
  const all = (await skills.list()).skills.map((entry) => entry.frontmatter.name);
  expect(all.sort()).toEqual([...names].sort());
  expect((await client.listPrompts()).prompts.map((prompt) => prompt.name).sort()).toEqual([...names].sort());
});

test.each(eras)("a client that knows tools alone is told what there is, loads, reads and searches (%s)", async (era) => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library, { era });
  expect(client.getInstructions()?.match(/<skill name="moss">/g)).toHaveLength(1);
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name).sort()).toEqual(["load_skill", "read_skill_resource", "search_skills"]);
  expect(tools.every((tool) => tool.annotations?.readOnlyHint === true && tool.annotations.destructiveHint === false)).toBe(true);
  const call = (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input });
  const loaded = await call("load_skill", { name: "moss" });
  expect(loaded.isError).toBeUndefined();
  expect(textOf(loaded)).toContain("Read references/G.md");
  expect(textOf(await call("load_skill", { name: "moss" }))).toBe(textOf(loaded));
  expect(textOf(await call("read_skill_resource", { name: "moss", path: "references/deep/er.md" }))).toBe("deeper");
  expect(textOf(await call("search_skills", { query: "moss" }))).toContain("moss:");
});

test.each([
  ["an unknown skill", "load_skill", { name: "mos" }, /moss/],
  ["a missing argument", "load_skill", {}, /name/],
  ["an argument of another type", "read_skill_resource", { name: ["moss"], path: 3 }, /text|string/],
  ["an unknown file", "read_skill_resource", { name: "moss", path: "G.md" }, /references\/G\.md/],
  ["a path that climbs out", "read_skill_resource", { name: "moss", path: "../fern/SKILL.md" }, /path/],
  ["an unknown tool", "summon_skill", {}, /load_skill/],
])("%s is an answer that helps, not a failed request", async (_what, name, input, help) => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library);
  const result = await client.callTool({ name, arguments: input });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(help);
  expect(result._meta?.["skillwright/error"]).toMatchObject({ code: expect.any(String), retryable: expect.any(Boolean) });
});

test("images are images, other bytes are blobs, in tools and in resources", async () => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library);
  const read = (path: string) => client.callTool({ name: "read_skill_resource", arguments: { name: "moss", path } });
  expect((await read("assets/leaf.png")).content.at(1)).toEqual({
    type: "image",
    mimeType: "image/png",
    data: Buffer.from(png).toString("base64"),
  });
  const blob = { uri: "skill://moss/assets/engine.wasm", mimeType: "application/wasm", blob: Buffer.from(wasm).toString("base64") };
  expect((await read("assets/engine.wasm")).content.at(1)).toEqual({ type: "resource", resource: blob });
  expect((await client.readResource({ uri: blob.uri })).contents).toEqual([blob]);
});

test("skills are prompts for the user where they may be, and say what the user wrote", async () => {
  const { library } = await makeLibrary({
    "moss/SKILL.md": skillFile("moss", "Grow.", "disable-model-invocation: true\n"),
    "fern/SKILL.md": skillFile("fern", "Unroll $ARGUMENTS.", "argument-hint: what\n"),
    "lichen/SKILL.md": skillFile("lichen", "Hide.", "user-invocable: false\n"),
    "constructor/SKILL.md": skillFile("constructor", "Build."),
  });
  const { client } = await connect(library);
  expect((await client.listPrompts()).prompts.map((prompt) => prompt.name).sort()).toEqual(["constructor", "fern", "moss"]);
  const prompt = async (name: string, args?: string) => {
    const { messages } = await client.getPrompt({ name, ...(args === undefined ? {} : { arguments: { arguments: args } }) });
    return messages.map(({ role, content }) => [role, content.type === "text" ? content.text : ""]);
  };
  expect(await prompt("fern", "a frond")).toEqual([["user", expect.stringContaining("Unroll a frond.")]]);
  expect(await prompt("fern", "a leaf")).toEqual([["user", expect.stringContaining("Unroll a leaf.")]]);
  expect(await prompt("moss", "in the shade")).toEqual([["user", expect.stringMatching(/Grow\.[\s\S]*in the shade/)]]);
  expect(await prompt("constructor")).toEqual([["user", expect.stringContaining("Build.")]]);
  await expect(prompt("lichen")).rejects.toThrow(/model alone/);
  await expect(prompt("nothing")).rejects.toThrow(/nothing/);
});

test.each(eras)("clients are told when the library changed (%s)", async (era) => {
  const { library, root } = await makeLibrary(tree);
  const heard: string[] = [];
  const listen = (kind: string) => ({ onChanged: () => heard.push(kind), autoRefresh: false, debounceMs: 0 });
  const listChanged = { tools: listen("tools"), prompts: listen("prompts"), resources: listen("resources") };
  const { client, server } = await connect(library, { era, client: { listChanged } });
  expect(await server.refresh()).toBe(false);
  writeTree(root, { "reed/SKILL.md": skillFile("reed") });
  rmSync(join(root, "fern"), { recursive: true });
  expect(await server.refresh()).toBe(true);
  await eventually(() => [...heard].sort()).toEqual(["prompts", "resources", "tools"]);
  const { prompts } = await client.listPrompts(undefined, { cacheMode: "refresh" });
  expect(prompts.map((prompt) => prompt.name)).toEqual(["moss", "reed"]);
  expect(textOf(await client.callTool({ name: "load_skill", arguments: { name: "reed" } }))).toContain("Instructions of reed.");
});

test("without skills there is no text and there are no tools", async () => {
  const { library } = await makeLibrary({});
  const { client, skills } = await connect(library);
  expect(client.getInstructions()).toBeUndefined();
  expect((await client.listTools()).tools).toEqual([]);
  expect((await skills.list()).skills).toEqual([]);
});

test("a scope is a scope everywhere", async () => {
  const { library } = await makeLibrary(tree);
  const { client, skills } = await connect(library, { session: { scope: { deny: ["fern"] } } });
  expect((await skills.list()).skills.map((entry) => entry.frontmatter.name)).toEqual(["moss"]);
  expect((await client.listPrompts()).prompts.map((prompt) => prompt.name)).toEqual(["moss"]);
  expect(client.getInstructions()).not.toContain("fern");
  await expect(client.readResource({ uri: "skill://fern/SKILL.md" })).rejects.toThrow();
  const result = await client.callTool({ name: "load_skill", arguments: { name: "fern" } });
  expect([result.isError, textOf(result)]).toEqual([true, expect.not.stringContaining("Instructions of fern")]);
});

test("resources are listed with the name and description of their skill", async () => {
  const { library } = await makeLibrary(tree);
  const { client } = await connect(library);
  const { resources } = await client.listResources();
  expect(resources.find((resource) => resource.name === "moss")).toEqual({
    uri: "skill://moss/SKILL.md",
    name: "moss",
    description: "Does moss. Use when moss is asked for.",
    mimeType: "text/markdown",
  });
});
