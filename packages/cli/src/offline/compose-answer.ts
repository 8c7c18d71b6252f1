import type { BoundCommand, Obstacle } from "./bind-command.ts";
import { type Language, translateKeywords } from "./language.ts";
import type { RunText } from "./read-run.ts";
import type { SkillText } from "./read-skill.ts";
import { searchTexts } from "./search-texts.ts";
import { type FailureReason, wordsIn } from "./wording.ts";

const maxOutputCharacters = 20_000;
const maxBriefLines = 12;

/** What an answer is about. */
export interface AnswerContext {
  readonly language: Language;
  readonly question: string;
  readonly skill: string;
  /** The words by which the skill was found. */
  readonly why: string;
}

/** The answer to a run that ended well: the lines nearest to the question, what was printed, and what the output files hold. */
export function composeReport(
  context: AnswerContext,
  line: string,
  run: RunText,
  command: BoundCommand | undefined,
  contents: ReadonlyMap<string, string>,
): string {
  const words = wordsIn(context.language);
  const parts: string[] = [];
  for (const [path, text] of contents) parts.push(`${words.contentOf(path)}\n\n${block(text.trim() === "" ? "" : text, words.shortened)}`);
  const closest = contents.size === 0 ? closestLines(run.stdout, context.question) : [];
  if (closest.length > 0) parts.push(`${words.closest}\n\n${closest.map((text) => `- ${text}`).join("\n")}`);
  if (run.stdout.trim() !== "") parts.push(`${words.output}\n\n${block(run.stdout, words.shortened)}`);
  if (run.stdout.trim() === "" && contents.size === 0)
    parts.push(run.stderr.trim() === "" ? words.noOutput : `${words.output}\n\n${block(run.stderr, words.shortened)}`);
  const files = [...new Set([...run.files.map((file) => file.path), ...(run.files.length === 0 ? (command?.outputs ?? []) : [])])];
  const facts = [
    words.chosen(context.skill, firstWords(context)),
    words.ran(line),
    ...(files.length === 0 ? [] : [words.files(files.map((path) => `\`${path}\``).join(", "))]),
  ];
  return [words.disclaimer, ...parts, facts.join("\n")].join("\n\n");
}

/** The answer to a run that failed: its message, and what to do. */
export function composeFailure(context: AnswerContext, line: string, run: RunText): string {
  const words = wordsIn(context.language);
  const printed = [run.stdout, run.stderr]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n");
  return [
    words.disclaimer,
    words.failed(line, run.ended),
    ...(printed === "" ? [] : [block(printed, words.shortened)]),
    words.nextStep(reasonOf(run)),
    words.chosen(context.skill, firstWords(context)),
  ].join("\n\n");
}

/** The answer when a skill holds guidance alone: which one, and its first rules, without acting as if it had been followed. */
export function composeGuidance(context: AnswerContext, skill: SkillText): string {
  const words = wordsIn(context.language);
  const brief = briefOf(skill.body);
  return [
    words.disclaimer,
    words.guidanceOnly(skill.name),
    ...(brief.length === 0 ? [] : [`${words.inBrief}\n\n${brief.map((text) => `> ${text}`).join("\n")}`]),
    words.realModel,
  ].join("\n\n");
}

/** The answer when commands are documented but none can be filled: one line for each reason. */
export function composeRefusal(context: AnswerContext, obstacles: readonly Obstacle[]): string {
  const words = wordsIn(context.language);
  const order: readonly Obstacle["kind"][] = ["file", "script", "value", "network", "unreadable", "not-for-this"];
  const firstOfKind = order.flatMap((kind) => obstacles.find((obstacle) => obstacle.kind === kind) ?? []).slice(0, 3);
  const reasons = firstOfKind.map((obstacle) => `- ${words.obstacle({ ...obstacle, name: shorten(obstacle.name, 80) })}`);
  const modelHelps = firstOfKind.some(({ kind }) => kind === "value" || kind === "unreadable");
  return [words.disclaimer, `${words.unusable(context.skill)}\n\n${reasons.join("\n")}`, ...(modelHelps ? [words.realModel] : [])].join(
    "\n\n",
  );
}

/** A text in a fence that it cannot close. */
function block(text: string, shortened: (characters: number) => string): string {
  const trimmed = text.replace(/\s+$/, "").replace(/^\s*\n/, "");
  const shown = trimmed.slice(0, maxOutputCharacters);
  const longest = Math.max(2, ...[...shown.matchAll(/`{3,}/g)].map((match) => match[0].length));
  const fence = "`".repeat(longest + 1);
  const rest = trimmed.length - shown.length;
  return `${fence}\n${shown}\n${fence}${rest > 0 ? `\n${shortened(rest)}` : ""}`;
}

const asksForFact = /\b(?:which|what|who|when|where|how (?:many|much))\b|哪|多少|什么|几/i;
const superlatives = /\b(?:most|best|highest|largest|biggest|top|max\w*)\b|最[高多大好]/i;

/** The facts (`name: value`) of a long output that share most words with the question; a short one is read as a whole. */
function closestLines(output: string, question: string): string[] {
  const lines = output.split("\n").map((line) => line.trim().replace(/\s+/g, " "));
  if (lines.filter((line) => line !== "").length < 8 || !asksForFact.test(question)) return [];
  const facts = lines.filter((line) => /^[\p{L}\p{N}][^:：]{1,60}[:：]\s*\S/u.test(line) && line.length < 200 && /\d/.test(line));
  const texts = facts.map((line, at) => ({ id: String(at).padStart(6, "0"), name: line.split(/[:：]/, 1)[0] ?? "", description: line }));
  const asked = `${question} ${translateKeywords(question)} ${superlatives.test(question) ? "top highest max" : ""}`;
  const found = searchTexts(texts, asked, 3).filter((match, _, all) => match.score >= 0.6 * (all[0]?.score ?? 0));
  return [...new Set(found.map((match) => facts[Number(match.id)] ?? ""))];
}

/** A few of the words by which the skill was found, those that the question itself holds where there are any. */
function firstWords({ why, question }: AnswerContext): string {
  const words = [...new Set([...why.matchAll(/(\S+) \([^)]*\)/g)].map((match) => match[1] ?? ""))];
  const asked = words.filter((word) => question.toLowerCase().includes(word));
  return (asked.length > 0 ? asked : words).slice(0, 4).join(", ");
}

/** The first rules of a body: its list items and plain sentences, without headings, tables, code and examples. */
function briefOf(body: string): string[] {
  const lines: string[] = [];
  let fenced = false;
  for (const line of body.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    else if (/^#{1,6}\s+(?:example|示例|例)/i.test(line)) break;
    else if (!fenced && line.trim() !== "" && !/^(?:#|\||---|<| {4}|\t)/.test(line)) lines.push(shorten(line.trim(), 200));
    if (lines.length >= maxBriefLines) break;
  }
  return lines;
}

function shorten(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1).trimEnd()}…`;
}

function reasonOf(run: RunText): FailureReason {
  const text = `${run.ended}\n${run.stderr}\n${run.stdout}`;
  if (/modulenotfounderror|no module named|cannot find (?:module|package)|importerror/i.test(text)) return "missing-package";
  if (run.exitCode === 127 || /command not found|: not found$|no such program|is not installed/im.test(text)) return "not-found";
  if (
    /could not resolve|network is unreachable|temporary failure in name resolution|getaddrinfo|enotfound|econnrefused|connection refused/i.test(
      text,
    )
  )
    return "network";
  if (/time ?limit|timed out|超时/i.test(run.ended)) return "time";
  if (/memory|printed too much|内存|输出过多/i.test(run.ended)) return "memory";
  return run.exitCode === 2 && /usage:/i.test(text) ? "usage" : "other";
}
