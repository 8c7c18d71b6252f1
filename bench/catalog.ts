/**
 * How long the catalogue's text takes at each size, by the estimate and by a real tokenizer: `node bench/catalog.ts`.
 * The floor is the same entries escaped and joined, without a budget or a count; times beside it are multiples of it.
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { renderCatalog } from "../packages/skillwright/src/catalog/render-catalog.ts";
import { escapeMarkup, estimateTokens, foldLine } from "../packages/skillwright/src/core/index.ts";

const words =
  "tide table berth harbour crew chart draught window reads plans checks writes report depth safe when asked about each day".split(" ");
const ideographs = "潮汐表港口船只吃水深度泊位安全时间读取计算报告用户询问何时可以进出";

print("| skills | budget | floor ms | estimate ms | x floor | o200k ms | counts | tokens | shortened | omitted |");
print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const [count, maxTokens] of [
  [50, 4_000],
  [1_000, 4_000],
  [1_000, 40_000],
  [1_000, 1_000_000],
  [10_000, 4_000],
  [50_000, 4_000],
  [50_000, 500_000],
] as const) {
  const skills = Array.from({ length: count }, (_, index) => ({ name: `skill-${index}`, description: description(index) }));
  const floor = median(() =>
    skills.map((skill) => `<skill name="${skill.name}">${escapeMarkup(foldLine(skill.description))}</skill>`).join("\n"),
  );
  const estimate = median(() => renderCatalog(skills, { maxTokens }));
  const measured = median(() => renderCatalog(skills, { maxTokens, countTokens }));
  let counts = 0;
  const { tokens, shortened, omitted } = renderCatalog(skills, {
    maxTokens,
    countTokens: (text) => {
      counts++;
      return estimateTokens(text);
    },
  });
  const times = [floor.toFixed(2), estimate.toFixed(2), (estimate / floor).toFixed(2), measured.toFixed(2)];
  print(`| ${[count, maxTokens, ...times, counts, tokens, shortened.length, omitted.length].join(" | ")} |`);
}

/** About 220 characters, one in ten in Chinese, always the same for an index. */
function description(index: number): string {
  let state = index * 7919 + 17;
  const pick = (from: ArrayLike<string>) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return from[state % from.length] ?? "";
  };
  if (index % 10 === 9) return Array.from({ length: 60 }, () => pick(ideographs)).join("");
  return Array.from({ length: 20 + (index % 31) }, () => pick(words)).join(" ");
}

function median(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[2] ?? 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
