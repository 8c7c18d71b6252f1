import { bubblewrapSandbox } from "skillwright/sandboxes/bubblewrap";
import { localSandbox } from "skillwright/sandboxes/local";
import { virtualSandbox } from "skillwright/sandboxes/virtual";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SkillEvent } from "../../packages/skillwright/src/core/index.ts";
import type { SkillWorkspace } from "../../packages/skillwright/src/workspace/index.ts";
import { bytes, skillFrom, text, workspaceOn } from "./workspace-fixture.ts";

const report = skillFrom("report", {
  "SKILL.md": "# Report",
  "scripts/count.sh": '#!/bin/sh\nlines=$(cat "$1" | wc -l)\necho counted $lines\necho $lines > count.txt\n',
  "scripts/publish.sh": 'echo "$1" > "$OUTPUT_DIR/report.txt"\nmkdir -p "$OUTPUT_DIR/deep"\necho deep > "$OUTPUT_DIR/deep/more.txt"\n',
  "references/guide.md": "Read me.",
});

const sandboxes = [bubblewrapSandbox(), localSandbox(), virtualSandbox()];

describe.each(sandboxes.map((sandbox) => ({ id: sandbox.id, sandbox })))("a workspace in $id", ({ sandbox }) => {
  let workspace: SkillWorkspace;
  let events: SkillEvent[];

  beforeEach(async (context) => {
    const probe = await sandbox.probe();
    if (!probe.ok) context.skip(probe.reason);
    ({ workspace, events } = workspaceOn(sandbox));
  });
  afterEach(async () => {
    await workspace.close();
  });

  test("has the folders and variables that scripts are promised", async () => {
    const staged = await workspace.stage(report);
    const result = await workspace.runCommand({
      skill: report,
      command:
        'for name in WORKSPACE_DIR SKILLS_DIR WORK_DIR INPUTS_DIR OUTPUT_DIR RUN_DIR SKILL_DIR; do eval "test -d \\"\\$$name\\"" && echo $name; done; echo $SKILL_NAME; pwd; echo $SKILL_DIR',
    });
    expect(result.stdout.trim().split("\n")).toEqual([
      ...["WORKSPACE_DIR", "SKILLS_DIR", "WORK_DIR", "INPUTS_DIR", "OUTPUT_DIR", "RUN_DIR", "SKILL_DIR"],
      "report",
      staged.workDir,
      staged.dir,
    ]);
  });

  test("runs the commands of a SKILL.md as written: paths of the skill and inputs, output beside them", async () => {
    expect(await workspace.putFile("sales 2024.csv", bytes("a\nb\nc\n"))).toBe("inputs/sales_2024.csv");
    const result = await workspace.runCommand({
      skill: report,
      command: "sh scripts/count.sh inputs/sales_2024.csv && cat references/guide.md",
    });
    expect(result).toMatchObject({ exitCode: 0, reason: "exited", stdout: "counted 3\nRead me." });
    expect(result.outputs).toMatchObject([{ path: "work/skills/report/count.txt", bytes: 2, mediaType: "text/plain", text: "3\n" }]);
  });

  test("runs a script by its path or its name alone, whatever its mode says", async () => {
    await workspace.putFile("x.txt", bytes("a\n"));
    for (const script of ["scripts/count.sh", "./scripts/count.sh", "count.sh"]) {
      expect(await workspace.runScript({ skill: report, script, argv: ["inputs/x.txt"] })).toMatchObject({
        exitCode: 0,
        stdout: "counted 1\n",
      });
    }
  });

  test("says which scripts there are when one is not", async () => {
    await expect(workspace.runScript({ skill: report, script: "scripts/nope.sh", argv: [] })).rejects.toMatchObject({
      code: "file-not-found",
      hint: expect.stringContaining("scripts/count.sh"),
    });
    await expect(workspace.runScript({ skill: report, script: "../../etc/passwd", argv: [] })).rejects.toMatchObject({
      code: "file-not-found",
    });
  });

  test("refuses a file that nothing says how to run, and runs nothing", async () => {
    const result = await workspace.runScript({ skill: report, script: "SKILL.md", argv: [] });
    expect(result).toMatchObject({ reason: "start-failed", exitCode: null, stderr: expect.stringContaining("cannot be run") });
    expect(events.filter((event) => event.type === "run-started")).toEqual([]);
  });

  test("keeps the working directory from run to run, so that step two finds what step one wrote", async () => {
    await workspace.runCommand({ skill: report, command: "echo one > step.txt" });
    const second = await workspace.runCommand({ skill: report, command: "cat step.txt" });
    expect(second).toMatchObject({ stdout: "one\n", outputs: [] });
  });

  test("tells changed files from untouched ones", async () => {
    await workspace.runCommand({ skill: report, command: "echo 1 > a.txt; echo 1 > b.txt" });
    const second = await workspace.runCommand({ skill: report, command: "echo 2 > a.txt; mkdir d; echo 3 > d/c.txt" });
    expect(second.outputs.map((output) => output.path)).toEqual(["work/skills/report/a.txt", "work/skills/report/d/c.txt"]);
  });

  test("publishes what was written to $OUTPUT_DIR, and gives equal names a number", async () => {
    const first = await workspace.runScript({ skill: report, script: "publish.sh", argv: ["one"] });
    expect(first.outputs.map((output) => output.path)).toEqual(["out/deep/more.txt", "out/report.txt"]);
    const second = await workspace.runScript({ skill: report, script: "publish.sh", argv: ["two"] });
    expect(second.outputs.map((output) => output.path)).toEqual(["out/deep/more-2.txt", "out/report-2.txt"]);
    expect(text(await workspace.readFile("out/report.txt"))).toBe("one\n");
    expect(text(await workspace.readFile("out/report-2.txt"))).toBe("two\n");
    expect((await workspace.runCommand({ command: "cat ../out/report.txt" })).stdout).toBe("one\n");
  });

  test("keeps runs at the same time apart in $OUTPUT_DIR", async () => {
    const runs = await Promise.all(
      ["a", "b", "c", "d"].map((name) => workspace.runCommand({ skill: report, command: `echo ${name} > "$OUTPUT_DIR/result.txt"` })),
    );
    const paths = runs.flatMap((run) => run.outputs.map((output) => output.path));
    expect([...paths].sort()).toEqual(["out/result-2.txt", "out/result-3.txt", "out/result-4.txt", "out/result.txt"]);
    for (const [index, run] of runs.entries()) expect(run.outputs[0]?.text).toBe(`${"abcd"[index]}\n`);
  });

  test("collects no links, and says so", async () => {
    const result = await workspace.runCommand({
      skill: report,
      command: 'ln -s /etc/passwd "$OUTPUT_DIR/passwd"; ln -s /etc/passwd here; echo ok > "$OUTPUT_DIR/fine.txt"',
    });
    expect(result.outputs.map((output) => output.path)).toEqual(["out/fine.txt"]);
    expect(result.warnings).toEqual([
      expect.stringMatching(/passwd was left out: it is a link/),
      expect.stringMatching(/here was left out: it is a link/),
    ]);
  });

  test("returns files that a pattern asks for", async () => {
    await workspace.runCommand({ skill: report, command: "echo old > old.log" });
    const result = await workspace.runCommand({ skill: report, command: "true", outputs: ["*.log"] });
    expect(result.outputs.map((output) => output.path)).toEqual(["work/skills/report/old.log"]);
    await expect(workspace.runCommand({ skill: report, command: "true", outputs: ["../../../../etc/*"] })).rejects.toMatchObject({
      code: "path-outside-root",
    });
  });

  test("shows no text of long or binary files, but their type and size", async () => {
    await workspace.putFile("blob.bin", Uint8Array.of(0, 159, 146, 150));
    const result = await workspace.runCommand({
      skill: report,
      command: "cat inputs/blob.bin > copy.png; i=0; while [ $i -lt 2000 ]; do echo 0123456789; i=$((i+1)); done > long.txt",
    });
    expect(result.outputs).toMatchObject([
      { path: "work/skills/report/copy.png", mediaType: "image/png", bytes: 4 },
      { path: "work/skills/report/long.txt", mediaType: "text/plain", bytes: 22_000 },
    ]);
    for (const output of result.outputs) expect(output.text).toBeUndefined();
  });

  test("takes a working directory, stdin and variables", async () => {
    const result = await workspace.runCommand({
      skill: report,
      command: 'pwd; cat; echo "$MODE"',
      cwd: "$WORK_DIR/..",
      stdin: "typed\n",
      env: { MODE: "fast" },
    });
    const [folder] = result.stdout.split("\n");
    expect(result.stdout).toBe(`${folder}\ntyped\nfast\n`);
    await expect(workspace.runCommand({ skill: report, command: "pwd", cwd: "/etc" })).rejects.toMatchObject({ code: "path-outside-root" });
    await expect(workspace.runCommand({ skill: report, command: "pwd", env: { LD_PRELOAD: "x" } })).rejects.toMatchObject({
      code: "configuration-invalid",
    });
  });

  test("puts files under names that are safe and free", async () => {
    expect(await workspace.putFile("../../a b.txt", bytes("1"))).toBe("inputs/a_b.txt");
    expect(await workspace.putFile("a b.txt", bytes("2"))).toBe("inputs/a_b-2.txt");
    expect(await workspace.inputs()).toEqual(["a_b-2.txt", "a_b.txt"]);
    expect(text(await workspace.readFile("inputs/a_b-2.txt"))).toBe("2");
  });

  test("reads only below itself", async () => {
    await workspace.putFile("a.txt", bytes("1"));
    await workspace.runCommand({ command: "ln -s /etc inputs/etc" });
    for (const path of ["/etc/passwd", "../x", "inputs/../../../etc/passwd"]) {
      await expect(workspace.readFile(path)).rejects.toMatchObject({ code: "path-outside-root" });
    }
    await expect(workspace.readFile("inputs/etc/passwd")).rejects.toMatchObject({
      code: expect.stringMatching(/path-outside-root|file-not-found/),
    });
    await expect(workspace.readFile("inputs/none")).rejects.toMatchObject({ code: "file-not-found" });
    await expect(workspace.readFile("inputs/a.txt", { maxBytes: 0 })).rejects.toMatchObject({ code: "limit-exceeded" });
  });

  test("tells how a run ended that took too long, with what it had written", async () => {
    const result = await workspace.runCommand({ skill: report, command: "echo begun; echo part > part.txt; sleep 60", timeoutMs: 2_000 });
    expect(result).toMatchObject({ reason: "timeout", exitCode: null, warnings: [expect.stringMatching(/time was up/)] });
    expect(result.outputs.map((output) => output.path)).toEqual(["work/skills/report/part.txt"]);
  });

  test("hands grants to one run and shows them nowhere", async () => {
    const grants = { API_TOKEN: "s3cret-value-123" };
    const first = await workspace.runCommand({ skill: report, command: 'echo "got $API_TOKEN"; echo "$API_TOKEN" > used.txt', grants });
    expect(first.stdout).toBe("got [API_TOKEN]\n");
    expect(first.outputs[0]?.text).toBe("[API_TOKEN]\n");
    const second = await workspace.runCommand({ skill: report, command: 'echo "got $API_TOKEN"' });
    expect(second.stdout).toBe("got \n");
    expect(JSON.stringify([events, first, second])).not.toContain("s3cret");
    expect(text(await workspace.readFile("metadata.json"))).not.toContain("s3cret");
  });

  test("tells what runs, and its output only where content is recorded", async () => {
    const seen: string[] = [];
    await workspace.runCommand({ skill: report, command: "echo ä", onOutput: (stream, piece) => seen.push(`${stream}:${piece}`) });
    expect(seen.join("")).toBe("stdout:ä\n");
    expect(events.map((event) => event.type)).toEqual(["run-started", "run-finished"]);

    const recorded = workspaceOn(sandbox, { recordContent: true });
    await recorded.workspace.runCommand({ command: "echo shown" });
    expect(recorded.events).toContainEqual(expect.objectContaining({ type: "run-output", stream: "stdout", text: "shown\n" }));
    await recorded.workspace.close();
  });

  test("is made on first use, closes twice, and then refuses", async () => {
    await workspace.close();
    await workspace.close();
    await expect(workspace.runCommand({ command: "true" })).rejects.toMatchObject({ code: "workspace-closed" });
    await expect(workspace.putFile("a", bytes("a"))).rejects.toMatchObject({ code: "workspace-closed" });
  });

  test("ends what is running when it is closed", async () => {
    await workspace.inputs();
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const running = workspace.runCommand({ command: "echo up; sleep 60", onOutput: () => begun() });
    if (sandbox.isolation !== "interpreter") await started;
    await workspace.close();
    expect((await running).reason).toBe("aborted");
  });
});

const interactive = bubblewrapSandbox();

test("a command can be talked to while it runs", async (context) => {
  const probe = await interactive.probe();
  if (!probe.ok) context.skip(probe.reason);
  const { workspace, events } = workspaceOn(interactive);
  const run = await workspace.startCommand({
    skill: report,
    command: 'echo "name?"; read name; echo "hello $name"; echo "$name" > name.txt',
    grants: { TOKEN: "s3cret-value" },
  });
  let offset = 0;
  let seen = "";
  const until = async (wanted: string): Promise<void> => {
    while (!seen.includes(wanted)) {
      const { text: more, next } = run.output(offset);
      seen += more;
      offset = next;
      if (more === "") await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await until("name?");
  await run.process.write("s3cret-value\n");
  const finished = await run.report;
  await until("hello [TOKEN]");
  expect(finished).toMatchObject({ reason: "exited", exitCode: 0, outputs: [{ path: "work/skills/report/name.txt", text: "[TOKEN]\n" }] });
  expect(JSON.stringify(events)).not.toContain("s3cret");
  await workspace.close();
});

test("a sandbox that cannot be talked to says so", async () => {
  const { workspace } = workspaceOn(virtualSandbox());
  await expect(workspace.startCommand({ command: "cat" })).rejects.toMatchObject({ code: "configuration-invalid" });
  await workspace.close();
});
