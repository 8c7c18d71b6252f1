import { expect, test } from "vitest";
import { isStopWord, stem } from "./search-stem.ts";

test.each([
  ["report reports reported reporting"],
  ["create creates created creating"],
  ["plan plans planned planning"],
  ["query queries queried querying"],
  ["fix fixes fixed fixing"],
  ["match matches matched matching"],
  ["process processes processed processing"],
  ["image images imaging"],
  ["analyse analysed analysing"],
  ["box boxes"],
  ["tie ties"],
  ["file files"],
])("%s are one term", (forms) => {
  expect(new Set(forms.split(" ").map(stem)).size).toBe(1);
});

test.each([
  ["status", "stat"],
  ["analysis", "analyst"],
  ["class", "clas"],
  ["bus", "bu"],
  ["string", "str"],
  ["red", "r"],
  ["sling", "sl"],
])("%s is not %s", (one, other) => {
  expect(stem(one)).not.toBe(stem(other));
});

test.each(["git", "css", "s3", "naïve", "отчёты", "42", "__proto__", ""])("%j stays as it is", (word) => {
  expect(stem(word)).toBe(word);
});

test("function words are left out, what skills are about is not", () => {
  expect(["the", "and", "with", "please"].every(isStopWord)).toBe(true);
  expect(["constructor", "test", "file", "new", "use"].some(isStopWord)).toBe(false);
});
