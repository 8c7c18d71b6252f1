import { expect, test } from "vitest";
import type { JsonValue } from "../core/index.ts";
import type { Manifest } from "../format/index.ts";
import { checkEligibility, type EligibilityProbe, eligibilityFilter } from "./eligibility.ts";

function manifest(parts: Partial<Manifest>): Manifest {
  return {
    name: "tides",
    description: "Reads tide tables.",
    allowedTools: [],
    metadata: {},
    metadataText: {},
    extra: {},
    repaired: false,
    ...parts,
  };
}

function machine(programs: readonly string[], env: Record<string, string> = {}, more: Partial<EligibilityProbe> = {}): EligibilityProbe {
  return { hasProgram: (name) => programs.includes(name), env, platform: "linux", ...more };
}

const openclaw = (value: JsonValue) => manifest({ metadata: { openclaw: value } });

test.each<[string, Manifest, EligibilityProbe, boolean]>([
  ["nothing asked", manifest({}), machine([]), true],
  ["bins: all there", openclaw({ requires: { bins: ["jq", "rg"] } }), machine(["jq", "rg"]), true],
  ["bins: one missing", openclaw({ requires: { bins: ["jq", "rg"] } }), machine(["jq"]), false],
  ["anyBins: one of two", openclaw({ requires: { anyBins: ["docker", "podman"] } }), machine(["podman"]), true],
  ["anyBins: none", openclaw({ requires: { anyBins: ["docker", "podman"] } }), machine(["jq"]), false],
  ["env: set", openclaw({ requires: { env: ["TIDES_KEY"] } }), machine([], { TIDES_KEY: "x" }), true],
  ["env: empty is not set", openclaw({ requires: { env: ["TIDES_KEY"] } }), machine([], { TIDES_KEY: "" }), false],
  ["env: a prototype's name is not set", openclaw({ requires: { env: ["constructor"] } }), machine([]), false],
  ["config: exact", openclaw({ requires: { config: ["browser.enabled"] } }), machine([], {}, { config: ["browser.enabled"] }), true],
  ["config: by prefix", openclaw({ requires: { config: ["channels.mail"] } }), machine([], {}, { config: ["channels.mail.token"] }), true],
  [
    "config: not by half a word",
    openclaw({ requires: { config: ["channels.mail"] } }),
    machine([], {}, { config: ["channels.mailbox"] }),
    false,
  ],
  ["config: off", openclaw({ requires: { config: ["browser.enabled"] } }), machine([]), false],
  ["os: this one", openclaw({ os: ["darwin", "linux"] }), machine([]), true],
  ["os: another", openclaw({ os: ["darwin"] }), machine([]), false],
  ["os: one text, another spelling", openclaw({ os: "macOS" }), machine([], {}, { platform: "darwin" }), true],
  ["os: inside requires", openclaw({ requires: { os: ["windows"] } }), machine([]), false],
  ["os: any", openclaw({ os: ["any"] }), machine([]), true],
  ["always: programs are not asked for", openclaw({ always: true, requires: { bins: ["jq"], env: ["X_KEY"] } }), machine([]), true],
  ["always: the operating system is", openclaw({ always: true, os: ["win32"] }), machine([]), false],
  ["a string of JSON", openclaw('{"requires":{"bins":["jq"]}}'), machine([]), false],
  ["a broken string of JSON asks for nothing", openclaw('{"requires":{"bins":["jq"]'), machine([]), true],
  ["requires as a string of JSON", openclaw({ requires: '{"bins":["jq"]}' }), machine([]), false],
  ["another vendor", manifest({ metadata: { clawdbot: { requires: { bins: ["ssh"] } } } }), machine([]), false],
  [
    "two vendors count together",
    manifest({ metadata: { openclaw: { requires: { bins: ["a1"] } }, moltbot: { requires: { bins: ["b1"] } } } }),
    machine(["a1"]),
    false,
  ],
  ["neutral map", manifest({ metadata: { requires: { bins: ["jq"] } } }), machine([]), false],
  ["neutral text", manifest({ metadata: { requires: "jq, rg" } }), machine(["jq"]), false],
  ["neutral list", manifest({ metadata: { requires: ["jq"] } }), machine(["jq"]), true],
  ["beside metadata", manifest({ extra: { requires: { env: ["TIDES_KEY"] } } }), machine([]), false],
  ["beside metadata, a list of who knows what", manifest({ extra: { requires: ["other-skill"] } }), machine([]), true],
  [
    "binaries and a python version",
    manifest({ extra: { requires: { python: ">=3.10", binaries: ["jq"] } } }),
    machine(["jq", "python3"]),
    true,
  ],
  ["a python version without python", manifest({ extra: { requires: { python: ">=3.10" } } }), machine(["jq"]), false],
  ["values of wrong types ask for nothing", openclaw({ requires: { bins: 3, env: null, config: { a: 1 }, os: true } }), machine([]), true],
  ["a list where a map should be", openclaw(["requires"]), machine([]), true],
  [
    "prototype names are ordinary",
    openclaw(JSON.parse('{"requires":{"__proto__":{"bins":["jq"]},"bins":["toString"]}}')),
    machine(["toString"]),
    true,
  ],
])("metadata: %s", (_, asked, probe, eligible) => {
  expect(checkEligibility(asked, probe).eligible).toBe(eligible);
});

test.each<[string, EligibilityProbe, boolean]>([
  ["Requires python3, git", machine(["python3"]), false],
  ["Requires python3, git", machine(["python3", "git"]), true],
  ["Requires git, docker, jq, and access to the internet", machine(["git", "docker"]), false],
  ["Requires git, docker, jq, and access to the internet", machine(["git", "docker", "jq"]), true],
  ["Requires frobnicate-9.", machine([]), false],
  ["Requires Python 3.10+ with the astro and lunar packages", machine(["python3"]), true],
  ["Requires Python 3.10+ with the astro and lunar packages", machine([]), false],
  ["Requires Python 3.12 or newer", machine(["python"]), true],
  ["Requires Node.js 18+ and npm. Made for any agent.", machine(["node"]), false],
  ["Requires Node.js >= 18 and npm 9", machine(["node", "npm"]), true],
  ["Works on any model. Needs docker or podman.", machine(["podman"]), true],
  ["Needs docker or podman.", machine([]), false],
  ["Needs docker, podman, or nerdctl", machine(["nerdctl"]), true],
  ["Needs the GitHub CLI", machine(["git"]), false],
  ["Needs `left-pad` on PATH", machine([]), false],
  ["Requires jq (1.6 or newer) on PATH", machine(["jq"]), true],
  ["Requires the TIDES_API_KEY environment variable", machine([]), false],
  ["Requires TIDES_API_KEY to be set", machine([], { TIDES_API_KEY: "x" }), true],
  ["macOS only", machine([]), false],
  ["Linux only", machine([]), true],
  ["Only on macOS and Windows", machine([]), false],
  ["Requires Linux or macOS", machine([]), true],
  ["Requires macOS 12+", machine([]), false],
  ["需要 python3、git", machine(["python3"]), false],
  ["需要 python3 和 git。", machine(["python3", "git"]), true],
  ["Requires internet access", machine([]), true],
  ["Requires network", machine([]), true],
  ["Requires the Harbour MCP server", machine([]), true],
  ["Requires a Pro licence, API v66.0+, Harbour Master User", machine([]), true],
  ["Works best with git", machine([]), true],
  ["claude-code", machine([]), true],
  ["Cross-platform. Works with any language.", machine([]), true],
  ["Harbour MCP for tier 1+, Maps API for tier 2", machine([]), true],
  ["", machine([]), true],
])("compatibility: %s (%#)", (compatibility, probe, eligible) => {
  expect(checkEligibility(manifest({ compatibility }), probe).eligible).toBe(eligible);
});

test("what is lacking is named, with the way out, and no value", () => {
  const asked = openclaw({
    os: ["darwin"],
    requires: { bins: ["jq", "rg"], anyBins: ["docker", "podman"], env: ["A_KEY"], config: ["x.y"] },
  });
  expect(checkEligibility(asked, machine(["jq"], { OTHER: "secret" }))).toEqual({
    eligible: false,
    reason:
      "It needs macOS, and this is Linux; the program rg on PATH; docker or podman on PATH; the environment variable A_KEY; the setting x.y of the host.",
    fix: "Use it on macOS; install rg; install docker or podman; set A_KEY; switch on x.y, then refresh.",
  });
});

test("hostile names stay on one short line", () => {
  const result = checkEligibility(openclaw({ requires: { bins: [`a\n${"b".repeat(500)}`, "</skill>"] } }), machine([]));
  expect(result).toMatchObject({ eligible: false });
  expect(result.eligible || result.reason).not.toMatch(/\n|b{100}/);
});

test("a flood of requirements and a page of compatibility are read in no time", () => {
  const bins = Array.from({ length: 50_000 }, (_, index) => `tool-${index}`);
  let asked = 0;
  const probe: EligibilityProbe = {
    ...machine([]),
    hasProgram: () => {
      asked++;
      return false;
    },
  };
  checkEligibility(openclaw({ requires: { bins, anyBins: bins } }), probe);
  expect(asked).toBeLessThanOrEqual(128);
  checkEligibility(manifest({ compatibility: `Requires ${"a and or , ".repeat(20_000)}` }), machine([]));
});

test("as a filter, it withholds with reason and fix", () => {
  const filter = eligibilityFilter(machine([]));
  const skill = { manifest: openclaw({ requires: { bins: ["jq"] } }) } as Parameters<typeof filter>[0];
  expect(filter(skill)).toEqual({ withheld: "It needs the program jq on PATH. Install jq, then refresh.", fate: "ineligible" });
  expect(eligibilityFilter(machine(["jq"]))(skill)).toBe(true);
});
