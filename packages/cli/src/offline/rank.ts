import { wordsForFile } from "./file-kinds.ts";
import { dropPadding, translateKeywords } from "./language.ts";
import type { CatalogEntry } from "./read-catalog.ts";
import { searchTexts } from "./search-texts.ts";

/** One skill that may fit, with what speaks for it. */
export interface RankedSkill {
  readonly name: string;
  readonly score: number;
  /** The words that matched and where; "" when only the person named it. */
  readonly why: string;
  /** Whether the match is good enough to act on. */
  readonly fits: boolean;
}

/** Words that stand in most requests and most descriptions; alone they are no reason to choose a skill. */
const weakWords = new Set(
  (
    "use uses used using user users file files give given help make create write work works want need new good best way thing data text " +
    "skill skills task tasks tool tools run show tell get set add find look change question answer know think say word words " +
    "simple like one two first day time today people code project information check generate line lines list name long short"
  ).split(" "),
);

const functionWords = new Set(
  "what which does this that these those with from have were about please could would should there here your mine".split(" "),
);

/**
 * Ranks the skills of a catalogue for a question and the files given with it, best first.
 * A skill that the question calls by name (`/ocr`, "with csv-report") comes first.
 */
export function rankSkills(entries: readonly CatalogEntry[], question: string, files: readonly string[]): RankedSkill[] {
  const texts = entries.map(({ name, description }) => ({ id: name, name, description }));
  const asked = `${dropPadding(question)} ${translateKeywords(question)}`;
  const byQuestion = new Map(searchTexts(texts, asked, texts.length).map((match) => [match.id, match]));
  const fileWords = [...new Set(files.flatMap(wordsForFile))].join(" ");
  const byFiles = new Map(searchTexts(texts, fileWords, texts.length).map((match) => [match.id, match]));
  const ranked = entries.flatMap((entry): RankedSkill[] => {
    const match = byQuestion.get(entry.name);
    const kindMatch = byFiles.get(entry.name);
    const named = isNamed(entry.name, question);
    if (match === undefined && kindMatch === undefined && named === "no") return [];
    const strong = matchedWords(match?.why ?? "").filter((word) => !isWeak(word.text));
    const score = (match?.score ?? 0) + 0.5 * (kindMatch?.score ?? 0) + (named === "command" ? 1_000 : named === "phrase" ? 20 : 0);
    const why = match?.why ?? kindMatch?.why ?? "";
    return [
      { name: entry.name, score, why, fits: named !== "no" || isEvidence(entry.name, strong, asked, files, kindMatch !== undefined) },
    ];
  });
  return ranked.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

/** Whether the question calls the skill: `/name` as a command, or its name as a word. */
function isNamed(name: string, question: string): "command" | "phrase" | "no" {
  const text = question.toLowerCase();
  const key = name.toLowerCase();
  const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (new RegExp(`(?:^|\\s)/${escaped}(?![\\w-])`).test(text)) return "command";
  if (new RegExp(`(?<![\\w-])${escaped}\\s+skill|skill\\s+["'\`]?${escaped}(?![\\w-])`).test(text)) return "command";
  if (key.includes("-") && new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(text)) return "phrase";
  return "no";
}

interface MatchedWord {
  readonly text: string;
  readonly inName: boolean;
}

/** Reads `why` of the search: `sales (description), csv (name, description), 2 more`. */
function matchedWords(why: string): MatchedWord[] {
  return [...why.matchAll(/(\S+) \(([^)]*)\)/g)].map((match) => ({ text: match[1] ?? "", inName: (match[2] ?? "").includes("name") }));
}

/**
 * Whether the matches are worth acting on: half of the name's words, a word beside the right kind of file, or two words that are a fair
 * part of the question. A question of almost no content ("what does this say?") leaves the choice to the kind of file.
 */
function isEvidence(name: string, strong: readonly MatchedWord[], asked: string, files: readonly string[], kindMatches: boolean): boolean {
  const nameWords = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "").length;
  if (strong.length > 0 && strong.filter((word) => word.inName).length >= nameWords / 2) return true;
  const kindWords = new Set(files.flatMap(wordsForFile));
  const content = [...new Set(asked.toLowerCase().match(/[\p{sc=Latin}\p{N}]{4,}|\p{sc=Han}{2}/gu) ?? [])].filter((word) => !isWeak(word));
  const beyondKind = (words: readonly string[]) => words.filter((word) => !kindWords.has(word)).length;
  if (kindMatches && (beyondKind(strong.map((word) => word.text)) > 0 || beyondKind(content) <= 1)) return true;
  return strong.length >= 2 && strong.length >= 0.25 * Math.min(content.length, 16);
}

function isWeak(word: string): boolean {
  return weakWords.has(word) || functionWords.has(word) || /^\d+$/.test(word);
}
