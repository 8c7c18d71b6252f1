import { expect, test } from "vitest";
import { openLibrary } from "../library/index.ts";
import { defineSkill, memorySource } from "./memory.ts";
import { type RegistrySkill, registrySource, type SkillRegistry } from "./registry.ts";

const reef: RegistrySkill = {
  name: "reef",
  description: "Maps reefs.",
  instructions: "Dive.",
  resources: { references: { "deep/map.md": "here", "../../out.md": "never" }, scripts: { "a.sh": "echo hi" } },
};
const local = memorySource([defineSkill({ name: "tide", description: "Tells tides.", body: "Wait." })]);
const down = async (): Promise<never> => Promise.reject(new Error("down"));

function counting(skills: readonly RegistrySkill[] = [reef]): { registry: SkillRegistry; asked: string[] } {
  const asked: string[] = [];
  const registry: SkillRegistry = {
    search: async () => skills,
    get: async (name) => {
      asked.push(name);
      return skills.find((skill) => skill.name === name);
    },
  };
  return { registry, asked };
}

test("is found by name, with its files inside its folder; calls at once share one fetch", async () => {
  const { registry, asked } = counting();
  const library = await openLibrary({ sources: [registrySource(registry)] });
  expect(library.catalog.skills).toEqual([]);
  const loads = await Promise.all([1, 2, 3].map(() => library.load("reef")));
  expect(loads[0]).toMatchObject({ body: "Dive.", files: [{ path: "references/deep/map.md" }, { path: "scripts/a.sh" }] });
  expect((await library.read("reef", "references/deep/map.md")).text).toBe("here");
  expect(asked).toEqual(["reef"]);
});

test("asks again after the age that the host allows", async () => {
  const { registry, asked } = counting();
  const library = await openLibrary({ sources: [registrySource(registry, { maxAgeMs: 0 })] });
  await library.load("reef");
  expect(asked.length).toBeGreaterThan(1);
});

test("keeps sixteen skills at most", async () => {
  const many = Array.from({ length: 17 }, (_, index): RegistrySkill => ({ ...reef, name: `s${index}` }));
  const { registry, asked } = counting(many);
  const library = await openLibrary({ sources: [registrySource(registry)] });
  for (const { name } of many) await library.load(name);
  await library.load("s16");
  await library.load("s0");
  expect(asked.filter((name) => name === "s16")).toHaveLength(1);
  expect(asked.filter((name) => name === "s0")).toHaveLength(2);
});

test.each(["../reef", "reef/x", "reef?x", "reef#x", "%2e%2e", "", "a".repeat(257)])("never asks for the name %j", async (name) => {
  const { registry, asked } = counting();
  const library = await openLibrary({ sources: [registrySource(registry)] });
  await expect(library.load(name)).rejects.toMatchObject({ code: "skill-not-found" });
  expect(asked).toEqual([]);
});

test("a search leaves out what local skills hide and what is no entry", async () => {
  const bad = { name: null, description: "x" } as unknown as RegistrySkill;
  const { registry } = counting([reef, { ...reef, name: "tide" }, bad, { ...reef, name: "blank", description: "" }]);
  const library = await openLibrary({ sources: [local, registrySource(registry)] });
  expect((await library.search("coral")).map(({ skill }) => skill.name)).toEqual(["reef"]);
});

test("a registry that is down breaks no local skill, is told of, and is asked again", async () => {
  let answers = false;
  const get = async () => (answers ? reef : down());
  const library = await openLibrary({ sources: [local, registrySource({ search: down, get })] });
  expect((await library.load("tide")).body).toBe("Wait.");
  expect((await library.search("tide")).map(({ skill }) => skill.name)).toEqual(["tide"]);
  await expect(library.load("reef")).rejects.toMatchObject({ code: "registry-failed" });
  answers = true;
  expect((await library.load("reef")).body).toBe("Dive.");
});
