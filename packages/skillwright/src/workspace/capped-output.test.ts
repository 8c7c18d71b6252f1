import fc from "fast-check";
import { expect, test } from "vitest";
import { cappedOutput } from "./capped-output.ts";

const encoder = new TextEncoder();

function capped(chunks: readonly Uint8Array[], maxBytes: number): { text: string; truncatedBytes: number } {
  const output = cappedOutput(maxBytes);
  for (const chunk of chunks) output.push(chunk);
  return output.finish();
}

function pieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  parts.push(bytes.subarray(at));
  return parts;
}

test("text within the budget is unchanged", () => {
  expect(capped([encoder.encode("héllo "), encoder.encode("wörld")], 64)).toEqual({ text: "héllo wörld", truncatedBytes: 0 });
});

test("head and tail are kept and the cut is counted", () => {
  const { text, truncatedBytes } = capped([encoder.encode(`${"a".repeat(100)}${"b".repeat(100)}`)], 10);
  expect(text).toBe("aaaaa\n[... 190 bytes cut ...]\nbbbbb");
  expect(truncatedBytes).toBe(190);
});

test("a budget of nothing keeps nothing", () => {
  expect(capped([encoder.encode("abc")], 0)).toEqual({ text: "\n[... 3 bytes cut ...]\n", truncatedBytes: 3 });
});

test("chunking never changes the result, and cuts never break a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.integer({ min: 0, max: 200 }),
      fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 40 }),
      (text, maxBytes, sizes) => {
        const bytes = encoder.encode(text);
        const whole = capped([bytes], maxBytes);
        expect(capped(pieces(bytes, sizes), maxBytes)).toEqual(whole);
        if (bytes.length <= maxBytes) {
          expect(whole.text).toBe(text);
          return;
        }
        const [head = "", tail = ""] = whole.text.split(`\n[... ${whole.truncatedBytes} bytes cut ...]\n`);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        const keptBytes = encoder.encode(head).length + encoder.encode(tail).length;
        expect(keptBytes).toBe(bytes.length - whole.truncatedBytes);
        expect(keptBytes).toBeLessThanOrEqual(maxBytes);
        expect(keptBytes).toBeGreaterThan(maxBytes - 7);
      },
    ),
  );
});

test("bytes that are no UTF-8 are kept as they come, within the budget", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 0, max: 100 }), (bytes, maxBytes) => {
      const { truncatedBytes } = capped([bytes], maxBytes);
      expect(truncatedBytes).toBeGreaterThanOrEqual(Math.max(0, bytes.length - maxBytes));
      expect(truncatedBytes).toBeLessThanOrEqual(bytes.length);
    }),
  );
});
