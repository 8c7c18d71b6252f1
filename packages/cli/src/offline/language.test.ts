import { expect, test } from "vitest";
import { detectLanguage, dropPadding, translateKeywords } from "./language.ts";

test.each([
  ["What does this image say?", "en"],
  ["帮我识别这张图片中的文字", "zh"],
  ["把 sales.csv 按 region 汇总一下", "zh"],
  ["总额是多少", "zh"],
  ["Translate 你好 into French for my letter", "en"],
  ["この画像の文字を読んで", "en"],
  ["이 이미지를 읽어줘", "en"],
  ["", "en"],
])("%s is answered in %s", (text, language) => {
  expect(detectLanguage(text)).toBe(language);
});

test("polite words go, what is asked for stays", () => {
  expect(dropPadding("请帮我识别这张图片中的文字").replace(/\s+/g, " ").trim()).toBe("识别 图片 文字");
});

test("a Chinese request finds English descriptions", () => {
  expect(translateKeywords("哪个地区销售额最高")).toContain("region");
  expect(translateKeywords("which region")).toBe("");
});
