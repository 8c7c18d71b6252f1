/**
 * The estimate against o200k, document by document, and its speed: `node bench/tokens.ts`.
 * The table is the one in docs/catalog.md.
 */
import { readdirSync, readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokens } from "../packages/skillwright/src/core/index.ts";

const texts = new URL("../test/fixtures/texts/", import.meta.url);

const documents = readdirSync(texts)
  .sort()
  .map((name) => ({ name, text: readFileSync(new URL(name, texts), "utf8") }));

print("| document | units | o200k | estimate | error | units / 4 |");
print("| --- | ---: | ---: | ---: | ---: | ---: |");
for (const { name, text } of documents) {
  const real = countTokens(text);
  const estimate = estimateTokens(text);
  print(`| ${name} | ${text.length} | ${real} | ${estimate} | ${percent(estimate / real - 1)} | ${percent(text.length / 4 / real - 1)} |`);
}

const block = documents
  .map(({ text }) => text)
  .join("\n")
  .repeat(40);
const megabytes = Buffer.byteLength(block) / 1e6;
const rates = Array.from({ length: 7 }, () => {
  const start = performance.now();
  estimateTokens(block);
  return megabytes / ((performance.now() - start) / 1000);
}).sort((a, b) => a - b);
print(`\n${(rates[3] ?? 0).toFixed(0)} MB/s (median of 7 over ${megabytes.toFixed(1)} MB)`);

function percent(ratio: number): string {
  return `${ratio >= 0 ? "+" : "-"}${Math.abs(ratio * 100).toFixed(1)} %`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
