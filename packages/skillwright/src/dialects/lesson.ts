import { agentskills } from "./agentskills.ts";
import { presentEnglish } from "./agentskills-en.ts";
import { presentChinese } from "./agentskills-zh.ts";
import type { CatalogStyle } from "./catalog-style.ts";
import type { Dialect, DialectWords, Locale } from "./dialect.ts";
import { noticePhrase } from "./notices.ts";
import type { Fault } from "./outcome.ts";
import { faultPhrase } from "./phrases.ts";
import { trimBlankLines } from "./skill-content.ts";

const catalog: CatalogStyle = {
  open: "",
  close: "",
  entry: (name, description) => (description === "" ? `  - ${name}` : `  - ${name}: ${description}`),
  more: (omitted) => `  (${omitted} more: find them with search_skills)`,
  escape: "line",
};

const words = {
  en: {
    header: "Skills available:",
    use: (tool: string) => `Use ${tool} to read one before you work on what it covers.`,
    load: "Load the full text of a skill by its name.",
    name: "The skill's name.",
  },
  zh: {
    header: "可用技能：",
    use: (tool: string) => `处理技能所涵盖的内容之前，先用 ${tool} 读取它。`,
    load: "按名称加载技能的完整文本。",
    name: "技能名称。",
  },
} as const;

function notFound(fault: Fault, locale: Locale): string {
  const names = [...(fault.available ?? fault.nearest ?? [])].join(", ");
  return locale === "zh"
    ? `未找到技能：${fault.subject}。可用：${names || "无"}`
    : `Skill not found: ${fault.subject}. Available: ${names || "none"}`;
}

function wordsIn(locale: Locale): DialectWords {
  const own = words[locale];
  const home = agentskills.words[locale];
  const rest = locale === "zh" ? presentChinese : presentEnglish;
  const fault = faultPhrase(locale);
  const notice = noticePhrase(locale);
  return {
    instructions: ({ catalog: list, toolName }) => {
      const tool = toolName("load");
      return [own.header, list.trim() === "" ? "" : list.replace(/^\n+|\n+$/g, ""), ...(tool === undefined ? [] : [own.use(tool)])]
        .filter((part) => part !== "")
        .join("\n");
    },
    tools: { ...home.tools, load: { description: () => own.load, parameters: { name: own.name } } },
    present: (outcome, context) => {
      if (outcome.kind === "loaded" && outcome.placement === "tool-result") {
        return { text: [trimBlankLines(outcome.text), ...outcome.notices.map(notice)].join("\n\n") };
      }
      if (outcome.kind === "fault")
        return { text: outcome.fault.code === "skill-not-found" ? notFound(outcome.fault, locale) : fault(outcome.fault) };
      return { text: rest(outcome, context) };
    },
  };
}

/** The skill-loading lesson: a list in the system prompt, `load_skill` answers the whole file. */
export const lesson: Dialect = {
  id: "lesson",
  reading: { requireDescription: false, requireFrontmatter: false },
  catalog: { place: "instructions", style: catalog },
  tools: [
    {
      operation: "load",
      name: "load_skill",
      parameters: [{ name: "name", to: "skill", schema: { type: "string" }, required: true, aliases: ["skill"] }],
    },
    ...agentskills.tools.filter((tool) => tool.needs !== undefined),
  ],
  words: { en: wordsIn("en"), zh: wordsIn("zh") },
};
