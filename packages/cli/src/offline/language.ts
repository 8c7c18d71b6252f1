/** Languages that the offline planner answers in. */
export type Language = "en" | "zh";

const han = /\p{sc=Han}/gu;

/** The language of a question: Chinese where Han characters carry it, English otherwise. Kana and Hangul are not Chinese. */
export function detectLanguage(text: string): Language {
  if (/[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(text)) return "en";
  const characters = text.match(han)?.length ?? 0;
  const words = text.match(/[A-Za-z]+/g)?.length ?? 0;
  return characters > 1 && characters >= words ? "zh" : "en";
}

/** What people wrap around a request in Chinese; as search words it matches everything. */
const padding =
  /请问|请|麻烦|帮我|帮忙|一下|这张|这个|这份|这些|那个|我的|我想|我要|想要|需要|可以|能不能|能否|是否|什么|怎么样|怎么|怎样|如何|多少|哪个|哪些|哪一|中的|里的|里面|以及|和|与|的|了|吗|呢|吧|把|给|我|你|是|在|有/g;

/** A Chinese question without its polite and grammatical words; other text as it is. */
export function dropPadding(text: string): string {
  return text.replace(padding, " ");
}

/** Chinese words of requests and what English descriptions call them. */
const glossary: readonly (readonly [RegExp, string])[] = [
  [/识别/, "recognize read ocr extract"],
  [/提取|抽取/, "extract"],
  [/文字|文本/, "text"],
  [/图片|图像|照片|截图/, "image picture"],
  [/扫描/, "scan"],
  [/表格/, "table spreadsheet csv"],
  [/销售|销量|营业/, "sales"],
  [/统计|汇总|合计|总计|总额|总和/, "total totals summarize statistics"],
  [/平均/, "average"],
  [/最高|最多|最大|最好/, "top highest best"],
  [/报告|报表/, "report"],
  [/地区|区域/, "region"],
  [/产品|商品/, "product"],
  [/翻译/, "translate"],
  [/总结|摘要|概括/, "summarize summary"],
  [/转换|转成|转为|转化/, "convert"],
  [/生成|创建|制作/, "generate create"],
  [/分析/, "analyze analysis"],
  [/检查|校验|验证/, "check validate"],
  [/比较|对比/, "compare"],
  [/合并/, "merge"],
  [/图表|绘图|画图/, "chart plot"],
  [/更新日志|变更日志|变更|发布说明/, "changelog release notes"],
  [/提交/, "commit commits"],
  [/日志/, "log"],
  [/文档/, "document"],
  [/演示文稿|幻灯片/, "presentation slides"],
  [/邮件/, "email"],
  [/音频|录音/, "audio"],
  [/视频|录像/, "video"],
  [/字幕/, "subtitles"],
  [/代码/, "code"],
  [/测试/, "test"],
  [/安全/, "security"],
  [/数据库/, "database"],
  [/网页|网站/, "web website"],
  [/海盗/, "pirate"],
  [/俳句/, "haiku"],
  [/诗/, "poem verse"],
  [/莎士比亚/, "shakespeare"],
  [/解释|讲解/, "explain"],
  [/五岁|小孩|孩子/, "five beginner"],
  [/写/, "write"],
];

/** English words for what a Chinese question speaks of, so that it finds skills described in English; "" when there are none. */
export function translateKeywords(text: string): string {
  return glossary
    .filter(([pattern]) => pattern.test(text))
    .map(([, words]) => words)
    .join(" ");
}
