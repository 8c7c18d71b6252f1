import { describe, expect, test } from "vitest";
import { rankSkills } from "./rank.ts";

const catalog = [
  {
    name: "table-report",
    description: "Adds up a CSV table: totals, averages and sums by group. Use for sales, orders or expenses by region, product or month.",
  },
  {
    name: "picture-text",
    description: "Reads the text in an image with OCR. Use when the user gives a photo or a scan. 识别图片中的文字。",
  },
  { name: "pdf-split", description: "Splits a PDF document into single pages or ranges of pages." },
  { name: "sea-captain", description: "Answers in the voice of an old sea captain. Use when the user asks for it." },
  { name: "release-notes", description: "Turns a git log into release notes. Use when the user asks what changed between versions." },
];

describe("the skill that fits comes first", () => {
  test.each<[string, string[], string]>([
    ["Which region had the highest sales?", ["inputs/q1.csv"], "table-report"],
    ["哪个地区销售额最高？", ["inputs/q1.csv"], "table-report"],
    ["What does this say?", ["inputs/a.png"], "picture-text"],
    ["帮我识别这张图片中的文字", ["inputs/a.jpg"], "picture-text"],
    ["Give me pages 2 to 4", ["inputs/book.pdf"], "pdf-split"],
    ["What changed in this release?", ["inputs/log.txt"], "release-notes"],
    ["/sea-captain how are the tides", [], "sea-captain"],
    ["use the sea-captain skill for this", [], "sea-captain"],
    ["Explain tides like a sea captain", [], "sea-captain"],
  ])("%s", (question, files, name) => {
    expect(rankSkills(catalog, question, files)[0]).toMatchObject({ name, fits: true });
  });
});

describe("nothing fits a request that no skill is for", () => {
  test.each<[string, string[]]>([
    ["What is the weather in Lisbon today?", []],
    ["今天天气怎么样", []],
    ["Book me a train to Vienna", []],
    ["Translate this letter into French", ["inputs/letter.docx"]],
    ["What is 2 + 2?", []],
    ["Use your tools to help me with my task", []],
  ])("%s", (question, files) => {
    expect(rankSkills(catalog, question, files).filter((skill) => skill.fits)).toEqual([]);
  });
});

test("equal questions give equal orders", () => {
  const rank = () => rankSkills(catalog, "text of a scan by month", ["inputs/a.png"]);
  expect(rank()).toEqual(rank());
});

test("a name made of pattern characters is a name", () => {
  expect(rankSkills([{ name: "c++.(tips)", description: "Hints for C++ code." }], "/c++.(tips) help", [])[0]).toMatchObject({
    name: "c++.(tips)",
    fits: true,
  });
});
