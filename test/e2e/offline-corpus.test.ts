import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseSkill } from "skillwright";
import { expect, test } from "vitest";
import { extractCommands } from "../../packages/cli/src/offline/extract-commands.ts";
import { planNext } from "../../packages/cli/src/offline/planner.ts";

const corpus = process.env.SKILLWRIGHT_CORPUS;
const missing = corpus ? undefined : "SKILLWRIGHT_CORPUS names no folder of real skills";

const tools = [
  { type: "function" as const, name: "load_skill", inputSchema: { type: "object" as const, properties: { name: {} }, required: ["name"] } },
  {
    type: "function" as const,
    name: "run_command",
    inputSchema: { type: "object" as const, properties: { command: {}, skill: {} }, required: ["command"] },
  },
];

async function readSkills(root: string): Promise<{ readonly folder: string; readonly body: string; readonly files: readonly string[] }[]> {
  const paths = await readdir(root, { recursive: true });
  const skills = paths.filter((path) => /(?:^|\/)skill\.md$/i.test(path)).sort();
  return Promise.all(
    skills.map(async (path) => {
      const folder = dirname(path);
      const files = paths
        .filter((other) => other.startsWith(`${folder}/`) && other !== path && /\.\w+$/.test(other))
        .map((other) => other.slice(folder.length + 1));
      return { folder, body: parseSkill(await readFile(join(root, path), "utf8"), { folder }).body, files };
    }),
  );
}

test("commands are found in real skills, and none makes the planner fail", { timeout: 300_000 }, async (ctx) => {
  if (corpus === undefined) return ctx.skip(missing);
  const skills = await readSkills(corpus);
  const counts = { skills: skills.length, withCommands: 0, commands: 0, run: 0, answered: 0 };
  for (const { folder, body, files } of skills) {
    const commands = extractCommands(body);
    counts.commands += commands.length;
    if (commands.length > 0) counts.withCommands++;
    // The second list is cut short, as that of a large skill: then scripts are taken at their author's word.
    for (const [extension, text] of ["csv", "png", "md", ""].flatMap((kind) => [
      [kind, shown(body, files)] as const,
      [kind, `${shown(body, files)}\n- and 9 more`] as const,
    ])) {
      const question = `/subject do what you are for${extension === "" ? "" : `\n\nFiles: inputs/data.${extension}`}`;
      const plan = planNext(
        [
          { role: "system", content: '<available_skills>\n<skill name="subject">Any.</skill>\n</available_skills>' },
          { role: "user", content: [{ type: "text", text: question }] },
          { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "load_skill", input: { name: "subject" } }] },
          {
            role: "tool",
            content: [{ type: "tool-result", toolCallId: "1", toolName: "load_skill", output: { type: "text", value: text } }],
          },
        ],
        tools,
      );
      if (plan.kind === "answer") {
        counts.answered++;
        expect(plan.text.split("\n\n").length, folder).toBeGreaterThan(1);
      } else {
        counts.run++;
        expect(
          plan.calls.map((call) => call.toolName),
          folder,
        ).toEqual(["run_command"]);
        expect(String(plan.calls[0]?.input.command), folder).not.toMatch(/[<>]\w+[>]|\$\{?[a-z]|^(?:sudo|rm|git|curl)\s/);
      }
    }
  }
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  expect(counts.withCommands).toBeGreaterThan(0);
});

function shown(body: string, files: readonly string[]): string {
  const list =
    files.length === 0
      ? ""
      : `\n\nFiles of this skill, relative to its folder (skills/subject):\n${files.map((file) => `- ${file} (other, 1 B)`).join("\n")}`;
  return `<skill_content name="subject" digest="d">\n${body.replace(/<(\/?)skill_content/gi, "&lt;$1skill_content").trim()}\n</skill_content>${list}`;
}
