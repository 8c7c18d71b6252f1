import { type CountTokens, escapeMarkup, escapeTags, estimateTokens, foldLine } from "../core/index.ts";
import { agentskillsCatalog, type CatalogStyle } from "../dialects/index.ts";
import { columnsOf, maxColumnsPerUnit, shorten } from "./shorten.ts";
import type { RenderedCatalog, RenderOptions, Skill } from "./skill-catalog.ts";

/** Options of {@link renderCatalog}. */
export interface RenderCatalogOptions extends RenderOptions {
  /** Measures the text; the budget holds by this measure. @default estimateTokens */
  readonly countTokens?: CountTokens;
}

/**
 * The common lengths to which descriptions are cut, in columns; 0 lists names alone. Three steps an octave: coarse enough that one more
 * skill seldom moves the level, and with it every cut line; fine enough that a level leaves little of the budget unused.
 */
const levels: readonly number[] = [
  Number.POSITIVE_INFINITY,
  ...[1024, 832, 640, 512, 416, 320, 256, 208, 160, 128, 104, 80, 64, 52, 40, 32, 26, 20, 16],
  0,
];

/** A longer name is left out of the text: one entry must not push out the others, and a cut name would not load. */
const maxNameColumns = 256;

/**
 * The catalogue as text within a budget: whole descriptions while they fit; else long ones cut to a common level, short ones whole; else
 * names alone; else the first names in order and a line that counts the rest. Every entry is escaped and stays on its line, and the
 * opening and the closing line occur once. The same input gives the same bytes. Without skills, and where not even the frame fits, the
 * text is empty.
 */
export function renderCatalog(skills: readonly Entry[], options: RenderCatalogOptions = {}): RenderedCatalog {
  const { maxTokens = 4_000, countTokens = estimateTokens, style = agentskillsCatalog, omit } = options;
  const shown = omit === undefined ? skills : skills.filter((skill) => !omit.has(skill.name));
  const listed = shown.filter((skill) => columnsOf(skill.name) <= maxNameColumns);
  const draft = drafter(listed, shown.length - listed.length, style, countTokens);
  const plan = planner(listed, style, countTokens);

  const best = fullestLevel(draft, plan, maxTokens) ?? mostNames(draft, plan, maxTokens);
  if (shown.length === 0 || best === undefined) return { text: "", tokens: 0, shortened: [], omitted: shown.map(nameOf) };
  return {
    text: best.text,
    tokens: best.tokens,
    shortened: best.shortened,
    omitted: omittedFrom(shown, listed, best.count).map(nameOf),
  };
}

/** The entries that are not among the first of those listed. */
function omittedFrom(shown: readonly Entry[], listed: readonly Entry[], count: number): readonly Entry[] {
  if (listed.length === shown.length) return shown.slice(count);
  const inText = new Set(listed.slice(0, count));
  return shown.filter((skill) => !inText.has(skill));
}

type Entry = Pick<Skill, "name" | "description">;

function nameOf(entry: Entry): string {
  return entry.name;
}

/** A possible text: the first `count` entries, their descriptions cut to one level. */
interface Draft {
  readonly text: string;
  readonly tokens: number;
  readonly shortened: readonly string[];
  readonly count: number;
}

type Drafter = (count: number, level: number) => Draft;

function drafter(listed: readonly Entry[], unlisted: number, style: CatalogStyle, countTokens: CountTokens): Drafter {
  const safe = style.escape === "line" ? escapeTags : escapeMarkup;
  const printedName = remembered((index) => safe(foldLine(listed[index]?.name ?? "")));
  const folded = remembered((index) => foldLine(listed[index]?.description ?? ""));

  // Most are told by their first letter; folding all of them to list names alone would cost more than the list.
  const hasDescription = (index: number): boolean => /[!-~]/.test(listed[index]?.description ?? "") || folded(index) !== "";

  return (count, level) => {
    const lines = style.open === "" ? [] : [style.open];
    const shortened: string[] = [];
    for (let index = 0; index < count; index++) {
      if (level === 0) {
        if (hasDescription(index)) shortened.push(listed[index]?.name ?? "");
        lines.push(style.entry(printedName(index), ""));
        continue;
      }
      const whole = folded(index);
      const description = shorten(whole, level);
      if (description !== whole) shortened.push(listed[index]?.name ?? "");
      lines.push(style.entry(printedName(index), safe(description)));
    }
    const omitted = unlisted + listed.length - count;
    if (omitted > 0 && style.more !== undefined) lines.push(style.more(omitted));
    if (style.close !== "") lines.push(style.close);
    const text = lines.join("\n");
    return { text, tokens: countTokens(text), shortened, count };
  };
}

function remembered(make: (index: number) => string): (index: number) => string {
  const kept: string[] = [];
  return (index) => {
    const known = kept[index];
    if (known !== undefined) return known;
    const made = make(index);
    kept[index] = made;
    return made;
  };
}

/** What texts would cost, by widths alone and one measured sample: a look at each character, however long the catalogue. */
interface Planner {
  readonly count: number;
  /** Estimated tokens of all entries at a level. */
  tokensAt(level: number): number;
  /** What whole descriptions cost at most, told without a look at their characters. */
  readonly mostTokens: number;
  /** How many names fit by the estimate. */
  namesWithin(tokens: number): number;
}

function planner(listed: readonly Entry[], style: CatalogStyle, countTokens: CountTokens): Planner {
  const step = Math.max(1, Math.floor(listed.length / 24));
  const sample: Entry[] = [];
  for (let index = 0; index < listed.length && sample.length < 24; index += step) sample.push(...listed.slice(index, index + 1));
  const { text, tokens } = drafter(sample, 0, style, countTokens)(sample.length, 256);
  const tokensPerColumn = tokens / Math.max(1, columnsOf(text));

  const frame = columnsOf(style.open) + columnsOf(style.close) + 2;
  const perEntry = columnsOf(style.entry("", "-"));
  let names = 0;
  for (const entry of listed) names += perEntry + columnsOf(entry.name);
  let widths: number[] | undefined;
  let units = 0;
  for (const entry of listed) units += entry.description.length;

  return {
    count: listed.length,
    mostTokens: (frame + names + units * maxColumnsPerUnit) * tokensPerColumn,
    tokensAt(level) {
      let columns = frame + names;
      if (level > 0) {
        widths ??= listed.map((entry) => columnsOf(entry.description));
        for (const width of widths) columns += Math.min(width, level);
      }
      return columns * tokensPerColumn;
    },
    namesWithin(most) {
      let columns = frame;
      const beyond = listed.findIndex((entry) => {
        columns += perEntry + columnsOf(entry.name);
        return columns * tokensPerColumn > most;
      });
      return beyond === -1 ? listed.length : beyond;
    },
  };
}

/** The fullest level whose text fits: from the planned one down to the first that does, or up to the last. */
function fullestLevel(draft: Drafter, plan: Planner, maxTokens: number): Draft | undefined {
  const named = plan.tokensAt(0);
  if (named > 2 * maxTokens) return undefined;
  // Where names alone are nearly too much, one text of names shows whether any level can fit, before descriptions are looked at.
  if (2 * named > maxTokens && !(draft(plan.count, 0).tokens <= maxTokens)) return undefined;
  if (plan.mostTokens <= maxTokens) {
    const whole = draft(plan.count, Number.POSITIVE_INFINITY);
    if (whole.tokens <= maxTokens) return whole;
  }
  const planned = levels.findIndex((level) => plan.tokensAt(level) <= maxTokens);
  const start = planned === -1 ? levels.length - 1 : planned;
  const first = draft(plan.count, levels[start] ?? 0);
  if (!(first.tokens <= maxTokens)) {
    for (const level of levels.slice(start + 1)) {
      const shorter = draft(plan.count, level);
      if (shorter.tokens <= maxTokens) return shorter;
    }
    return undefined;
  }
  let best = first;
  for (const level of levels.slice(0, start).reverse()) {
    if (plan.tokensAt(level) > 2 * maxTokens) break;
    const fuller = draft(plan.count, level);
    if (fuller.tokens > maxTokens) break;
    best = fuller;
  }
  return best;
}

/** The most names, from the first, whose text fits. Texts grow evenly, so each try tells where to try next; halving is for those that do not. */
function mostNames(draft: Drafter, plan: Planner, maxTokens: number): Draft | undefined {
  let best: Draft | undefined;
  let fits = -1;
  let fails = plan.namesWithin(2 * maxTokens) + 1;
  let guess = plan.namesWithin(maxTokens);
  for (let tries = 0; fails - fits > 1; tries++) {
    const count = Math.min(Math.max(tries < 8 && Number.isFinite(guess) ? guess : Math.floor((fits + fails) / 2), fits + 1), fails - 1);
    const candidate = draft(count, 0);
    if (candidate.tokens <= maxTokens) {
      fits = count;
      best = candidate;
    } else {
      fails = count;
    }
    guess = Math.floor((count * maxTokens) / candidate.tokens);
  }
  return best;
}
