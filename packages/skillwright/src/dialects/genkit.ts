import { agentskills } from "./agentskills.ts";
import { presentEnglish } from "./agentskills-en.ts";
import { presentChinese } from "./agentskills-zh.ts";
import type { CatalogStyle } from "./catalog-style.ts";
import type { Dialect, DialectWords, Locale } from "./dialect.ts";
import { noticePhrase } from "./notices.ts";
import type { Fault, LoadedOutcome, Outcome } from "./outcome.ts";
import { faultPhrase, sizeOf } from "./phrases.ts";
import { attribute, contained } from "./skill-content.ts";

const text = { type: "string" };

const catalog: CatalogStyle = {
  open: "<skills>",
  close: "</skills>",
  entry: (name, description) => (description === "" ? ` - ${name}` : ` - ${name} - ${description}`),
  more: (omitted) => ` (${omitted} more: find them with search_skills)`,
  escape: "line",
};

interface Words {
  readonly intro: string;
  readonly call: (tool: string) => string;
  readonly header: string;
  readonly relative: string;
  readonly tools: {
    readonly load: string;
    readonly loadName: string;
    readonly read: string;
    readonly readName: string;
    readonly readPath: string;
  };
}

const english: Words = {
  intro:
    "A library of skills is at hand: instructions and personas for special tasks. Prefer a fitting skill over your own way of doing things. Load each skill once; it stays in the conversation.",
  call: (tool) => `Call the ${tool} tool with a skill's name to load it.`,
  header: "These skills are available:",
  relative: "Relative paths in this skill start at its folder.",
  tools: {
    load: "Use a skill by its name.",
    loadName: "The name of the skill to use.",
    read: "Read one file of a skill.",
    readName: "The name of the skill.",
    readPath: "The file's path, relative to the skill's folder.",
  },
};

const chinese: Words = {
  intro: "这里有一个技能库：针对特定任务的说明与角色设定。有合适的技能时请优先使用。每个技能只需加载一次，之后一直留在对话中。",
  call: (tool) => `调用 ${tool} 工具并给出技能名称即可加载。`,
  header: "可用的技能：",
  relative: "本技能中的相对路径以其文件夹为起点。",
  tools: {
    load: "按名称使用技能。",
    loadName: "要使用的技能名称。",
    read: "读取技能中的一个文件。",
    readName: "技能名称。",
    readPath: "文件路径，相对于技能文件夹。",
  },
};

function unknownSkill(fault: Fault): string {
  const names = [...(fault.available ?? fault.nearest ?? [])].sort();
  const known = names.length === 0 ? "No skills available." : `Available skills: ${names.map((name) => JSON.stringify(name)).join(", ")}.`;
  return `Unknown skill ${JSON.stringify(fault.subject)}. ${known}`;
}

function loaded(outcome: LoadedOutcome, words: Words, locale: Locale): string {
  const content = contained(outcome.text, "skill_content");
  const files = outcome.files.slice(0, 100).map((file) => ` - ${attribute(file.path)} (${sizeOf(file.bytes)})`);
  const rest = outcome.files.length - files.length;
  const resources = files.length === 0 ? [] : ["<skill_resources>", ...files, ...(rest > 0 ? [` - … ${rest}`] : []), "</skill_resources>"];
  return [
    `<skill_content name="${attribute(outcome.name)}" path="${attribute(outcome.dir)}" digest="${outcome.digest}">`,
    content,
    words.relative,
    ...resources,
    "</skill_content>",
    ...outcome.notices.map(noticePhrase(locale)),
  ].join("\n");
}

function wordsIn(locale: Locale): DialectWords {
  const words = locale === "zh" ? chinese : english;
  const home = agentskills.words[locale];
  const rest = locale === "zh" ? presentChinese : presentEnglish;
  const fault = faultPhrase(locale);
  return {
    instructions: ({ catalog: list, toolName }) => {
      if (list === "") return "";
      const tool = toolName("load");
      const lines = [words.intro, ...(tool === undefined ? [] : [words.call(tool)]), words.header];
      return list.replace(catalog.open, () => `${catalog.open}\n${lines.join("\n")}`);
    },
    tools: {
      ...home.tools,
      load: { description: () => words.tools.load, parameters: { skillName: words.tools.loadName } },
      read: { description: () => words.tools.read, parameters: { skillName: words.tools.readName, filePath: words.tools.readPath } },
    },
    present: (outcome: Outcome, context) => {
      if (outcome.kind === "loaded" && outcome.placement === "tool-result") return { text: loaded(outcome, words, locale) };
      if (outcome.kind === "fault")
        return { text: outcome.fault.code === "skill-not-found" ? unknownSkill(outcome.fault) : fault(outcome.fault) };
      return { text: rest(outcome, context) };
    },
  };
}

/** Genkit's skills middleware: one block in the system message, `use_skill`, the folder's name is the id. */
export const genkit: Dialect = {
  id: "genkit",
  reading: { nameFrom: "folder", requireDescription: false, requireFrontmatter: false },
  catalog: { place: "instructions", style: catalog },
  tools: [
    {
      operation: "load",
      name: "use_skill",
      parameters: [{ name: "skillName", to: "skill", schema: text, required: true, aliases: ["skill_name", "name"] }],
    },
    {
      operation: "read",
      name: "read_skill_file",
      parameters: [
        { name: "skillName", to: "skill", schema: text, required: true, aliases: ["skill_name", "name"] },
        { name: "filePath", to: "path", schema: text, required: true, aliases: ["file_path", "path"] },
      ],
    },
    ...agentskills.tools.filter((tool) => tool.needs !== undefined),
  ],
  words: { en: wordsIn("en"), zh: wordsIn("zh") },
};
