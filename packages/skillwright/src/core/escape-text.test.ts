import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeMarkup, escapeTags, foldLine } from "./escape-text.ts";

test.each([
  ["line breaks of every kind", "a\nb\r\nc\u2028d\u2029e\u0085f", "a b c d e f"],
  ["white space at the ends and in runs", "  a \t  b ", "a b"],
  ["control characters", "a\u0000b\u001b[31mc", "a b [31mc"],
  ["zero-width characters", "<\u200b/skills\ufeff\u2060>", "</skills>"],
  ["bidi controls", "ab\u202ecd\u2066ef\u200f", "abcdef"],
  ["tag characters that spell a hidden sentence", "ok\u{e0069}\u{e0067}\u{e006e}\u{e007f}", "ok"],
  ["variation selectors that carry bytes", "ok\u{e0101}\u{e0102}\ufe05", "ok"],
  ["letters that show nothing", "a\u3164b\u115f\uffa0", "ab"],
  ["lone surrogates", "a\ud83db\udc00", "ab"],
  ["a joiner between plain letters", "a\u200db\u200cc", "abc"],
  ["a joiner that opens or closes", "\u200da\u200d", "a"],
  ["a row of joiners", "ب\u200d\u200dب", "بب"],
  ["emoji joined to one", "👩‍🚒 ❤️‍🔥 1️⃣ 🏳️‍🌈", "👩‍🚒 ❤️‍🔥 1️⃣ 🏳️‍🌈"],
  ["joiners that a script needs", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"],
  ["accents and ideographs", "Übersicht — 概要", "Übersicht — 概要"],
])("foldLine: %s", (_, text, expected) => {
  expect(foldLine(text)).toBe(expected);
});

test("foldLine gives one line, and the same again when folded again", () => {
  const pieces = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\n", "\u200d", "\u200c", "\ufe0f", "\ufe0e", "é", "👩", "🏽", "a", " ", "\u3000", "ب", "\ud83d", "\u{e0061}"),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const line = foldLine(parts.join(""));
      expect(line).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029\u202a-\u202e\u2060-\u2069\u200b]/u);
      expect(foldLine(line)).toBe(line);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["plain words", "values < 10 & more", "values &lt; 10 &amp; more"],
  ["a tag", '</skill "x">', "&lt;/skill &quot;x&quot;&gt;"],
])("escapeMarkup: %s", (_, text, expected) => {
  expect(escapeMarkup(text)).toBe(expected);
});

test.each([
  ["a comparison stays", "values < 10", "values < 10"],
  ["an arrow stays", "a <- b <> c", "a <- b <> c"],
  ["an open tag", "<b>x", "&lt;b>x"],
  ["letters close together", "a<b", "a&lt;b"],
  ["a closing tag", "</skills>", "&lt;/skills>"],
  ["a comment and an instruction", "<!-- <?xml", "&lt;!-- &lt;?xml"],
])("escapeTags: %s", (_, text, expected) => {
  expect(escapeTags(text)).toBe(expected);
});
