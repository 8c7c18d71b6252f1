import type { JsonObject } from "../core/index.ts";
import { adkWords } from "./adk-words.ts";
import type { CatalogStyle } from "./catalog-style.ts";
import type { Dialect, DialectWords, Locale, Presentation, WordingContext } from "./dialect.ts";
import { noticePhrase } from "./notices.ts";
import type { Fault, Outcome, RunOutcome } from "./outcome.ts";
import { faultPhrase } from "./phrases.ts";
import { trimBlankLines } from "./skill-content.ts";

const text = { type: "string" };
const skill = { name: "skill_name", to: "skill", schema: text, required: true, aliases: ["name"] } as const;
const bundled = { form: /^(?:references|assets|scripts)\//, fault: "resource-path-invalid" } as const;

const catalog: CatalogStyle = {
  open: "<available_skills>",
  close: "</available_skills>",
  entry: (name, description) => `<skill>\n<name>\n${name}\n</name>\n<description>\n${description}\n</description>\n</skill>`,
  more: (omitted) => `<!-- ${omitted} more: find them with search_skills -->`,
  escape: "markup",
};

/** The codes of the home system; a second miss in a turn is fatal where it has such a code. */
const codes: Readonly<Partial<Record<Fault["code"], string>>> = {
  "arguments-invalid": "INVALID_ARGUMENTS",
  "skill-not-found": "SKILL_NOT_FOUND",
  "skill-removed": "SKILL_NOT_FOUND",
  "skill-not-active": "SKILL_NOT_ACTIVE",
  "resource-not-found": "RESOURCE_NOT_FOUND",
  "resource-path-invalid": "INVALID_RESOURCE_PATH",
  "script-not-found": "SCRIPT_NOT_FOUND",
  "script-unsupported": "UNSUPPORTED_SCRIPT_TYPE",
  "sandbox-unavailable": "NO_CODE_EXECUTOR",
  "run-failed": "EXECUTION_ERROR",
  "registry-failed": "REGISTRY_ERROR",
  "run-denied": "CONFIRMATION_REJECTED",
};

function codeOf(fault: Fault): string {
  const code = codes[fault.code] ?? fault.code.replaceAll("-", "_").toUpperCase();
  const fatal = fault.attempt > 1 && (fault.code === "resource-not-found" || fault.code === "script-not-found");
  return fatal ? `${code}_FATAL` : code;
}

function presentFault(fault: Fault, locale: Locale): Presentation {
  const words = adkWords[locale];
  const code = codeOf(fault);
  const error =
    fault.missing !== undefined
      ? fault.missing.map(words.required).join("\n")
      : code.endsWith("_FATAL")
        ? `${faultPhrase(locale)({ ...fault, retryable: true })} ${words.fatal(fault.attempt)}`
        : faultPhrase(locale)(fault);
  return json({ error, error_code: code });
}

/** Success, a warning where a good run also wrote to stderr, an error otherwise. */
function statusOf(outcome: RunOutcome): "success" | "warning" | "error" {
  if (outcome.reason !== "exited" || outcome.exitCode !== 0) return "error";
  if (outcome.stderr === "") return "success";
  return outcome.stdout === "" ? "error" : "warning";
}

function ran(outcome: RunOutcome): JsonObject {
  const ended =
    outcome.exitCode !== 0 && outcome.exitCode !== null ? `Exit code ${outcome.exitCode}` : outcome.reason === "timeout" ? "Timed out" : "";
  const stderr = ended === "" ? outcome.stderr : outcome.stderr === "" ? ended : `${outcome.stderr.replace(/\n$/, "")}\n${ended}`;
  return {
    ...(outcome.skill === undefined ? {} : { skill_name: outcome.skill }),
    ...(outcome.script === undefined ? {} : { file_path: outcome.script }),
    stdout: outcome.stdout,
    stderr,
    status: statusOf(outcome),
    exit_code: outcome.exitCode,
    timed_out: outcome.reason === "timeout",
    ...(outcome.outputs.length === 0
      ? {}
      : { output_files: outcome.outputs.map(({ path, bytes, mediaType }) => ({ path, size_bytes: bytes, mime_type: mediaType })) }),
    ...(outcome.warnings.length === 0 ? {} : { warnings: [...outcome.warnings] }),
  };
}

function json(data: JsonObject): Presentation {
  return { text: JSON.stringify(data), data };
}

function present(outcome: Outcome, context: WordingContext, locale: Locale): Presentation {
  const words = adkWords[locale];
  switch (outcome.kind) {
    case "loaded":
      return json({
        skill_name: outcome.name,
        instructions: outcome.placement === "tool-result" ? trimBlankLines(outcome.body) : words.inPrompt,
        frontmatter: outcome.frontmatter,
        ...(outcome.files.length === 0 ? {} : { resources: outcome.files.map((file) => file.path) }),
        ...(outcome.released.length === 0 ? {} : { unloaded_skills: [...outcome.released] }),
        ...(outcome.ephemeral ? { lifecycle_notice: words.ephemeral } : {}),
        ...(outcome.notices.length === 0 ? {} : { notices: outcome.notices.map(noticePhrase(locale)) }),
      });
    case "already-loaded":
      return json({ skill_name: outcome.name, status: "already_loaded", notice: words.alreadyLoaded });
    case "skills": {
      if (outcome.query !== undefined)
        return json({ skills: outcome.skills.map((line) => line.frontmatter ?? { name: line.name, description: line.description }) });
      return { text: context.catalog === "" ? `${catalog.open}\n${catalog.close}` : context.catalog };
    }
    case "resource":
      return json(
        outcome.text === undefined
          ? {
              skill_name: outcome.skill,
              file_path: outcome.path,
              status: words.binary(outcome.mediaType, outcome.size),
              mime_type: outcome.mediaType,
              size_bytes: outcome.size,
            }
          : { skill_name: outcome.skill, file_path: outcome.path, content: outcome.text },
      );
    case "ran":
      return json(ran(outcome));
    case "unloaded":
      return json({ skill_name: outcome.name, unloaded: true, active_skills: [...outcome.active] });
    case "documents":
      return json({ skill_name: outcome.skill, documents: [...outcome.documents] });
    case "documents-selected":
      return json({ skill_name: outcome.skill, documents: [...outcome.documents], all: outcome.all, mode: outcome.mode });
    case "forked":
      return json({ skill_name: outcome.name, result: outcome.results.join("\n") });
    case "process":
      return json({
        session_id: outcome.sessionId,
        status: outcome.status,
        output: outcome.output,
        next_offset: outcome.nextOffset,
        ...(outcome.exitCode === undefined ? {} : { exit_code: outcome.exitCode }),
      });
    case "pending":
      return json({ status: "pending_confirmation", confirmation: outcome.approval.summary });
    case "fault":
      return presentFault(outcome.fault, locale);
  }
}

function wordsIn(locale: Locale): DialectWords {
  const words = adkWords[locale];
  return { instructions: words.instructions, tools: words.tools, present: (outcome, context) => present(outcome, context, locale) };
}

/** ADK's SkillToolset: strict reading, a list tool, JSON results with codes. */
export const adk: Dialect = {
  id: "adk",
  reading: { strict: true },
  catalog: { place: "list-tool", style: catalog },
  tools: [
    { operation: "list", name: "list_skills", parameters: [] },
    { operation: "load", name: "load_skill", parameters: [skill] },
    {
      operation: "read",
      name: "load_skill_resource",
      parameters: [skill, { name: "file_path", to: "path", schema: text, required: true, aliases: ["path"], pattern: bundled }],
    },
    {
      operation: "run-script",
      name: "run_skill_script",
      needs: ["sandbox"],
      parameters: [
        skill,
        { name: "file_path", to: "script", schema: text, required: true, aliases: ["script_path"] },
        { name: "args", to: "args", schema: { type: ["object", "array"] } },
        { name: "short_options", to: "shortOptions", schema: { type: "object" } },
        { name: "positional_args", to: "positional", schema: { type: "array" } },
      ],
    },
    {
      operation: "search",
      name: "search_skills",
      needs: ["registry"],
      parameters: [{ name: "query", to: "query", schema: text, required: true }],
    },
    { operation: "unload", name: "unload_skill", needs: ["lifecycle"], parameters: [skill] },
  ],
  words: { en: wordsIn("en"), zh: wordsIn("zh") },
};
