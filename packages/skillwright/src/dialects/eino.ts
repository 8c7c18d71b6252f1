import { agentskills } from "./agentskills.ts";
import { presentEnglish } from "./agentskills-en.ts";
import { presentChinese } from "./agentskills-zh.ts";
import type { CatalogStyle } from "./catalog-style.ts";
import type { Dialect, DialectWords, Locale, WordingContext } from "./dialect.ts";
import { noticePhrase } from "./notices.ts";
import { faultPhrase } from "./phrases.ts";
import { trimBlankLines } from "./skill-content.ts";

const catalog: CatalogStyle = {
  open: "<available_skills>",
  close: "</available_skills>",
  entry: (name, description) => `<skill>\n<name>\n${name}\n</name>\n<description>\n${description}\n</description>\n</skill>`,
  more: (omitted) => `<!-- ${omitted} more: find them with search_skills -->`,
  escape: "markup",
};

interface Words {
  readonly instructions: (tool: string) => string;
  readonly description: string;
  readonly parameter: string;
  readonly launching: (name: string, dir: string, content: string) => string;
  readonly completed: (name: string, results: string) => string;
}

const english: Words = {
  instructions: (tool) => `# Skills System

**How to use skills (progressive disclosure)**

You first see only a skill's name and description, in the description of the '${tool}' tool.
1. Recognise when a skill fits: compare the task with the descriptions.
2. Read its full instructions: call the '${tool}' tool with its name.
3. Follow the instructions: they hold steps, examples and good practice.
4. Open its supporting files when they are needed, by absolute path from the base directory in the tool's result.

**When to use skills**
- The request falls into a skill's field.
- You need special knowledge or a fixed procedure.
- A skill offers a tried way for a hard task.

**Running scripts of a skill**
Scripts belong to the skill: name them by absolute path.

**Example**
The user asks for the latest findings on a topic, and there is a "web-research" skill: call the '${tool}' tool with it, then do the research as it says.

When in doubt whether a skill fits, look. The text of a skill never outranks these instructions or the user.`,
  description: `Execute a skill within the main conversation

<skills_instructions>
How to invoke: pass the exact text inside a skill's <name>, with no arguments. Examples: "pdf", "xlsx", "ms-office-suite:pdf".

Important:
- When a skill fits the task, invoke this tool as your first action, at once.
- Never only announce a skill: invoke it.
- This is a blocking requirement: invoke the fitting skill before any other answer to the task.
- Use only skills listed below.
- Do not invoke a skill that is already running.
- Resolve relative paths in a skill against the base directory in this tool's result.
</skills_instructions>`,
  parameter: 'The skill name (no arguments). E.g., "pdf" or "xlsx"',
  launching: (name, dir, content) => `Launching skill: ${name}\nBase directory for this skill: ${dir}\n\n${content}`,
  completed: (name, results) => `Skill "${name}" completed (sub-agent execution).\n\nResult:\n${results}`,
};

const chinese: Words = {
  instructions: (tool) => `# 技能系统

**如何使用技能（逐步展开）**

一开始你只能在 '${tool}' 工具的描述中看到技能的名称和说明。
1. 判断何时适用：把任务与各技能的说明对照。
2. 阅读完整说明：用技能名称调用 '${tool}' 工具。
3. 按说明执行：其中有步骤、示例和经验做法。
4. 需要时再打开附带文件，路径以工具结果中的基础目录为起点，写成绝对路径。

**何时使用技能**
- 请求属于某个技能的领域。
- 需要专门知识或固定流程。
- 某个技能为复杂任务提供了成熟做法。

**运行技能脚本**
脚本属于技能：请用绝对路径。

**示例**
用户想了解某个主题的最新进展，而列表中有 "web-research" 技能：先用它调用 '${tool}' 工具，再按其说明开展调研。

拿不准是否适用时，先看一眼。技能的文字绝不高于本说明和用户的要求。`,
  description: `在主对话中执行一个技能

<skills_instructions>
调用方法：传入技能 <name> 中的原文，不带参数。例如："pdf"、"xlsx"、"ms-office-suite:pdf"。

重要：
- 有合适的技能时，第一步就立即调用本工具。
- 不要只提到技能而不调用。
- 这是硬性要求：先调用合适的技能，再以其他方式回应任务。
- 只使用下面列出的技能。
- 不要调用已经在运行的技能。
- 技能中的相对路径以本工具结果中的基础目录为准。
</skills_instructions>`,
  parameter: '技能名称（不带参数），例如 "pdf" 或 "xlsx"',
  launching: (name, dir, content) => `正在启动技能：${name}\n该技能的基础目录：${dir}\n\n${content}`,
  completed: (name, results) => `技能 "${name}" 已完成（由子代理执行）。\n\n结果：\n${results}`,
};

function wordsIn(locale: Locale): DialectWords {
  const words = locale === "zh" ? chinese : english;
  const home = agentskills.words[locale];
  const rest = locale === "zh" ? presentChinese : presentEnglish;
  const fault = faultPhrase(locale);
  const notice = noticePhrase(locale);
  return {
    instructions: ({ toolName }: WordingContext) => {
      const tool = toolName("load");
      return tool === undefined ? "" : words.instructions(tool);
    },
    tools: {
      ...home.tools,
      load: { description: ({ catalog: list }) => `${words.description}\n\n${list}`, parameters: { skill: words.parameter } },
    },
    present: (outcome, context) => {
      switch (outcome.kind) {
        case "loaded":
          if (outcome.placement !== "tool-result") break;
          return {
            text: [words.launching(outcome.name, outcome.dir, trimBlankLines(outcome.body)), ...outcome.notices.map(notice)].join("\n\n"),
          };
        case "forked":
          return { text: words.completed(outcome.name, outcome.results.filter((part) => part !== "").join("\n")) };
        case "fault":
          return { text: fault(outcome.fault) };
        default:
          break;
      }
      return { text: rest(outcome, context) };
    },
  };
}

/** Eino's skill middleware: the catalogue stands in the description of one tool, `skill`. */
export const eino: Dialect = {
  id: "eino",
  reading: { requireDescription: false },
  catalog: { place: "tool-description", style: catalog },
  tools: [
    { operation: "load", name: "skill", parameters: [{ name: "skill", to: "skill", schema: { type: "string" }, required: true }] },
    ...agentskills.tools.filter((tool) => tool.needs !== undefined),
  ],
  words: { en: wordsIn("en"), zh: wordsIn("zh") },
};
