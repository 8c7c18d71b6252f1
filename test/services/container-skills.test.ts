import { defaultLimits, openSkillWorkspace, type SkillToStage } from "skillwright";
import { containerSandbox } from "skillwright/sandboxes/container";
import { describe, expect, test } from "vitest";
import { docker, gvisor, podman } from "./container-engines.ts";

const files = new Map([
  ["SKILL.md", "---\nname: tally\ndescription: Counts lines.\n---\n"],
  ["scripts/count.sh", "#!/bin/sh\nwc -l < inputs/lines.txt > count.txt\necho counted\n"],
  ["scripts/report.sh", '#!/bin/sh\necho "lines: $(cat count.txt)" > "$OUTPUT_DIR/report.md"\n'],
]);

const skill: SkillToStage = {
  name: "tally",
  key: "1",
  files: [...files].map(([path, text]) => ({ path, bytes: text.length, mode: path.endsWith(".sh") ? 0o755 : 0o644 })),
  read: async (path) => new TextEncoder().encode(files.get(path) ?? ""),
};

describe.each([docker, podman, gvisor])("a skill in a container of $name", ({ socket, image, runtime, missing }) => {
  test("works in two steps and gives back its report", async (context) => {
    if (socket === undefined) return context.skip(missing);
    const workspace = await openSkillWorkspace({
      sandbox: containerSandbox({ socket, image, ...(runtime !== undefined && { runtime }) }),
      sessionId: crypto.randomUUID(),
      limits: defaultLimits,
    });
    try {
      await workspace.putFile("lines.txt", new TextEncoder().encode("one\ntwo\nthree\n"));
      const counted = await workspace.runScript({ skill, script: "scripts/count.sh", argv: [] });
      expect([counted.reason, counted.stdout, counted.stderr]).toEqual(["exited", "counted\n", ""]);
      expect(counted.outputs.map((output) => output.path)).toEqual(["work/skills/tally/count.txt"]);
      const reported = await workspace.runCommand({ skill, command: "sh scripts/report.sh" });
      expect([reported.reason, reported.stderr]).toEqual(["exited", ""]);
      expect(reported.outputs.map(({ path, text }) => [path, text?.replace(/\s+/g, " ")])).toEqual([["out/report.md", "lines: 3 "]]);
    } finally {
      await workspace.close();
    }
  });
});
