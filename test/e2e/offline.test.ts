import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DialectId, openSkills, type Sandbox, type SkillEvent } from "skillwright";
import { type AgentResult, createAgent } from "skillwright/agent";
import { bubblewrapSandbox } from "skillwright/sandboxes/bubblewrap";
import { virtualSandbox } from "skillwright/sandboxes/virtual";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { offlineModel } from "../../packages/cli/src/offline/offline-model.ts";

const skills = fileURLToPath(new URL("../../examples/skills/", import.meta.url));
const data = fileURLToPath(new URL("../../examples/data/", import.meta.url));
const timeout = 120_000;

let work = "";
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), "offline-"));
});
afterAll(() => rm(work, { recursive: true, force: true }));

interface Played extends AgentResult {
  readonly calls: readonly string[];
  readonly events: readonly SkillEvent[];
}

interface Scene {
  readonly question: string;
  readonly files?: readonly string[];
  readonly roots?: readonly string[];
  readonly sandbox?: Sandbox | undefined;
  readonly dialect?: DialectId;
}

/** One question, from the folder of skills to the answer, through the agent that the command uses. */
async function play({ question, files = [], roots = [skills], sandbox, dialect = "agentskills" }: Scene): Promise<Played> {
  const events: SkillEvent[] = [];
  const onEvent = (event: SkillEvent): void => {
    events.push(event);
  };
  const library = await openSkills({ sources: [...roots], dialect, onEvent });
  const locale = /\p{sc=Han}/u.test(question) ? "zh" : "en";
  const session = await library.openSession({ dialect, locale, onEvent, ...(sandbox ? { sandbox } : {}) });
  try {
    const agent = createAgent({ model: offlineModel({ countTokens: library.countTokens }), session, maxSteps: 12, onEvent });
    const given = await Promise.all(files.map(async (path) => ({ name: basename(path), data: await readFile(path) })));
    const result = await agent.run({ prompt: question, files: given });
    const calls = events.flatMap((event) => (event.type === "tool-call-started" ? [event.tool] : []));
    return { ...result, events, calls };
  } finally {
    await session.close();
    await library.close();
  }
}

const argvOf = ({ events }: Played) => events.flatMap((event) => (event.type === "run-started" ? [event.argv.join(" ")] : []));

async function writeSkill(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(work, "skills-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name, path)), { recursive: true });
    await writeFile(join(root, name, path), text);
  }
  return root;
}

async function writeInput(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(work, "inputs-"));
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

describe("the sales table, in an interpreter that needs nothing installed", () => {
  test.each<DialectId>(["agentskills", "genkit", "eino", "adk", "trpc", "lesson"])("with the tools of %s", { timeout }, async (dialect) => {
    const question = "Which region sold the most, and what were total sales?";
    const played = await play({ question, files: [join(data, "sales.csv")], sandbox: virtualSandbox(), dialect });
    expect(argvOf(played)).toEqual([expect.stringContaining("scripts/report.sh inputs/sales.csv")]);
    expect(played.text).toMatch(/^This is the offline planner, not a language model/);
    expect(played.text).toContain("- Top region: South with 7,876.70 (30.7 %)");
    expect(played.text).toContain("- Total sales: 25,682.25");
    expect(played.finishReason).toBe("stop");
    expect(played.usage.inputTokens).toBeGreaterThan(0);
  });

  test("asked in Chinese", { timeout }, async () => {
    const played = await play({
      question: "哪个地区销售额最高？总额是多少？",
      files: [join(data, "sales.csv")],
      sandbox: virtualSandbox(),
    });
    expect(played.text).toMatch(/^这是离线规划器，不是语言模型/);
    expect(played.text).toContain("- Top region: South with 7,876.70 (30.7 %)");
  });
});

describe("text in images, in a sandbox of processes", () => {
  const tesseract = spawnSync("tesseract", ["--list-langs"], { encoding: "utf8" });
  const listed = `${tesseract.stdout ?? ""}${tesseract.stderr ?? ""}`;
  let missing: string | undefined;
  beforeAll(async () => {
    if (tesseract.error) missing = "tesseract is not on this machine";
    else if (!/^eng$/m.test(listed) || !/^chi_sim$/m.test(listed)) missing = "tesseract lacks the languages eng and chi_sim";
    else {
      const probe = await bubblewrapSandbox().probe();
      if (!probe.ok) missing = `bubblewrap does not work here: ${probe.reason}`;
    }
  });

  const dialogues: [DialectId, string, string, string[], string[]][] = [
    [
      "agentskills",
      "帮我识别这张图片中的文字",
      "zh.png",
      ["load_skill", "read_skill_resource", "read_skill_resource", "run_command"],
      ["这是离线规划器，不是语言模型", "欢迎来到阅览室", "请在五月十二日前归还图书。"],
    ],
    [
      "agentskills",
      "What does this image say?",
      "hello.png",
      ["load_skill", "read_skill_resource", "read_skill_resource", "run_command"],
      ["not a language model", "Please return borrowed books by 12 May."],
    ],
    [
      "trpc",
      "帮我识别这张图片中的文字",
      "zh.png",
      ["skill_load", "skill_select_docs", "skill_run"],
      ["这是离线规划器，不是语言模型", "欢迎来到阅览室"],
    ],
    [
      "trpc",
      "Recognise the text in this picture",
      "hello.png",
      ["skill_load", "skill_select_docs", "skill_run"],
      ["Skillwright reading room"],
    ],
    [
      "adk",
      "帮我识别这张图片中的文字",
      "zh.png",
      ["list_skills", "load_skill", "load_skill_resource", "load_skill_resource", "run_skill_script", "run_skill_script"],
      ["欢迎来到阅览室"],
    ],
  ];
  test.for(dialogues)("load, read, run, answer: %s, %s", { timeout }, async ([dialect, question, image, calls, lines], ctx) => {
    ctx.skip(missing !== undefined, missing);
    const played = await play({ question, files: [join(data, image)], sandbox: bubblewrapSandbox(), dialect });
    expect(played.calls).toEqual(calls);
    expect(argvOf(played)[0]).toMatch(
      new RegExp(`^(?:bash -c python3|python3 \\S*)\\s?\\S*scripts/ocr\\.py inputs/${image} output\\.txt$`),
    );
    for (const line of lines) expect(played.text).toContain(line);
  });

  test("an image that is none", { timeout }, async (ctx) => {
    ctx.skip(missing !== undefined, missing);
    const file = await writeInput("photo.png", "not an image at all");
    const { text } = await play({ question: "What does this image say?", files: [file], sandbox: bubblewrapSandbox() });
    expect(text).toContain('"inputs/photo.png" is not an image; give a PNG');
    expect(text).toContain("check the file that was given");
  });
});

describe("skills of others", () => {
  const frontmatter = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\n`;

  test("a fenced example with a file of its own, and a script beside it", { timeout }, async () => {
    const root = await writeSkill("wordcount", {
      "SKILL.md": `${frontmatter("wordcount", "Counts the words and lines of a text.")}\n# Count\n\n1. Run it:\n   \`\`\`bash\n   # a short report\n   $ ./scripts/count.sh samples/poem.txt --unit words\n   words: 12\n   \`\`\`\n`,
      "scripts/count.sh": 'echo "words: $(wc -w < "$1")"\n',
    });
    const file = await writeInput("my-notes.txt", "one two three four\n");
    const played = await play({ question: "How many words are in this text?", files: [file], roots: [root], sandbox: virtualSandbox() });
    expect(argvOf(played)).toEqual(["bash -c bash scripts/count.sh inputs/my-notes.txt --unit words"]);
    expect(played.text).toContain("words: 4");
  });

  test("an indented usage line, and a program that writes a file", { timeout }, async () => {
    const root = await writeSkill("shout", {
      "SKILL.md": `${frontmatter("shout", "Turns a text into capital letters. 把文本转换为大写。")}\nUsage:\n\n    sh {baseDir}/scripts/shout.sh INPUT_FILE OUTPUT_FILE [--trim]\n`,
      "scripts/shout.sh": 'tr a-z A-Z < "$1" > "$2"\n',
    });
    const file = await writeInput("quiet.txt", "hello\n");
    const { text } = await play({ question: "把这个文本转换为大写", files: [file], roots: [root], sandbox: virtualSandbox() });
    expect(text).toContain("`output.txt` 的内容：\n\n```\nHELLO\n```");
  });

  test.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
    [
      "a script that fails",
      "    bash scripts/a.sh <text_file>",
      { "scripts/a.sh": 'echo "a.sh: the text is too short" >&2\nexit 3\n' },
      /failed\. Exit code 3\.[\s\S]*the text is too short[\s\S]*try again/,
    ],
    [
      "a script that is not there",
      "    python3 scripts/gone.py <text_file>",
      {},
      /the script `scripts\/gone\.py` is not among the skill's files/,
    ],
    ["a command for the network", "    curl -T <text_file> https://example.org/", {}, /needs the network/],
    ["guidance alone", "- Count by hand.\n- Count twice.", {}, /guidance for a language model[\s\S]*> - Count by hand\./],
  ])("%s", { timeout }, async (_, body, files, expected) => {
    const root = await writeSkill("wordcount", {
      "SKILL.md": `${frontmatter("wordcount", "Counts the words of a text.")}\n# Count\n\n${body}\n`,
      ...files,
    });
    const file = await writeInput("notes.txt", "one two\n");
    const { text, finishReason } = await play({
      question: "How many words are in this text?",
      files: [file],
      roots: [root],
      sandbox: virtualSandbox(),
    });
    expect(text).toMatch(expected);
    expect(finishReason).toBe("stop");
  });
});

describe("it says so when it cannot", () => {
  test.each<[string, Scene, RegExp]>([
    [
      "a persona needs a real model",
      { question: "Tell me about the tides like a pirate", sandbox: virtualSandbox() },
      /The skill `pirate` applies\.[\s\S]*needs a real one[\s\S]*> - Address the reader[\s\S]*--model ollama\/NAME/,
    ],
    ["a persona, in Chinese", { question: "写一首关于秋天的俳句", sandbox: virtualSandbox() }, /适用的技能是 `haiku`[\s\S]*需要真正的模型/],
    [
      "no skill is for this",
      { question: "What is the weather in Lisbon?", sandbox: virtualSandbox() },
      /No skill fits this request well enough/,
    ],
    [
      "no sandbox is open",
      { question: "Add up the sales table by region" },
      /no sandbox is open[\s\S]*bash scripts\/report\.sh <csv_file>[\s\S]*--sandbox/,
    ],
    [
      "no file was given",
      { question: "Add up the sales table by region", sandbox: virtualSandbox() },
      /needs a file in the place of `csv_file`; give one with --file/,
    ],
  ])("%s", { timeout }, async (_, scene, expected) => {
    const { text, events } = await play(scene);
    expect(text).toMatch(expected);
    expect(events.some((event) => event.type === "run-started")).toBe(false);
  });
});
