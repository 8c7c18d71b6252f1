import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as edge from "./index.ts";
import * as node from "./node.ts";

function exportedNames(file: string): string[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  const listed = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap((match) => (match[1] ?? "").split(","));
  const declared = [...text.matchAll(/export (?:async function|interface|type) (\w+)/g)].map((match) => match[1] ?? "");
  return [...listed.map((name) => name.replace(/\btype\b/, "").trim()), ...declared].filter((name) => name !== "");
}

test("the node entry has everything of the root, and the same of it", () => {
  const there = new Set(exportedNames("./node.ts"));
  expect(exportedNames("./index.ts").filter((name) => !there.has(name))).toEqual([]);
  const values = Object.entries(edge).filter(([name]) => name !== "openSkills");
  const onNode = new Map<string, unknown>(Object.entries(node));
  for (const [name, value] of values) expect(onNode.get(name), name).toBe(value);
});

const moss = () => edge.memorySource([edge.defineSkill({ name: "moss", description: "Sorts moss.", body: "x" })]);

test("sources alone make a library with sessions", async () => {
  const library = await edge.openSkills([moss()]);
  const session = await library.openSession();
  expect(session.instructions).toContain("Sorts moss.");
});

test("switches, eligibility and the caller's filter are asked in turn", async () => {
  const needy = edge.defineSkill({ name: "needy", description: "d", body: "x", compatibility: "Requires jq" });
  const others = ["off", "hidden"].map((name) => edge.defineSkill({ name, description: "d", body: "x" }));
  const library = await edge.openSkills({
    sources: [moss(), edge.memorySource([needy, ...others], { id: "more" })],
    disable: ["o*"],
    filter: ({ name }) => name !== "hidden",
    eligibility: { hasProgram: () => false, env: {}, platform: "linux" },
  });
  expect(library.catalog.skills.map(({ name }) => name)).toEqual(["moss"]);
  expect(Object.fromEntries(library.catalog.excluded.map(({ name, fate }) => [name, fate]))).toEqual({
    needy: "ineligible",
    off: "disabled",
    hidden: "hidden",
  });
});

test("a dialect decides how skills are read", async () => {
  const bare = () => edge.memorySource([edge.defineSkill({ name: "bare", description: "", body: "x" })]);
  expect((await edge.openSkills([bare()])).catalog.skills).toEqual([]);
  expect((await edge.openSkills({ sources: [bare()], dialect: "genkit" })).catalog.skills).toHaveLength(1);
});

test.each<[string, unknown, string]>([
  ["a path", "./skills", "configuration-invalid"],
  ["a path in a list", ["./skills"], "configuration-invalid"],
  ["nothing", undefined, "tenant-unresolved"],
  ["a list with a hole", [undefined], "tenant-unresolved"],
  ["no sources", { sources: undefined }, "tenant-unresolved"],
  ["an unknown dialect", { sources: [], dialect: "klingon" }, "configuration-invalid"],
])("the root refuses %s with what to do", async (_, options, code) => {
  await expect(edge.openSkills(options as never)).rejects.toMatchObject({ code, hint: expect.stringMatching(/\w/) });
});
