import fc from "fast-check";
import { expect, test } from "vitest";
import { columnsOf, shorten } from "./shorten.ts";

test.each([
  ["what fits stays", "Reads tables", 12, "Reads tables"],
  ["the mark counts", "Reads tables", 11, "Reads tabl…"],
  ["no blank before the mark", "Reads tables", 7, "Reads…"],
  ["ideographs take four columns", "读取潮汐表格文件", 17, "读取潮汐…"],
  ["a family is one or nothing", `ab ${"👩‍👩‍👧‍👦"} cd`, 20, "ab…"],
  ["a fire fighter stays whole", "👩‍🚒 kiln crew at work", 27, "👩‍🚒 kiln…"],
  ["flags are not halved", "🇩🇪🇫🇷🇮🇹🇪🇸🇵🇱", 41, "🇩🇪🇫🇷…"],
  ["accents stay on their letters", "e\u0301e\u0301e\u0301e\u0301", 9, "e\u0301e\u0301…"],
  ["hangul syllables of single letters stay whole", "\u1100\u1161\u11a8\u1100\u1161\u11a8", 17, "\u1100\u1161\u11a8…"],
  ["one giant cluster is left out", `e${"\u0301".repeat(50)} x`, 10, ""],
])("shorten: %s", (_, text, columns, expected) => {
  expect(shorten(text, columns)).toBe(expected);
});

const word = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("👩‍🚒", "🇩🇪", "潮汐", "e\u0301", " ", "kiln", "한국", "क्षि"));
const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

test("a cut text is within its columns and ends between two graphemes", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.integer({ min: 2, max: 120 }), (words, columns) => {
      const text = words.join("");
      const cut = shorten(text, columns);
      expect(columnsOf(cut)).toBeLessThanOrEqual(columns);
      if (cut === text || cut === "") return;
      const start = cut.slice(0, -1);
      expect(text.startsWith(start)).toBe(true);
      const ends = new Set([...segmenter.segment(text)].map(({ index }) => index));
      expect(ends.has(start.length)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
