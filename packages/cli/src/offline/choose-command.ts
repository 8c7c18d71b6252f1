import { type BoundCommand, bindCommand, type Obstacle } from "./bind-command.ts";
import type { DocumentedCommand } from "./extract-commands.ts";
import type { BindContext } from "./fill-template.ts";
import { dropPadding, translateKeywords } from "./language.ts";
import { isScriptPath } from "./script-path.ts";
import { searchTexts } from "./search-texts.ts";

/** The commands of a skill that can be run for a question, best first, and why the others cannot. */
export interface CommandChoice {
  readonly usable: readonly BoundCommand[];
  readonly obstacles: readonly Obstacle[];
}

/** Scripts that prepare or check an installation; they are not what a question is about unless it says so. */
const preparation = /(?:^|\/)(?:setup|install|init|download|check|test|update|bootstrap|configure|validate_env|requirements)[\w-]*\.\w+$/i;

/** Programs that work on a project rather than on a file that somebody hands in. */
const developerPrograms =
  /^(?:git|grep|rg|find|cat|head|tail|diff|tree|bun|deno|make|cmake|gradle|mvn|dotnet|pytest|poetry|tox|tsc|eslint|prettier|ruff|mypy|black|jest|vitest|terraform|helm|npm|psql|mysql|pgbench|rails|php|java|python3? -m (?:json\.tool|py_compile|http\.server|pytest|unittest))(?:\s|$)(?!.*\|\s*(?:python3?|bash|node|awk|jq)\s)/;

/**
 * Binds every documented command and sorts out which serve the question: those that start a script of the skill, or read the person's files.
 * A command that ignores the files that were given serves nobody.
 */
export function chooseCommand(commands: readonly DocumentedCommand[], context: BindContext): CommandChoice {
  const relevance = rateRelevance(commands, context.question);
  const usable: { readonly command: BoundCommand; readonly score: number }[] = [];
  const obstacles: Obstacle[] = [];
  commands.forEach((documented, order) => {
    const bound = bindCommand(documented, context);
    if ("kind" in bound) {
      if (isTelling(bound)) obstacles.push(bound);
      return;
    }
    const fits = relevance.get(order) ?? 0;
    const obstacle = unusable(bound, context, fits, commands.length);
    if (obstacle === undefined) usable.push({ command: bound, score: scoreOf(bound, context, fits, order) });
    else obstacles.push(obstacle);
  });
  usable.sort((a, b) => b.score - a.score);
  return { usable: usable.map(({ command }) => command), obstacles };
}

/** Whether a reason is worth giving: it is about a command that could have served, not about one for a developer's own project. */
function isTelling({ kind, source }: Obstacle): boolean {
  if (kind === "not-for-this") return false;
  if (kind === "unreadable") return /\bscripts\/[\w-]+\.\w+/.test(source.line);
  return kind === "script" || !developerPrograms.test(source.line);
}

function unusable(bound: BoundCommand, context: BindContext, fits: number, count: number): Obstacle | undefined {
  const { source } = bound;
  if (bound.network) return { kind: "network", name: bound.line, source };
  if (context.files.length > 0 && bound.used.length === 0) return { kind: "not-for-this", name: bound.line, source };
  if (bound.script === undefined && (!bound.exactKind || developerPrograms.test(bound.line)))
    return { kind: "not-for-this", name: bound.line, source };
  if (bound.wholeFolder && fits < 0.25) return { kind: "not-for-this", name: bound.line, source };
  const isAskedFor = bound.used.length > 0 || bound.usesQuestion || fits > 0 || count === 1;
  return isAskedFor ? undefined : { kind: "not-for-this", name: bound.line, source };
}

function scoreOf(bound: BoundCommand, context: BindContext, fits: number, order: number): number {
  let score = bound.script === undefined ? 0 : 8;
  score += 4 * Math.min(bound.used.length, 3) - 3 * (context.files.length - bound.used.length);
  if (bound.exactKind) score += 2;
  if (bound.source.document === "SKILL.md") score += 1.5;
  if (bound.script !== undefined && preparation.test(bound.script) && fits < 0.5) score -= 4;
  if (bound.source.form === "inline") score -= 0.5;
  return score + 4 * fits - bound.compromises - 0.02 * order;
}

/** How well each command's words and what its author says about it match the question, from 0 to 1, by order. */
function rateRelevance(commands: readonly DocumentedCommand[], question: string): ReadonlyMap<number, number> {
  const texts = commands.map(({ line, about }, order) => ({ id: String(order), name: taskOf(line), description: about }));
  const matches = searchTexts(texts, `${dropPadding(question)} ${translateKeywords(question)}`, texts.length);
  const best = Math.max(...matches.map((match) => match.score), 2);
  return new Map(matches.map((match) => [Number(match.id), match.score / best]));
}

/** The part of a line that says what it does: programs, scripts and subcommands, without options and file names. */
function taskOf(line: string): string {
  return line
    .replace(/\s-{1,2}[\w-]+(?:[= ](?!-)\S+)?/g, " ")
    .split(/\s+/)
    .filter((word, at) => at === 0 || isScriptPath(word) || /^[a-z][\w-]*$/.test(word))
    .join(" ");
}
