import { expect, test } from "vitest";
import { openLibrary } from "../library/index.ts";
import { type BackendSkill, backendSource } from "./backend.ts";

const skill: BackendSkill = { name: "tide", description: "Tells tides.", content: "Look at the moon.", baseDirectory: "/srv/tide" };

test("lists by front matter, and loads the content and its folder when it is asked for", async () => {
  const asked: string[] = [];
  const get = async (name: string) => {
    asked.push(name);
    return skill;
  };
  const library = await openLibrary({ sources: [backendSource({ list: async () => [skill], get })] });
  expect(library.catalog.skills.map(({ name, description }) => [name, description])).toEqual([["tide", "Tells tides."]]);
  expect(asked).toEqual([]);
  expect(await library.load("tide")).toMatchObject({ body: "Look at the moon.", skill: { location: "/srv/tide" } });
});

test("a backend that does not list is told of, and leaves other sources as they are", async () => {
  const list = async () => Promise.reject(new Error("list failed"));
  const other = backendSource({ list: async () => [skill], get: async () => skill }, { id: "other" });
  const library = await openLibrary({ sources: [backendSource({ list, get: async () => undefined }), other] });
  expect(library.catalog.skills.map(({ name }) => name)).toEqual(["tide"]);
  expect(library.catalog.diagnostics).toMatchObject([{ code: "source-failed", message: expect.stringContaining("list failed") }]);
});

test("another skill than the one asked for is not believed", async () => {
  const source = backendSource({ list: async () => [skill], get: async () => ({ ...skill, name: "other" }) });
  const library = await openLibrary({ sources: [source] });
  await expect(library.load("tide")).rejects.toMatchObject({ code: "skill-not-found" });
});
