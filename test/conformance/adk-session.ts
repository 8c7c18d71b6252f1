import { openSkills, type SessionOptions, type SkillLibrary, type SkillSession } from "skillwright";
import { localSandbox } from "skillwright/sandboxes/local";
import { expect, onTestFinished } from "vitest";
import { type Tree, temporaryFolder, writeTree } from "../session/make-library.ts";

export const file = (name: string, body = `Body of ${name}.`, extra = ""): string =>
  `---\nname: ${name}\ndescription: Does ${name}\n${extra}---\n${body}`;
export const bytes = new Uint8Array([0x25, 0x50, 0x44, 0x46, 0, 0xff, 0xfe, 1]);
export const tree: Tree = {
  "skill1/SKILL.md": file("skill1"),
  "skill1/references/ref.md": "Grüße 你好",
  "skill1/references/deep/nested.md": "nested",
  "skill1/references/doc.pdf": bytes,
  "skill1/assets/asset.txt": "asset",
  "skill1/assets/pic.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]),
  "skill1/assets/empty.txt": "",
  "skill1/scripts/run.py": "import sys\nprint(sys.argv[1:])\n",
  "skill1/scripts/run.sh": 'printf "%s|" "$@"\n',
  "skill2/SKILL.md": file("skill2"),
};

export async function open(
  options: SessionOptions = {},
  more: Tree = {},
): Promise<{ session: SkillSession; library: SkillLibrary; root: string }> {
  const root = temporaryFolder();
  writeTree(root, { ...tree, ...more });
  return { ...(await openOn([root], options)), root };
}

export async function openOn(
  sources: NonNullable<Exclude<Parameters<typeof openSkills>[0], string | readonly unknown[] | undefined>["sources"]>,
  options: SessionOptions = {},
): Promise<{ session: SkillSession; library: SkillLibrary }> {
  const library = await openSkills({ sources, dialect: "adk" });
  const session = await library.openSession(options);
  onTestFinished(async () => {
    await session.close();
    await library.close();
  });
  return { session, library };
}

let calls = 0;
export async function call(session: SkillSession, tool: string, input: unknown): Promise<Record<string, unknown>> {
  const { text } = await session.call(tool, input, { callId: `${++calls}` });
  return JSON.parse(text) as Record<string, unknown>;
}
export const load = (session: SkillSession, skill_name: string) => call(session, "load_skill", { skill_name });
export const read = (session: SkillSession, file_path: string, skill_name = "skill1") =>
  call(session, "load_skill_resource", { skill_name, file_path });
export const names = (session: SkillSession): string[] => session.tools.map((tool) => tool.name);
export const sandboxed = (more: Tree = {}, options: SessionOptions = {}) => open({ sandbox: localSandbox(), ...options }, more);

export const both = ["skill1", "skill2"];
export const state = (extra: string, expected: string) => async () => {
  const { session } = await open({ state: { who: "Ada" } }, { "s/SKILL.md": file("s", "Hi {who}.", extra) });
  expect(await load(session, "s")).toMatchObject({ instructions: expected });
};
