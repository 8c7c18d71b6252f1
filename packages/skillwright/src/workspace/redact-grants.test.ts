import fc from "fast-check";
import { expect, test } from "vitest";
import { cappedOutput } from "./capped-output.ts";
import { grantRedactor } from "./redact-grants.ts";

const token = "tok-1234567890";

test("granted values are replaced by their names, whole and without the line end they came with", () => {
  const redactor = grantRedactor({ TOKEN: `${token}\n`, OTHER: "something-else" });
  expect(redactor.redact(`a ${token} b ${token}\n something-else`)).toBe("a [TOKEN] b [TOKEN] [OTHER]");
});

test("values too short to be secrets are left alone", () => {
  expect(grantRedactor({ FLAG: "1", LEVEL: "debug" }).redact("1 debug")).toBe("1 debug");
});

test("the longer of two values that overlap goes first", () => {
  expect(grantRedactor({ SHORT: "abcdef", LONG: "abcdefgh" }).redact("abcdefgh abcdef")).toBe("[LONG] [SHORT]");
});

test("a stream is redacted however it is cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(token, "tok-", "12345", "x", "\n", "1234567890"), { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 9 })),
      (parts, sizes) => {
        const text = parts.join("");
        const redactor = grantRedactor({ TOKEN: token });
        const stream = redactor.stream();
        let out = "";
        let at = 0;
        for (const size of sizes) {
          out += stream.push(text.slice(at, at + size));
          at += size;
        }
        out += stream.push(text.slice(at)) + stream.end();
        expect(out).toBe(redactor.redact(text));
        expect(out).not.toContain(token);
      },
    ),
  );
});

test("a value that the cut of long output runs through leaves no half behind", () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 60 }), fc.nat(40), (maxBytes, before) => {
      const output = cappedOutput(maxBytes);
      output.push(new TextEncoder().encode(`${"-".repeat(before)}${token}${"-".repeat(200)}${token}${"-".repeat(before)}`));
      const { text, truncatedBytes } = output.finish();
      const clean = grantRedactor({ TOKEN: token }).redactCut(text, truncatedBytes);
      for (const part of ["tok-", "7890"]) expect(clean).not.toContain(part);
    }),
  );
});
