import type { JsonObject } from "../core/index.ts";
import type { CatalogStyle } from "./catalog-style.ts";
import type { Dialect, DialectWords, Locale, Presentation, StandingSkill, ToolSpec, WordingContext } from "./dialect.ts";
import { noticePhrase } from "./notices.ts";
import type { LoadedDocument, LoadedOutcome, Outcome, ProcessOutcome, RunOutcome } from "./outcome.ts";
import { faultPhrase } from "./phrases.ts";
import { trimBlankLines } from "./skill-content.ts";
import { trpcWords } from "./trpc-words.ts";

const text = { type: "string" };
const texts = { type: "array", items: { type: "string" } };
const flag = { type: "boolean" };
const integer = { type: "integer" };
const skill = { name: "skill", to: "skill", schema: text, required: true, namesSkill: true, aliases: ["name"] } as const;
const documents = [
  { name: "docs", to: "documents", schema: texts },
  { name: "include_all_docs", to: "allDocuments", schema: flag },
] as const;
const runArguments: ToolSpec["parameters"] = [
  skill,
  { name: "command", to: "command", schema: text, required: true },
  { name: "cwd", to: "cwd", schema: text },
  { name: "env", to: "env", schema: { type: "object", additionalProperties: { type: "string" } } },
  { name: "stdin", to: "stdin", schema: text },
  { name: "editor_text", to: "editorText", schema: text },
  { name: "output_files", to: "outputs", schema: texts },
  { name: "timeout", to: "timeoutMs", schema: integer, unit: "seconds", aliases: ["timeout_sec"] },
  { name: "save_as_artifacts", to: "saveArtifacts", schema: flag },
  { name: "omit_inline_content", to: "omitContent", schema: flag },
  { name: "artifact_prefix", to: "artifactPrefix", schema: text },
  { name: "inputs", to: "inputs", schema: { type: "array", items: { type: "object" } } },
  { name: "outputs", to: "outputSpec", schema: { type: "object" } },
];
const processArguments: ToolSpec["parameters"] = [
  { name: "session_id", to: "process", schema: text, required: true },
  { name: "yield_ms", to: "yieldMs", schema: integer },
  { name: "poll_lines", to: "lines", schema: integer },
];

const catalog: CatalogStyle = {
  open: "Available skills:",
  close: "",
  entry: (name, description) => (description === "" ? `- ${name}` : `- ${name}: ${description}`),
  more: (omitted) => `(${omitted} more)`,
  escape: "line",
};

function loaded(outcome: LoadedOutcome, locale: Locale): string {
  const words = trpcWords[locale];
  const head = `loaded: ${outcome.name}`;
  if (outcome.placement === "instructions") return head;
  const chosen = outcome.documents.map((document) => document.path).join(", ");
  const files = outcome.files.map((file) => file.path).join(", ");
  return [
    head,
    `[Loaded] ${outcome.name}\n${trimBlankLines(outcome.body)}`,
    `Docs loaded: ${chosen === "" ? "none" : chosen}`,
    ...docs(outcome.documents),
    ...(files === "" ? [] : [`${words.files} ${files}`]),
    ...outcome.notices.map(noticePhrase(locale)),
    ...(outcome.released.length === 0 ? [] : [`${words.released} ${outcome.released.join(", ")}`]),
  ].join("\n\n");
}

function docs(documents: readonly LoadedDocument[] = []): string[] {
  return documents.map((document) => `[Doc] ${document.path}\n${trimBlankLines(document.text)}`);
}

function standing({ name, body, documents: chosen }: StandingSkill): string {
  const paths = chosen.map((document) => document.path).join(", ");
  return [`[Loaded] ${name}\n${trimBlankLines(body)}`, `Docs loaded: ${paths === "" ? "none" : paths}`, ...docs(chosen)].join("\n\n");
}

function ran(outcome: RunOutcome): JsonObject {
  const files = outcome.outputs.map(({ path, bytes, mediaType, text: content }) => ({
    name: path,
    mime_type: mediaType,
    size_bytes: bytes,
    ref: `workspace://${path}`,
    ...(content === undefined ? {} : { content }),
  }));
  const primary = files.find((file) => "content" in file && String(file.content).trim() !== "");
  return {
    stdout: outcome.stdout,
    stderr: outcome.stderr,
    exit_code: outcome.exitCode,
    timed_out: outcome.reason === "timeout",
    duration_ms: Math.round(outcome.durationMs),
    ...(outcome.reason === "exited" || outcome.reason === "timeout" ? {} : { ended: outcome.reason }),
    output_files: files,
    ...(primary === undefined ? {} : { primary_output: primary }),
    ...(outcome.artifacts.length === 0 ? {} : { artifact_files: outcome.artifacts.map(({ name, version }) => ({ name, version })) }),
    ...(outcome.warnings.length === 0 ? {} : { warnings: [...outcome.warnings] }),
  };
}

function processed(outcome: ProcessOutcome): JsonObject {
  return {
    status: outcome.status,
    session_id: outcome.sessionId,
    output: outcome.output,
    offset: outcome.offset,
    next_offset: outcome.nextOffset,
    ...(outcome.exitCode === undefined ? {} : { exit_code: outcome.exitCode }),
    ...(outcome.interaction === undefined
      ? {}
      : { interaction: { needs_input: true, kind: outcome.interaction.kind, hint: outcome.interaction.hint } }),
    ...(outcome.run === undefined ? {} : { result: ran(outcome.run) }),
  };
}

function json(data: JsonObject): Presentation {
  return { text: JSON.stringify(data), data };
}

function present(outcome: Outcome, context: WordingContext, locale: Locale): Presentation {
  const words = trpcWords[locale];
  switch (outcome.kind) {
    case "loaded":
      return { text: loaded(outcome, locale) };
    case "already-loaded":
      return { text: [`loaded: ${outcome.name}\n${words.alreadyLoaded}`, ...docs(outcome.documents)].join("\n\n") };
    case "documents":
      return { text: JSON.stringify(outcome.documents), data: { documents: [...outcome.documents] } };
    case "documents-selected": {
      const { text: selection, data } = json({
        skill: outcome.skill,
        selected_docs: [...outcome.documents],
        include_all_docs: outcome.all,
        mode: outcome.mode,
      });
      return { text: [selection, ...docs(outcome.added)].join("\n\n"), ...(data === undefined ? {} : { data }) };
    }
    case "ran":
      return json(ran(outcome));
    case "process":
      return outcome.status === "killed" ? json({ ok: true, session_id: outcome.sessionId, status: "killed" }) : json(processed(outcome));
    case "skills":
      return {
        text:
          outcome.query === undefined && context.catalog !== ""
            ? context.catalog
            : outcome.skills.map((line) => `- ${line.name}: ${line.description}`).join("\n"),
      };
    case "resource":
      return outcome.text === undefined
        ? json({ skill: outcome.skill, path: outcome.path, mime_type: outcome.mediaType, size_bytes: outcome.size })
        : { text: outcome.text };
    case "unloaded":
      return json({ skill: outcome.name, unloaded: true, active: [...outcome.active] });
    case "forked":
      return { text: outcome.results.join("\n") };
    case "pending":
      return json({ status: "pending", summary: outcome.approval.summary });
    case "fault": {
      const { code, subject } = outcome.fault;
      const prefix =
        code === "skill-not-found"
          ? `unknown skill: ${subject}. `
          : code === "process-unknown"
            ? `unknown session_id: ${subject}. `
            : code === "arguments-invalid"
              ? "invalid args: "
              : "";
      return { text: `${prefix}${faultPhrase(locale)(outcome.fault)}` };
    }
  }
}

function wordsIn(locale: Locale): DialectWords {
  const words = trpcWords[locale];
  return {
    instructions: words.instructions,
    tools: words.tools,
    present: (outcome, context) => present(outcome, context, locale),
    standing,
  };
}

/** trpc-agent-go's skills: eight tools, documents, runs and interactive sessions. */
export const trpc: Dialect = {
  id: "trpc",
  reading: { requireDescription: false, requireFrontmatter: false },
  catalog: { place: "instructions", style: catalog },
  tools: [
    { operation: "load", name: "skill_load", parameters: [skill, ...documents] },
    { operation: "list-documents", name: "skill_list_docs", parameters: [skill] },
    {
      operation: "select-documents",
      name: "skill_select_docs",
      parameters: [skill, ...documents, { name: "mode", to: "mode", schema: { type: "string", enum: ["add", "replace", "clear"] } }],
    },
    { operation: "run-command", name: "skill_run", needs: ["sandbox"], parameters: runArguments },
    {
      operation: "start",
      name: "skill_exec",
      needs: ["interactive"],
      parameters: [
        ...runArguments,
        { name: "tty", to: "terminal", schema: flag, aliases: ["pty"] },
        { name: "yield_ms", to: "yieldMs", schema: integer },
        { name: "poll_lines", to: "lines", schema: integer },
      ],
    },
    {
      operation: "write",
      name: "skill_write_stdin",
      needs: ["interactive"],
      parameters: [...processArguments, { name: "chars", to: "text", schema: text }, { name: "submit", to: "submit", schema: flag }],
    },
    { operation: "poll", name: "skill_poll_session", needs: ["interactive"], parameters: processArguments },
    { operation: "kill", name: "skill_kill_session", needs: ["interactive"], parameters: processArguments.slice(0, 1) },
    {
      operation: "search",
      name: "skill_search",
      needs: ["large-catalog"],
      parameters: [{ name: "query", to: "query", schema: text, required: true }],
    },
  ],
  words: { en: wordsIn("en"), zh: wordsIn("zh") },
};
