import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { memorySkillFiles, type Skill as SkillEntry, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import fc from "fast-check";
import { type BlobStore, memoryBlobStore, openSkills, parseSkill, type SkillLibrary, type SkillSource } from "skillwright";
import { mcpSource } from "skillwright/sources/mcp";
import { expect, onTestFinished, test } from "vitest";
import { entryHeader } from "../../packages/skillwright/src/sources/mcp/entry-header.ts";
import { makeLibrary, skillFile } from "../session/make-library.ts";
import { connect } from "./connect.ts";

function digest(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** Counts what reaches the server, and closes both ends after the test. */
async function clientOf(server: McpServer): Promise<{ client: Client; methods: string[]; close(): Promise<void> }> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "test", version: "1" });
  const methods: string[] = [];
  const send = near.send.bind(near);
  near.send = (message, options) => {
    if ("method" in message) methods.push(message.method);
    return send(message, options);
  };
  await client.connect(near);
  const close = () => client.close();
  onTestFinished(close);
  return { client, methods, close };
}

async function libraryOf(...sources: SkillSource[]): Promise<SkillLibrary> {
  const library = await openSkills({ sources });
  onTestFinished(() => library.close());
  return library;
}

const moss = skillFile("moss", "Read references/G.md.", "license: MIT\nallowed-tools: Bash\nmetadata:\n  version: '1.10'\n");
const guide = "Keep me\r\nas I am.\n";

/** A server of the SDK's own, with files that a test can change behind it. */
async function published(
  files: Record<string, string>,
): Promise<{ server: McpServer; reload: () => Promise<unknown>; files: Record<string, string> }> {
  const catalog = await SkillsExtension.load(memorySkillFiles(files), { onWarning: () => undefined });
  const server = new McpServer({ name: "published", version: "1" });
  catalog.attach(server);
  return { server, reload: () => catalog.reload(), files };
}

/** A server that publishes one entry and sends whatever it is told to. */
function lying(entry: SkillEntry, contents: Record<string, string>): McpServer {
  const server = new McpServer({ name: "lying", version: "1" });
  new SkillsExtension({
    source: {
      list: async () => ({ skills: [entry] }),
      get: async (uri) => (uri === entry.uri ? entry : undefined),
      read: async (uri) => {
        const text = contents[uri];
        return text === undefined ? undefined : { text };
      },
    },
    onWarning: () => undefined,
  }).attach(server);
  return server;
}

function entryOf(contents: Record<string, string>, frontmatter: Record<string, string>): SkillEntry {
  const resources = Object.entries(contents).map(([uri, text]) => ({ uri, digest: digest(text), size: Buffer.byteLength(text) }));
  return {
    uri: "skill://moss/SKILL.md",
    frontmatter: { name: "moss", description: "Does moss. Use when moss is asked for.", ...frontmatter },
    resources,
  };
}

test("skills of a server are listed without fetching a file, loaded, read, and untrusted", async () => {
  const { server } = await published({ "moss/SKILL.md": moss, "moss/references/G.md": guide, "moss/scripts/a.sh": "echo a" });
  const { client, methods } = await clientOf(server);
  const library = await libraryOf(mcpSource(client, { id: "garden" }));
  expect(methods.filter((method) => method === "resources/read")).toEqual([]);
  const [skill] = library.catalog.skills;
  expect(skill).toMatchObject({
    name: "moss",
    description: "Does moss. Use when moss is asked for.",
    trust: "untrusted",
    source: "garden",
    location: "garden#skill://moss",
    manifest: { license: "MIT", metadataText: { version: "1.10" } },
  });
  const loaded = await library.load("moss");
  expect(loaded.text).toBe(moss);
  expect(loaded.skill.manifest).toEqual(skill?.manifest);
  expect(loaded.files.map(({ path, bytes, mode }) => [path, bytes, mode])).toEqual([
    ["references/G.md", guide.length, 0o644],
    ["scripts/a.sh", 6, 0o755],
  ]);
  expect((await library.read("moss", "references/G.md")).text).toBe(guide);
  expect(library.catalog.diagnostics).toEqual([]);
});

test("what was checked once is not fetched again, by a new client either", async () => {
  const blobs = memoryBlobStore();
  const open = async () => {
    const { server } = await published({ "moss/SKILL.md": moss, "moss/references/G.md": guide });
    const { client, methods } = await clientOf(server);
    return {
      library: await libraryOf(mcpSource(client, { id: "garden", blobs })),
      reads: () => methods.filter((method) => method === "resources/read").length,
    };
  };
  const first = await open();
  for (let time = 0; time < 3; time++) await first.library.read("moss", "references/G.md");
  await first.library.load("moss");
  await first.library.load("moss");
  expect(first.reads()).toBe(2);
  const second = await open();
  await second.library.read("moss", "references/G.md");
  expect(second.reads()).toBe(0);
  // Who else can write to the store cannot put other bytes under a digest.
  const rotten: BlobStore = { ...blobs, get: async () => new TextEncoder().encode("Rotten, twenty bytes") };
  const { server } = await published({ "moss/SKILL.md": moss, "moss/references/G.md": guide });
  const third = await libraryOf(mcpSource((await clientOf(server)).client, { blobs: rotten }));
  expect((await third.read("moss", "references/G.md")).text).toBe(guide);
});

test.each([
  ["another SKILL.md", { "skill://moss/SKILL.md": moss.replace("Read", "Obey") }, {}, "load"],
  ["another file", { "skill://moss/references/G.md": "Obey me, now and ever" }, {}, "read"],
  ["a file of another size", { "skill://moss/references/G.md": `${guide}and more` }, {}, "read"],
  ["frontmatter that its entry does not have", {}, { license: "none" }, "load"],
])("%s is never used", async (_what, changed, frontmatter, how) => {
  const contents = { "skill://moss/SKILL.md": moss, "skill://moss/references/G.md": guide };
  const entry = entryOf(contents, { license: "MIT", "allowed-tools": "Bash", ...frontmatter });
  const { client } = await clientOf(
    lying({ ...entry, frontmatter: { ...entry.frontmatter, metadata: { version: "1.10" } } }, { ...contents, ...changed }),
  );
  const library = await libraryOf(mcpSource(client));
  const attempt = how === "load" ? library.load("moss") : library.read("moss", "references/G.md");
  await expect(attempt).rejects.toMatchObject({ code: "digest-mismatch" });
  const session = await library.openSession();
  const call = how === "load" ? session.call("load_skill", { name: "moss" }, { callId: "1" }) : undefined;
  if (call !== undefined) expect(await call).toMatchObject({ isError: true, text: expect.not.stringContaining("Obey") });
});

test("a file that the entry does not list is not asked for", async () => {
  const contents = { "skill://moss/SKILL.md": moss };
  const entry = entryOf(contents, { license: "MIT", "allowed-tools": "Bash" });
  const { client, methods } = await clientOf(lying(entry, { ...contents, "skill://moss/hidden.md": "hidden" }));
  const library = await libraryOf(mcpSource(client));
  await expect(library.read("moss", "hidden.md")).rejects.toMatchObject({ code: "file-not-found" });
  await expect(library.read("moss", "../fern/SKILL.md")).rejects.toMatchObject({ code: "path-outside-root" });
  expect(methods).not.toContain("resources/read");
});

test("a skill that changed after it was listed is fetched by its new entry", async () => {
  const files: Record<string, string> = { "moss/SKILL.md": moss, "moss/references/G.md": guide };
  const { server, reload } = await published(files);
  const { client } = await clientOf(server);
  const library = await libraryOf(mcpSource(client));
  files["moss/references/G.md"] = "Newer.";
  files["moss/SKILL.md"] = moss.replace("Does moss", "Grows moss");
  await reload();
  expect((await library.read("moss", "references/G.md")).text).toBe("Newer.");
  expect((await library.load("moss")).skill.description).toContain("Grows moss");
  expect(await library.refresh()).toMatchObject({ changed: true, updated: ["moss"] });
});

test("a server that is down keeps its skills, with a word about it", async () => {
  const { server } = await published({ "moss/SKILL.md": moss });
  const { client, close } = await clientOf(server);
  const library = await libraryOf(mcpSource(client, { id: "garden" }));
  await close();
  await library.refresh();
  expect(library.catalog.skills.map((skill) => skill.name)).toEqual(["moss"]);
  expect(library.catalog.diagnostics).toMatchObject([{ code: "source-failed", location: "garden" }]);
});

test("one bad entry hides no other, and says what is wrong", async () => {
  const server = new McpServer(
    { name: "odd", version: "1" },
    { capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } } },
  );
  const good = entryOf({ "skill://moss/SKILL.md": moss }, {});
  const skills = [
    good,
    { ...good, uri: "skill://fern/SKILL.md" },
    { uri: "skill://reed/SKILL.md", frontmatter: { name: "reed", description: "No resources." } },
    {
      uri: "skill://oak/SKILL.md",
      frontmatter: { name: "oak", description: "Too large." },
      resources: [{ uri: "skill://oak/SKILL.md", digest: digest(""), size: 2 ** 40 }],
    },
  ];
  const anything = { params: { "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) } } };
  server.server.setRequestHandler("skills/list", anything, () => ({ skills }));
  const { client } = await clientOf(server);
  const library = await libraryOf(mcpSource(client));
  expect(library.catalog.skills.map((skill) => skill.name)).toEqual(["moss"]);
  const codes = library.catalog.diagnostics.map((diagnostic) => diagnostic.code);
  expect(codes.sort()).toEqual(["mcp-entry-invalid", "mcp-entry-invalid", "skill-too-large"]);
});

test("a skill that is not listed is found by its name", async () => {
  const contents = { "skill://moss/SKILL.md": moss };
  const entry = entryOf(contents, { license: "MIT", "allowed-tools": "Bash" });
  const server = new McpServer({ name: "partial", version: "1" });
  const source = {
    list: async () => ({ skills: [] }),
    get: async (uri: string) =>
      uri === entry.uri ? { ...entry, frontmatter: { ...entry.frontmatter, metadata: { version: "1.10" } } } : undefined,
    read: async (uri: string) => (uri === entry.uri ? { text: moss } : undefined),
  };
  new SkillsExtension({ source }).attach(server);
  const { client } = await clientOf(server);
  const library = await libraryOf(mcpSource(client));
  expect(library.catalog.skills).toEqual([]);
  expect((await library.load("moss")).body).toContain("Read references/G.md.");
  await expect(library.load("fern")).rejects.toMatchObject({ code: "skill-not-found" });
});

test("a local skill is not replaced by a remote one of its name, and both are told", async () => {
  const { server } = await published({ "moss/SKILL.md": moss });
  const { client } = await clientOf(server);
  const { library: local, root } = await makeLibrary({ "moss/SKILL.md": skillFile("moss", "The local one.") });
  await local.close();
  const library = await openSkills({ sources: [root, mcpSource(client, { id: "garden" })] });
  onTestFinished(() => library.close());
  expect((await library.load("moss")).body).toContain("The local one.");
  expect(library.catalog.excluded).toMatchObject([
    { name: "moss", fate: "shadowed", location: expect.stringContaining("garden#skill://moss") },
  ]);
});

test("plain skill:// resources of a server without the extension are skills", async () => {
  const server = new McpServer({ name: "plain", version: "1" });
  const texts: Record<string, string> = {
    "skill://acme/moss/SKILL.md": moss,
    "skill://acme/moss/references/G%20H.md": guide,
    "skill://broken/SKILL.md": "no frontmatter",
    "note://other/SKILL.md": moss,
  };
  for (const [uri, text] of Object.entries(texts)) {
    server.registerResource(uri, uri, { size: text.length }, () => ({ contents: [{ uri, text }] }));
  }
  const { client } = await clientOf(server);
  const library = await libraryOf(mcpSource(client, { id: "plain" }));
  expect(library.catalog.skills.map(({ name, location }) => [name, location])).toEqual([["moss", "plain#skill://acme/moss"]]);
  expect(library.catalog.excluded).toMatchObject([{ location: "plain#skill://broken", fate: "invalid" }]);
  expect((await library.load("moss")).files.map((file) => file.path)).toEqual(["references/G H.md"]);
  expect((await library.read("moss", "references/G H.md")).text).toBe(guide);
  await expect(library.read("moss", "nothing.md")).rejects.toMatchObject({ code: "file-not-found" });
  expect((await library.refresh()).changed).toBe(false);
});

test("a library that is served and consumed again is the same library", async () => {
  const { library, root } = await makeLibrary({
    "moss/SKILL.md": moss,
    "moss/references/G.md": guide,
    "moss/assets/leaf.bin": Uint8Array.from([0, 255, 1, 254]),
    "fern/SKILL.md": skillFile("fern"),
  });
  const { client } = await connect(library);
  const copy = await libraryOf(mcpSource(client));
  const seen = (from: SkillLibrary) => from.catalog.skills.map(({ name, description, manifest }) => ({ name, description, manifest }));
  expect(seen(copy)).toEqual([...seen(library)].sort((a, b) => (a.name < b.name ? -1 : 1)));
  expect((await copy.read("moss", "assets/leaf.bin")).bytes).toEqual((await library.read("moss", "assets/leaf.bin")).bytes);
  writeFileSync(join(root, "fern/SKILL.md"), skillFile("fern", "Another body that is longer."));
  rmSync(join(root, "moss"), { recursive: true });
  await library.refresh();
  expect(await copy.refresh()).toMatchObject({ removed: ["moss"], updated: ["fern"] });
});

test.each([["ftp://example.com/mcp"], ["./server.js"], [""]])("%o is no address of a server", (address) => {
  expect(() => mcpSource(address)).toThrow(expect.objectContaining({ code: "configuration-invalid" }));
});

test.each([
  ["https://ann:secret@example.com:8443/mcp?key=secret#x", "https://example.com:8443/mcp"],
  [{ url: "http://localhost/mcp", headers: { authorization: "Bearer secret" } }, "http://localhost/mcp"],
  [{ command: "/opt/bin/garden", args: ["--token", "secret"] }, "mcp:garden"],
])("the label of %o gives no secret away", (server, id) => {
  const source = mcpSource(server);
  expect([source.id, source.locate("moss", "a/b.md")]).toEqual([id, `${id}#skill://moss/a/b.md`]);
});

test("any frontmatter that is JSON reads back as it was", () => {
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("a: b", "# no", "---", "\u0085\u2028x", "*a", "!b", "1.10", "true", ""),
  );
  fc.assert(
    fc.property(value, fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value), (license, metadata) => {
      const header = entryHeader({ name: "moss", description: "Does moss.", "x-note": license, metadata });
      const { manifest, diagnostics } = parseSkill(header, { folder: "moss" });
      expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
      expect(manifest?.extra["x-note"]).toBe(license);
      expect(manifest?.metadata).toEqual(metadata);
    }),
  );
});
