import { extensionOf, kindOfPath, kindsInName } from "./file-kinds.ts";

/** What a place in a command is for. */
export type SlotRole = "input" | "output" | "input-folder" | "output-folder" | "skill-folder" | "text" | "url" | "number" | "value";

const outputWords = new Set(
  "out output outfile outputfile outfilename dest destination target save export result results converted".split(" "),
);
const inputWords = new Set(
  "in input infile inputfile inputs file files filename filenames filepath path paths source src arguments args attachment document content log logs export".split(
    " ",
  ),
);
const folderWords = new Set("dir dirs directory folder root project repo codebase vault".split(" "));
const textWords = new Set(
  "text query question prompt message topic title description subject keyword keywords search story sentence phrase idea request task".split(
    " ",
  ),
);
const valueWords = new Set(
  "format type mode style theme lang language locale name id key token model level size width height version user username password date".split(
    " ",
  ),
);
const numberWords = new Set("n num number count limit top max pages dpi".split(" "));

/** Reads from a placeholder's or an option's name what belongs there: `input_image` is an input, `--output-format` a value. */
export function roleOfName(name: string): SlotRole {
  if (/^(?:base_?dir|skill_?(?:dir|root|path|folder|home)|claude_(?:skill_dir|plugin_root)|plugin_root|skills_root)$/i.test(name))
    return "skill-folder";
  if (/输出|結果|结果|出力/.test(name)) return "output";
  if (/文件|图片|图像|输入|路径|ファイル|入力/.test(name)) return "input";
  if (/文本|问题|内容|查询|主题|标题|关键词|テキスト/.test(name)) return "text";
  const words = wordsOf(name);
  const has = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  const last = words.at(-1) ?? "";
  if (valueWords.has(last) && extensionOf(name) === "" && !(words.length === 2 && last === "name" && has(inputWords))) return "value";
  if (words.includes("url") || words.includes("uri") || words.includes("link")) return "url";
  if (has(folderWords)) return has(outputWords) ? "output-folder" : "input-folder";
  if (has(outputWords)) return "output";
  if (words.length <= 2 && textWords.has(last)) return "text";
  if (has(inputWords) || kindsInName(name).length > 0) return "input";
  if (has(numberWords)) return "number";
  return has(textWords) || / /.test(name.trim()) ? "text" : "value";
}

/** Whether an option's name says that what follows is written, read, or neither. */
export function roleOfFlag(flag: string): SlotRole | undefined {
  if (flag === "-o" || flag === "-O") return "output";
  if (flag === "-i" || flag === "-f") return "input";
  if (flag === "-n") return "number";
  if (flag === "-q" || flag === "-p") return "text";
  return flag.startsWith("--") ? roleOfName(flag.slice(2)) : undefined;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Whether a word of an example stands for a file of the reader: `report.csv`, `path/to/image.png`, `*.png`; no link, version or host. */
export function isFilePath(text: string): boolean {
  if (/^[a-z]+:\/\//i.test(text) || /[=@]|\s/.test(text)) return false;
  return (kindOfPath(text) !== "other" && !/^[\d.v]+$/.test(text)) || /(?:^|\/)path\/to\/[^/]+$/.test(text);
}

/** Whether a word of an example stands for a folder of the reader: `./src/`, `images/`, `/path/to/project`. */
export function isFolderPath(text: string): boolean {
  if (/^[a-z]+:\/\//i.test(text) || /[=@]|\s/.test(text)) return false;
  return /^(?:[\w.~-]+\/)+$/.test(text) || /^\.{0,2}\/(?:[\w-]+\/)*[\w-]+$/.test(text) || /(?:^|\/)path\/to(?:\/|$)/.test(text);
}

/** Whether the name of an example's file says that the command writes it. */
export function isOutputName(path: string): boolean {
  const base = path.slice(path.lastIndexOf("/") + 1);
  return wordsOf(base).some(
    (word) => outputWords.has(word) || /^(?:report|summary|final|merged|translated|cleaned|fixed|transformed|transcript)$/.test(word),
  );
}
