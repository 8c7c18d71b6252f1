import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { bubblewrapSandbox } from "skillwright/sandboxes/bubblewrap";
import { localSandbox } from "skillwright/sandboxes/local";
import { virtualSandbox } from "skillwright/sandboxes/virtual";
import { describe, expect, test } from "vitest";
import { defaultLimits, digestOf, treeDigestOf } from "../../packages/skillwright/src/core/index.ts";
import { openSkillWorkspace, type Sandbox, type Workspace } from "../../packages/skillwright/src/workspace/index.ts";
import { bytes, skillFrom, text, workspaceOn } from "./workspace-fixture.ts";

const files = { "SKILL.md": "# A", "scripts/run.sh": "echo one", "references/x.md": "x" };

describe.each([bubblewrapSandbox(), localSandbox(), virtualSandbox()].map((sandbox) => ({ id: sandbox.id, sandbox })))(
  "staging in $id",
  ({ sandbox }) => {
    const usable = async (skip: (reason: string) => void): Promise<void> => {
      const probe = await sandbox.probe();
      if (!probe.ok) skip(probe.reason);
    };

    test("copies a skill once; unchanged content is not even read again", async (context) => {
      await usable(context.skip);
      const { workspace } = workspaceOn(sandbox);
      const skill = skillFrom("a", files);
      expect((await workspace.stage(skill)).reused).toBe(false);
      expect((await workspace.stage(skill)).reused).toBe(true);
      await workspace.runCommand({ skill, command: "cat scripts/run.sh" });
      expect([...skill.reads.values()]).toEqual([1, 1, 1]);
      await workspace.close();
    });

    test("stages one skill once for many callers at the same time", async (context) => {
      await usable(context.skip);
      const { workspace } = workspaceOn(sandbox);
      const skill = skillFrom("a", files);
      const others = ["b", "c", "d"].map((name) => skillFrom(name, files));
      const staged = await Promise.all([
        ...Array.from({ length: 8 }, () => workspace.stage(skill)),
        ...others.map((other) => workspace.stage(other)),
      ]);
      expect(new Set(staged.slice(0, 8).map((one) => one.treeDigest)).size).toBe(1);
      expect([...skill.reads.values()]).toEqual([1, 1, 1]);
      const metadata = JSON.parse(text(await workspace.readFile("metadata.json")));
      expect(metadata.skills.map((entry: { name: string }) => entry.name)).toEqual(["a", "b", "c", "d"]);
      await workspace.close();
    });

    test("follows a changed skill: new, changed and vanished files, links and all; what runs made stays", async (context) => {
      await usable(context.skip);
      const { workspace } = workspaceOn(sandbox);
      await workspace.runCommand({ skill: skillFrom("a", files), command: "echo mine > made.txt" });
      const changed = skillFrom("a", { "SKILL.md": "# A", "scripts/run.sh": "echo two", "assets/new.txt": "new" }, { key: "2" });
      const result = await workspace.runCommand({ skill: changed, command: "sh scripts/run.sh; cat assets/new.txt; ls; cat made.txt" });
      expect(result.stdout).toBe("two\nnewSKILL.md\nassets\ninputs\nmade.txt\nscripts\nmine\n");
      await workspace.close();
    });

    test("sees equal content under another key without copying it", async (context) => {
      await usable(context.skip);
      const { workspace } = workspaceOn(sandbox);
      const first = await workspace.stage(skillFrom("a", files));
      const second = await workspace.stage(skillFrom("a", files, { key: "2" }));
      expect(second).toEqual({ ...first, reused: true });
      await workspace.close();
    });

    test("gives a run the skill as it was staged, whatever an earlier run did to it", async (context) => {
      await usable(context.skip);
      const { workspace, events } = workspaceOn(sandbox);
      const skill = skillFrom("a", files);
      const attacks = [
        "echo evil > $SKILL_DIR/scripts/run.sh",
        "rm -rf $SKILL_DIR/scripts",
        "echo evil > $SKILL_DIR/new.sh",
        "chmod 777 $SKILL_DIR/SKILL.md",
      ];
      for (const command of attacks) await workspace.runCommand({ skill, command });
      const result = await workspace.runScript({ skill, script: "run.sh", argv: [] });
      expect(result.stdout).toBe("one\n");
      expect((await workspace.runCommand({ skill, command: "ls $SKILL_DIR" })).stdout).toBe("SKILL.md\nreferences\nscripts\n");
      const told = events.filter((event) => event.type === "session-diagnostic" && event.diagnostic.code === "staged-skill-changed");
      expect(told.length > 0).toBe(!sandbox.promises.skillsReadOnly);
      await workspace.close();
    });

    test("keeps skills of hostile and of similar names apart, in folders of plain names", async (context) => {
      await usable(context.skip);
      const { workspace } = workspaceOn(sandbox);
      const names = ["../evil", "evil", "EVIL", "nested/sub", "..", ".hidden", "a\0b", "数据", "x".repeat(300), "$(id)", "-rf"];
      const dirs = new Map<string, string>();
      for (const name of names) dirs.set(name, (await workspace.stage(skillFrom(name, { "SKILL.md": name }))).dir);
      expect(new Set([...dirs.values()].map((dir) => dir.toLowerCase())).size).toBe(names.length);
      for (const name of names) {
        const result = await workspace.runCommand({
          skill: skillFrom(name, { "SKILL.md": name }),
          command: 'pwd; cat "$SKILL_DIR/SKILL.md"',
        });
        expect(result.stdout.endsWith(name)).toBe(true);
      }
      expect((await workspace.runCommand({ command: 'ls "$WORKSPACE_DIR"' })).stdout.trim().split("\n")).toEqual([
        "metadata.json",
        "out",
        "runs",
        "skills",
        "work",
      ]);
      await workspace.close();
    });

    test("refuses a skill that is too large, or whose files lead outside", async (context) => {
      await usable(context.skip);
      const { workspace } = workspaceOn(sandbox, { limits: { maxFiles: 2, maxSkillBytes: 100 } });
      await expect(workspace.stage(skillFrom("many", { a: "1", b: "2", c: "3" }))).rejects.toMatchObject({ code: "limit-exceeded" });
      await expect(workspace.stage(skillFrom("large", { a: "x".repeat(101) }))).rejects.toMatchObject({ code: "limit-exceeded" });
      for (const path of ["../a", "/etc/passwd", "a/../../b"]) {
        await expect(workspace.stage(skillFrom("out", { [path]: "x" }))).rejects.toMatchObject({ code: "path-outside-root" });
      }
      expect((await workspace.stage(skillFrom("small", { a: "1" }))).reused).toBe(false);
      await workspace.close();
    });

    test("can be tried again when reading failed, and one who gives up stops nobody else", async (context) => {
      await usable(context.skip);
      const { workspace } = workspaceOn(sandbox);
      const skill = skillFrom("a", files);
      let failing = true;
      const flaky = {
        ...skill,
        read: async (path: string) => {
          if (failing && path === "references/x.md") throw new Error("the disk is gone");
          return skill.read(path);
        },
      };
      await expect(workspace.stage(flaky)).rejects.toThrow("the disk is gone");
      failing = false;
      expect((await workspace.stage(flaky)).reused).toBe(false);

      const other = skillFrom("b", files);
      let reading: () => void = () => undefined;
      const begun = new Promise<void>((resolve) => {
        reading = resolve;
      });
      const slow = {
        ...other,
        read: async (path: string) => {
          reading();
          await new Promise((resolve) => setImmediate(resolve));
          return other.read(path);
        },
      };
      const controller = new AbortController();
      const impatient = workspace.stage(slow, { signal: controller.signal }).catch((error: unknown) => error);
      await begun;
      const patient = workspace.stage(slow);
      controller.abort();
      await expect(patient).resolves.toMatchObject({ treeDigest: expect.stringMatching(/^sha256:/) });
      await impatient;
      await workspace.close();
    });
  },
);

test("the digest of a staged skill is that of its content and names alone", async () => {
  const { workspace } = workspaceOn(virtualSandbox());
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,4}(\/[a-z]{1,4})?\.md$/), fc.string({ maxLength: 30 }), { minKeys: 1, maxKeys: 5 }),
      async (texts) => {
        const paths = Object.keys(texts);
        // A name cannot be a file and a folder.
        fc.pre(!paths.some((path) => paths.some((other) => other.startsWith(`${path}/`))));
        const forwards = await workspace.stage(skillFrom(`f${++count}`, texts));
        const backwards = await workspace.stage(skillFrom(`b${count}`, Object.fromEntries(Object.entries(texts).reverse())));
        const expected = await treeDigestOf(
          await Promise.all(Object.entries(texts).map(async ([path, content]) => ({ path, mode: 0o644, digest: await digestOf(content) }))),
        );
        expect([forwards.treeDigest, backwards.treeDigest]).toEqual([expected, expected]);
        for (const [path, content] of Object.entries(texts))
          expect(text(await workspace.readFile(`skills/f${count}/${path}`))).toBe(content);
      },
    ),
    { numRuns: 25 },
  );
  await workspace.close();
});

test("metadata that is corrupt is made new", async () => {
  const kept = keptOpen(localSandbox());
  const first = openSkillWorkspace({ sandbox: kept.sandbox, sessionId: "s", limits: defaultLimits });
  const skill = skillFrom("a", files);
  await first.stage(skill);
  const metadata = join((await kept.opened()).root, "metadata.json");
  await writeFile(metadata, '{"version":1,"skills":[{"fol');

  const second = openSkillWorkspace({ sandbox: kept.sandbox, sessionId: "s", limits: defaultLimits });
  expect((await second.stage(skill)).reused).toBe(false);
  expect(JSON.parse(await readFile(metadata, "utf8"))).toMatchObject({ version: 1, skills: [{ folder: "a", name: "a", files: 3 }] });
  await (await kept.opened()).close();
});

test("a workspace that already holds files takes no name twice", async () => {
  const kept = keptOpen(localSandbox());
  const open = (): ReturnType<typeof openSkillWorkspace> =>
    openSkillWorkspace({ sandbox: kept.sandbox, sessionId: "s", limits: defaultLimits });
  const first = open();
  await first.putFile("a.txt", bytes("1"));
  await first.runCommand({ command: 'echo 1 > "$OUTPUT_DIR/r.txt"' });
  const second = open();
  expect(await second.putFile("a.txt", bytes("2"))).toBe("inputs/a-2.txt");
  expect((await second.runCommand({ command: 'echo 2 > "$OUTPUT_DIR/r.txt"' })).outputs.map((output) => output.path)).toEqual([
    "out/r-2.txt",
  ]);
  await (await kept.opened()).close();
});

/** A sandbox whose one workspace outlives the sessions on it, as a remote one may. */
function keptOpen(sandbox: Sandbox): { readonly sandbox: Sandbox; opened(): Promise<Workspace> } {
  let opened: Promise<Workspace> | undefined;
  return {
    sandbox: {
      ...sandbox,
      open: (options) => {
        opened ??= sandbox.open(options);
        return opened;
      },
    },
    opened: async () => {
      if (opened === undefined) throw new Error("never opened");
      return opened;
    },
  };
}
