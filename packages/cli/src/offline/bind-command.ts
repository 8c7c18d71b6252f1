import { parseTemplate, plainText, type TemplateItem } from "./command-template.ts";
import type { DocumentedCommand } from "./extract-commands.ts";
import { type BindContext, type FilledTemplate, fillTemplate } from "./fill-template.ts";

/** A command that can be run as it is. */
export interface BoundCommand extends FilledTemplate {
  readonly source: DocumentedCommand;
}

/** Why a command cannot be filled. */
export interface Obstacle {
  readonly kind: "file" | "value" | "script" | "network" | "unreadable" | "not-for-this";
  /** The placeholder, option or script in question. */
  readonly name: string;
  readonly source: DocumentedCommand;
}

const setupPrograms = new Set(
  (
    "pip pip3 pipx npm yarn pnpm apt apt-get brew cargo gem conda mamba go mkdir cd export source . chmod chown ls echo which command alias touch cp mv rm sudo " +
    "dd kill pkill shutdown reboot set unset printf pwd type exit open code vim nano man su eval exec export crontab systemctl"
  ).split(" "),
);
/** Fills a documented command with the person's files and question; answers why when it cannot be filled. */
export function bindCommand(source: DocumentedCommand, context: BindContext): BoundCommand | Obstacle {
  const items = parseTemplate(source.line);
  if (items === undefined) return { kind: "unreadable", name: source.line, source };
  const work = withoutSetup(items);
  if (work.length === 0 || isHelp(source.line)) return { kind: "not-for-this", name: source.line, source };
  const draft = fillTemplate(work, context);
  if ("fault" in draft) return { ...draft.fault, source };
  return { ...draft, source };
}

function isHelp(line: string): boolean {
  return /\s(?:--help|-h|--version|-V|--check-deps)(?:\s|$)/.test(line);
}

/** Drops leading steps such as `cd scripts &&`; nothing is left of a line that only prepares. */
function withoutSetup(items: readonly TemplateItem[]): readonly TemplateItem[] {
  let rest = items;
  for (;;) {
    const words = rest.flatMap((item) => (item.kind === "word" ? [plainText(item.parts)] : []));
    const program = words.find((word) => !/^\w+=/.test(word)) ?? "";
    const module = /^python[\d.]*$/.test(program) ? words[words.indexOf("-m") + 1] : undefined;
    const isSetup =
      setupPrograms.has(program) ||
      (words.includes("-m") && (module === "pip" || module === "venv")) ||
      /^uv (?:pip|venv|sync|add|tool) /.test(words.join(" "));
    if (!isSetup) return rest;
    const next = rest.findIndex((item) => item.kind === "operator" && (item.text === "&&" || item.text === ";"));
    if (next < 0) return [];
    rest = rest.slice(next + 1);
  }
}
