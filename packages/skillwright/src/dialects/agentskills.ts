import { agentskillsEn } from "./agentskills-en.ts";
import { agentskillsZh } from "./agentskills-zh.ts";
import type { CatalogStyle } from "./catalog-style.ts";
import type { Dialect } from "./dialect.ts";

const text = { type: "string" };
const texts = { type: "array", items: { type: "string" } };

/** One entry a line, so that a prompt cache and a diff both see single entries. */
export const agentskillsCatalog: CatalogStyle = {
  open: "<available_skills>",
  close: "</available_skills>",
  entry: (name, description) => (description === "" ? `<skill name="${name}"/>` : `<skill name="${name}">${description}</skill>`),
  more: (omitted) => `<!-- ${omitted} more: find them with search_skills -->`,
  escape: "markup",
};

/** The default: the words of agentskills.io. */
export const agentskills: Dialect = {
  id: "agentskills",
  reading: {},
  catalog: { place: "instructions", style: agentskillsCatalog },
  tools: [
    {
      operation: "load",
      name: "load_skill",
      parameters: [
        { name: "name", to: "skill", schema: text, required: true, aliases: ["skill", "skill_name"] },
        { name: "section", to: "section", schema: text, needs: "sections" },
      ],
    },
    {
      operation: "read",
      name: "read_skill_resource",
      parameters: [
        { name: "name", to: "skill", schema: text, required: true, aliases: ["skill", "skill_name"] },
        { name: "path", to: "path", schema: text, required: true, aliases: ["file_path", "file"] },
      ],
    },
    {
      operation: "run-script",
      name: "run_skill_script",
      needs: ["sandbox"],
      parameters: [
        { name: "name", to: "skill", schema: text, required: true, aliases: ["skill", "skill_name"] },
        { name: "script", to: "script", schema: text, required: true, aliases: ["path", "file_path"] },
        { name: "argv", to: "argv", schema: texts, aliases: ["args"] },
        { name: "stdin", to: "stdin", schema: text },
        { name: "timeout_ms", to: "timeoutMs", schema: { type: "integer" } },
      ],
    },
    {
      operation: "run-command",
      name: "run_command",
      needs: ["sandbox"],
      parameters: [
        { name: "command", to: "command", schema: text, required: true },
        { name: "skill", to: "skill", schema: text, aliases: ["name", "skill_name"] },
        { name: "stdin", to: "stdin", schema: text },
        { name: "timeout_ms", to: "timeoutMs", schema: { type: "integer" } },
      ],
    },
    {
      operation: "run-code",
      name: "run_code",
      needs: ["code"],
      parameters: [
        { name: "language", to: "language", schema: { type: "string", enum: ["python", "bash", "javascript"] }, required: true },
        { name: "code", to: "code", schema: text, required: true },
        { name: "stdin", to: "stdin", schema: text },
        { name: "timeout_ms", to: "timeoutMs", schema: { type: "integer" } },
      ],
    },
    {
      operation: "search",
      name: "search_skills",
      needs: ["large-catalog"],
      parameters: [{ name: "query", to: "query", schema: text, required: true }],
    },
    {
      operation: "unload",
      name: "unload_skill",
      needs: ["lifecycle"],
      parameters: [{ name: "name", to: "skill", schema: text, required: true, aliases: ["skill", "skill_name"] }],
    },
  ],
  words: { en: agentskillsEn, zh: agentskillsZh },
};
