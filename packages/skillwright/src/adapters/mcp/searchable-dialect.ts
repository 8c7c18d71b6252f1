import { type Dialect, type DialectWords, dialects, type Locale } from "../../dialects/index.ts";

const descriptions: Readonly<Record<Locale, string>> = {
  en: "Find skills by what they are for. Call it first where you were not shown a list of skills.",
  zh: "按用途查找技能。如果没有看到技能列表，请先调用它。",
};

/**
 * The default dialect with its search offered always: many clients show a model the tools alone, and never the instructions
 * in which the catalogue stands.
 */
export function searchableDialect(): Dialect | undefined {
  const dialect = dialects.get("agentskills");
  if (dialect === undefined) return undefined;
  return {
    ...dialect,
    tools: dialect.tools.map((tool) => (tool.operation === "search" ? { ...tool, needs: [] } : tool)),
    words: { en: withSearch(dialect.words.en, "en"), zh: withSearch(dialect.words.zh, "zh") },
  };
}

function withSearch(words: DialectWords, locale: Locale): DialectWords {
  return {
    ...words,
    // Where skills are left out of the catalogue, the catalogue itself says how to find them.
    instructions: (context) =>
      words.instructions({ ...context, toolName: (operation) => (operation === "search" ? undefined : context.toolName(operation)) }),
    tools: { ...words.tools, search: { parameters: {}, ...words.tools.search, description: () => descriptions[locale] } },
  };
}
