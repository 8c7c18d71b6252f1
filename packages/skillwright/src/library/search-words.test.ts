import fc from "fast-check";
import { expect, test } from "vitest";
import { createTermReader, splitCamelCase } from "./search-words.ts";

function terms(text: string, maxWords = 100): string[] {
  const found: string[] = [];
  createTermReader((term) => term)(text, maxWords, (term) => found.push(term));
  return found;
}

test.each([
  ["words and numbers", "Read 3 CSVs, s3!", ["read", "3", "csv", "s3"]],
  ["compounds as their parts", "csv-report snake_case a/b.tar", ["csv", "report", "snak", "case", "b", "tar"]],
  ["a camel-case word as one", "useEffect", ["useeffect"]],
  ["accents away", "Résumé naïveté Ёлка", ["resum", "naivet", "елка"]],
  ["full-width forms and ligatures as plain ones", "ＰＤＦ ﬁle", ["pdf", "file"]],
  ["quotes and dashes as gaps", "“report”—totals", ["report", "total"]],
  ["Chinese as pairs", "数据分析", ["数据", "据分", "分析"]],
  ["a lone character by itself", "a 山 b", ["山", "b"]],
  ["Japanese with its marks", "データの", ["デー", "ータ", "タの"]],
  ["Korean as pairs", "보고서", ["보고", "고서"]],
  ["Thai as pairs", "ราย", ["รา", "าย"]],
  ["scripts in one word apart", "PDF文件v2", ["pdf", "文件", "v2"]],
  ["characters beyond the first plane whole", "𠀀𠀁𠀂", ["𠀀𠀁", "𠀁𠀂"]],
  ["Hindi with its vowel signs", "रिपोर्ट", ["रिपोर्ट"]],
  ["nothing of emoji and signs", "🎉 ©️ <> && 👩‍💻", []],
])("reads %s", (_, text, wanted) => {
  expect(terms(text)).toEqual(wanted);
});

test("words that say nothing count where there are no others", () => {
  expect(terms("to be or not to be")).toEqual(["to", "be", "or", "not", "to", "be"]);
  expect(terms("to be a report")).toEqual(["report"]);
});

test("a word longer than any word is left out", () => {
  expect(terms(`hash ${"0f".repeat(32)} end`)).toEqual(["hash", "end"]);
});

test.each([
  ["words", "one1 two2 three3 four4", ["one1", "two2"]],
  ["words of which some say nothing", "the one1 two2", ["one1"]],
  ["three characters for a word", "山水風雲火土木金", ["山水", "水風", "風雲", "雲火", "火土"]],
])("stops after two %s", (_, text, wanted) => {
  expect(terms(text, 2)).toEqual(wanted);
});

test("a reader answers for every text as a new one does", () => {
  const text = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("report", "the", "数据", "naïve", " ", "Ab1")), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      const read = createTermReader((term) => term);
      for (const parts of texts) {
        const found: string[] = [];
        read(parts.join(" "), 100, (term) => found.push(term));
        expect(found).toEqual(terms(parts.join(" ")));
      }
    }),
  );
});

test("many different words are told apart", () => {
  const words = Array.from({ length: 5_000 }, (_, index) => `w${index.toString(36)}q`);
  expect(terms(words.join(" "), 10_000)).toEqual(words);
});

test.each([
  ["csvReport", "csv Report"],
  ["PDFTools", "PDF Tools"],
  ["imageResizer2Go", "image Resizer2 Go"],
  ["отчётГода", "отчёт Года"],
  ["report", undefined],
  ["CSV", undefined],
  ["csv-report", undefined],
  ["", undefined],
])("the parts of %j are %j", (name, parts) => {
  expect(splitCamelCase(name)).toBe(parts);
});
