import { join } from "node:path";
import { type EligibilityProbe, openSkills } from "skillwright";
import { describe, expect, test } from "vitest";
import { fatesOf, namesOf } from "./open-skills.ts";
import { addTree, makeTree, skillFolders } from "./skill-tree.ts";

/** A SKILL.md named moss, with frontmatter lines as they stand in files. */
function moss(...lines: string[]): string {
  return ["---", "name: moss", "description: Sorts moss.", ...lines, "---", "Sort.", ""].join("\n");
}

function machine(parts: Partial<EligibilityProbe> & { readonly programs?: readonly string[] } = {}): EligibilityProbe {
  const { programs = [], ...rest } = parts;
  return { hasProgram: (name) => programs.includes(name), env: {}, platform: "linux", ...rest };
}

describe("gates as they are written in files: given what the machine has, expected whether the skill is there", () => {
  const asMap = ["metadata:", "  openclaw:", "    requires:", "      bins: [jq]", "      env:", "        - MOSS_KEY"];
  const asJson = [
    `metadata: {"openclaw":{"emoji":"x","requires":{"bins":["jq"],"env":["MOSS_KEY"]},"install":[{"id":"a","kind":"node","bins":["jq"]}]}}`,
  ];
  const asText = [`metadata:`, `  openclaw: '{"requires":{"bins":["jq"],"env":["MOSS_KEY"]}}'`];
  const whole = machine({ programs: ["jq"], env: { MOSS_KEY: "x" } });

  test.each<[string, readonly string[], EligibilityProbe, boolean]>([
    ["a map, all there", asMap, whole, true],
    ["a map, a program missing", asMap, machine({ env: { MOSS_KEY: "x" } }), false],
    ["a map, a variable missing", asMap, machine({ programs: ["jq"] }), false],
    ["JSON on one line with an install list, all there", asJson, whole, true],
    ["JSON on one line, nothing there", asJson, machine(), false],
    ["a text of JSON, all there", asText, whole, true],
    ["a text of JSON, nothing there", asText, machine(), false],
    [
      "any of several, one there",
      ["metadata: { openclaw: { requires: { anyBins: [docker, podman] } } }"],
      machine({ programs: ["podman"] }),
      true,
    ],
    ["any of several, none there", ["metadata: { openclaw: { requires: { anyBins: [docker, podman] } } }"], machine(), false],
    ["a setting, on", ["metadata: { openclaw: { requires: { config: [browser] } } }"], machine({ config: ["browser.enabled"] }), true],
    ["a setting, off", ["metadata: { openclaw: { requires: { config: [browser] } } }"], machine(), false],
    ["this operating system", ["metadata: { openclaw: { os: [linux, darwin] } }"], machine(), true],
    ["another operating system", ["metadata: { openclaw: { os: [darwin] } }"], machine(), false],
    ["always, whatever is missing", ["metadata: { openclaw: { always: true, requires: { bins: [jq] } } }"], machine(), true],
    ["always, on another system", ["metadata: { openclaw: { always: true, os: [win32] } }"], machine(), false],
    ["compatibility, a program missing", ["compatibility: Requires python3, git"], machine({ programs: ["git"] }), false],
    ["compatibility, prose", ["compatibility: Made for any agent that can read."], machine(), true],
    ["no gate", [], machine(), true],
  ])("%s", async (_, lines, probe, there) => {
    const root = makeTree({ moss: { "SKILL.md": moss(...lines) } });
    const library = await openSkills({ sources: [root], eligibility: probe });
    expect(namesOf(library)).toEqual(there ? ["moss"] : []);
    expect(fatesOf(library, root)).toEqual(there ? [] : ["ineligible moss"]);
    if (!there) await expect(library.load("moss")).rejects.toMatchObject({ code: "skill-not-found" });
  });

  test("nothing is checked where nobody asked", async () => {
    const root = makeTree({ moss: { "SKILL.md": moss(...asMap) } });
    expect(namesOf(await openSkills(root))).toEqual(["moss"]);
  });

  test("an ineligible skill keeps its name: a later one of the name does not stand in for it", async () => {
    const root = makeTree({ first: { moss: { "SKILL.md": moss(...asMap) } }, second: skillFolders("moss", "fern") });
    const library = await openSkills({ sources: [join(root, "first"), join(root, "second")], eligibility: machine() });
    expect(namesOf(library)).toEqual(["fern"]);
    expect(library.catalog.excluded.map(({ fate, location }) => `${fate} ${location.slice(root.length + 1)}`).sort()).toEqual([
      "ineligible first/moss",
      "shadowed second/moss",
    ]);
  });

  test("a gate that is edited counts from the next refresh", async () => {
    const root = makeTree({ moss: { "SKILL.md": moss() } });
    const library = await openSkills({ sources: [root], eligibility: machine() });
    addTree(root, { moss: { "SKILL.md": moss(...asMap) } });
    expect(await library.refresh()).toMatchObject({ changed: true, removed: ["moss"] });
    addTree(root, { moss: { "SKILL.md": moss("license: MIT") } });
    expect(await library.refresh()).toMatchObject({ changed: true, added: ["moss"] });
  });
});
