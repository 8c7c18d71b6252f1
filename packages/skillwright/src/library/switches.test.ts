import { expect, test } from "vitest";
import type { Skill } from "../catalog/index.ts";
import { compileSwitches, type SwitchLayer, switchFilter } from "./switches.ts";

const user = (layer: Omit<SwitchLayer, "level">): SwitchLayer => ({ level: "user", ...layer });
const project = (layer: Omit<SwitchLayer, "level">): SwitchLayer => ({ level: "project", ...layer });
const session = (layer: Omit<SwitchLayer, "level">): SwitchLayer => ({ level: "session", ...layer });

test.each<[string, readonly SwitchLayer[], string, boolean]>([
  ["without a word it is on", [], "tides", true],
  ["an empty layer says nothing", [user({})], "tides", true],
  ["off by name", [user({ disable: ["tides"] })], "tides", false],
  ["off by glob", [user({ disable: ["tide*"] })], "tides", false],
  ["a glob is over the whole name", [user({ disable: ["tide"] })], "tides", true],
  ["one character", [user({ disable: ["tide?"] })], "tides", false],
  ["enable alone forbids nothing", [user({ enable: ["pdf-*"] })], "tides", true],
  ["all off but these", [user({ disable: ["*"], enable: ["pdf-*"] })], "pdf-fill", true],
  ["all off but these: the others", [user({ disable: ["*"], enable: ["pdf-*"] })], "tides", false],
  ["the longer glob decides", [user({ disable: ["pdf-fill*"], enable: ["pdf-*"] })], "pdf-fill-forms", false],
  ["a whole name before any glob", [user({ disable: ["pdf-fill-form?"], enable: ["pdf-fill-forms"] })], "pdf-fill-forms", true],
  ["between equals, off", [user({ disable: ["tides"], enable: ["tides"] })], "tides", false],
  ["the project overrides the user", [user({ disable: ["tides"] }), project({ enable: ["t*"] })], "tides", true],
  ["the session overrides the project", [project({ enable: ["tides"] }), session({ disable: ["*"] })], "tides", false],
  ["a layer without a word leaves the one before", [user({ disable: ["tides"] }), session({ disable: ["other"] })], "tides", false],
  ["composed and decomposed names are one", [user({ disable: ["cafe\u0301"] })], "caf\u00e9", false],
  ["prototype names are ordinary", [user({ disable: ["__proto__"] })], "__proto__", false],
  ["prototype names are ordinary: not by themselves", [user({ disable: ["x"] })], "constructor", true],
])("%s", (_, layers, name, enabled) => {
  expect(compileSwitches(layers)(name).enabled).toBe(enabled);
});

test("a filter says which pattern of whom, and what to do", () => {
  const filter = switchFilter([user({ disable: ["t*"], location: "/home/ann/.config/skillwright/config.json" })]);
  expect(filter({ name: "other" } as Skill)).toBe(true);
  expect(filter({ name: "tides" } as Skill)).toEqual({
    fate: "disabled",
    withheld:
      'It is disabled by "t*" at user level (/home/ann/.config/skillwright/config.json). Remove the pattern, or enable the name there.',
  });
});
