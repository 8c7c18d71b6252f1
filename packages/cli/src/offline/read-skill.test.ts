import { expect, test } from "vitest";
import type { Conversation, PastCall } from "./conversation.ts";
import { documentsToRead, readSkill } from "./read-skill.ts";

function load(text: string, data?: Record<string, unknown>): PastCall {
  return { toolName: "load", input: { name: "a" }, answer: { text, data, outcome: "ok" }, current: true };
}
const conversation = (calls: PastCall[], ...system: string[]): Conversation => ({ system, question: "", files: [], calls });

const marked =
  '<skill_content name="a" digest="d">\nDo it.\n</skill_content>\n\nFiles of this skill, relative to its folder (skills/a):\n- scripts/x.py (script, 1.0 kB)\n- references/my notes.md (reference, 20 B)';

test.each<[string, PastCall, Conversation, object]>([
  [
    "marked content with a list of files",
    load(marked),
    conversation([]),
    { body: "Do it.\n", files: ["scripts/x.py", "references/my notes.md"] },
  ],
  [
    "the same in Chinese",
    load('<skill_content name="a">\nDo it.\n</skill_content>\n\n该技能的文件：\n- scripts/x.py（脚本，1.0 kB）'),
    conversation([]),
    { files: ["scripts/x.py"] },
  ],
  [
    "files inside the marks",
    load(
      '<skill_content name="a" path="/s/a" digest="d">\nDo it.\n<skill_resources>\n - scripts/x.py\n - r.md\n</skill_resources>\n</skill_content>',
    ),
    conversation([]),
    { body: "Do it.\n", files: ["scripts/x.py", "r.md"] },
  ],
  ["a skill of one file", load('<skill_content name="a" digest="d">\nDo it.\n</skill_content>'), conversation([]), { files: [] }],
  [
    "a text in the system prompt, without its files",
    load("Loaded."),
    conversation([], '<skill_content name="a" digest="d">\nDo it.\n</skill_content>'),
    { body: "Do it.\n", files: undefined },
  ],
  ["a list that was cut short", load(`${marked}\n- and 7 more; name a path to read it`), conversation([]), { files: undefined }],
  [
    "a body of an earlier call",
    load('Skill "a" is already loaded.'),
    conversation([load(marked), load('Skill "a" is already loaded.')]),
    { files: ["scripts/x.py", "references/my notes.md"] },
  ],
  [
    "a section of the system prompt",
    load("loaded: a"),
    conversation([], "Rules\n\n[Loaded] a\n\nDo it.\n\nDocs loaded: r.md\n\n[Doc] r.md\nMore.\n[Loaded] b\n\nNo."),
    { body: "Do it.", documents: new Map([["r.md", "More.\n"]]) },
  ],
  ["the same section in the answer", load("loaded: a\n[Loaded] a\n\nDo it.\n\nDocs loaded: none"), conversation([]), { body: "Do it." }],
  ["an object", load("{}", { skill_name: "a", instructions: "Do it." }), conversation([]), { body: "Do it.", files: undefined }],
  ["a bare file", load("---\nname: a\n---\nDo it.\nNow."), conversation([]), { body: "Do it.\nNow." }],
])("finds %s", (_, call, talk, expected) => {
  expect(readSkill("a", call, talk)).toMatchObject(expected);
});

test("a note without a body anywhere is not a skill", () => {
  expect(readSkill("a", load("loaded: a"), conversation([load("loaded: a")]))).toBeUndefined();
});

test("reads the documents that the body asks to read and that exist, no others", () => {
  const body =
    "1. Read `references/how.md` first.\n2. The list in [all](references/all.md) exists.\nSee https://x.org/see.md and references/lost.md.\n参考 references/中.md 与 references/zh.md";
  const files = ["references/how.md", "references/all.md", "references/zh.md", "scripts/a.py"];
  expect(documentsToRead({ name: "a", body, files, documents: new Map() }, 3)).toEqual(["references/how.md", "references/zh.md"]);
  expect(documentsToRead({ name: "a", body, files, documents: new Map([["references/how.md", ""]]) }, 3)).toEqual(["references/zh.md"]);
});
