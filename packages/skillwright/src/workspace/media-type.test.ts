import { expect, test } from "vitest";
import { mediaTypeOf, textOf } from "./media-type.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ["a.csv", bytes("a,b"), "text/csv"],
  ["a.PNG", bytes("x"), "image/png"],
  ["a.unknown", bytes("plain words"), "text/plain"],
  ["README", bytes("plain words"), "text/plain"],
  ["blob", Uint8Array.of(0, 1, 2), "application/octet-stream"],
  ["blob", Uint8Array.of(0xff, 0xfe), "application/octet-stream"],
  ["dir.png/README", bytes("words"), "text/plain"],
])("%s is %3$s", (path, data, expected) => {
  expect(mediaTypeOf(path, data)).toBe(expected);
});

test("text is valid UTF-8 without NUL", () => {
  expect(textOf(bytes("héllo"))).toBe("héllo");
  expect(textOf(Uint8Array.of(0x61, 0))).toBeUndefined();
  expect(textOf(Uint8Array.of(0xc3))).toBeUndefined();
});
