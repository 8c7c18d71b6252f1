import fc from "fast-check";
import { expect, test } from "vitest";
import { findFences } from "./fences.ts";

const limit = 64 * 1024;
const encoder = new TextEncoder();

test.each([
  ["plain", "---\na: b\n---\nB", "a: b\n", "B", 4],
  ["CRLF", "---\r\na: b\r\n---\r\nB", "a: b\r\n", "B", 4],
  ["closing fence at the end of the file", "---\na: b\n---", "a: b\n", "", 4],
  ["blanks behind both fences", "--- \t\na: b\n---  \r\nB", "a: b\n", "B", 4],
  ["byte order mark", "\ufeff---\na: b\n---\nB", "a: b\n", "B", 4],
  ["blank lines before the opening fence", "\n \r\n---\na: b\n---\nB", "a: b\n", "B", 6],
  ["empty frontmatter", "---\n---\nB", "", "B", 3],
  ["dashes inside a value", "---\na: x --- y\n---\nB", "a: x --- y\n", "B", 4],
  ["longer run at the margin", "---\na: |\n----\n---- x\n---\nB", "a: |\n----\n---- x\n", "B", 6],
  ["indented dashes", "---\na: |\n  x\n  ---\n---\nB", "a: |\n  x\n  ---\n", "B", 6],
  ["dashes with text behind them", "---\na: b\n--- c\n---\nB", "a: b\n--- c\n", "B", 5],
  ["rule in the body", "---\na: b\n---\nB\n---\nC", "a: b\n", "B\n---\nC", 4],
])("finds the fences: %s", (_, text, header, body, bodyLine) => {
  const fences = findFences(text, limit);
  expect(fences).toMatchObject({ state: "found", bodyLine });
  if (fences.state !== "found") return;
  expect(text.slice(fences.start, fences.end)).toBe(header);
  expect(text.slice(fences.bodyStart)).toBe(body);
});

test.each([
  ["nothing", "", "missing", 1],
  ["blank lines only", "\n\n", "missing", 3],
  ["text first", "# x\n---\na: b\n---\n", "missing", 1],
  ["indented opening", " ---\na: b\n---\n", "missing", 1],
  ["longer run", "----\na: b\n----\n", "missing", 1],
  ["two dashes", "--\na: b\n--\n", "missing", 1],
  ["opening alone", "---", "unclosed", 1],
  ["no closing", "---\na: b\n", "unclosed", 1],
  ["closed by dots", "---\na: b\n...\nB", "unclosed", 1],
  ["a language", "---js\n{}\n---\n", "language", 1],
  ["a field on the fence", "--- a: b\n---\n", "language", 1],
] as const)("says why there are none: %s", (_, text, state, line) => {
  expect(findFences(text, limit)).toMatchObject({ state, line });
});

test.each([
  ["the closing fence may stand right at the limit", "a".repeat(9), "found"],
  ["one more is too much", "a".repeat(10), "too-large"],
])("looks no further than the limit: %s", (_, header, state) => {
  const text = `---\n${header}\n---\nB`;
  expect(findFences(text, 10).state).toBe(state);
  expect(findFences(encoder.encode(text), 10).state).toBe(state);
});

const pieces = fc.constantFrom("---", "----", "--", "-", "\n", "\n", "\r\n", " ", "\t", "a: b", "\ufeff", "é", "js");
const texts = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(""));

test("finds in bytes what it finds in text", () => {
  fc.assert(
    fc.property(texts, fc.boolean(), (text, fenced) => {
      const whole = fenced ? `---\n${text}` : text;
      const bytes = encoder.encode(whole);
      const [inText, inBytes] = [findFences(whole, limit), findFences(bytes, limit)];
      if (inText.state !== "found" || inBytes.state !== "found") {
        expect(inBytes).toMatchObject({ state: inText.state, line: inText.line });
        return;
      }
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      expect(decoder.decode(bytes.subarray(inBytes.start, inBytes.end))).toBe(whole.slice(inText.start, inText.end));
      expect(decoder.decode(bytes.subarray(inBytes.bodyStart))).toBe(whole.slice(inText.bodyStart));
      expect([inBytes.line, inBytes.bodyLine, inBytes.blankLines]).toEqual([inText.line, inText.bodyLine, inText.blankLines]);
    }),
    { numRuns: 2000 },
  );
});

test("what is final stays when more text follows", () => {
  fc.assert(
    fc.property(texts, texts, (start, more) => {
      const first = findFences(start, limit);
      fc.pre(first.final);
      const second = findFences(start + more, limit);
      expect(second).toMatchObject({ state: first.state, line: first.line });
      if (first.state === "found") expect(second).toMatchObject({ end: first.end, bodyStart: first.bodyStart });
    }),
    { numRuns: 2000 },
  );
});
