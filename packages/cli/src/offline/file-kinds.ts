/** Kinds of file that people hand to skills. */
export type FileKind = "image" | "table" | "document" | "text" | "data" | "audio" | "video" | "archive" | "code" | "other";

interface KindFacts {
  readonly extensions: string;
  /** What descriptions and placeholders call such a file; English and Chinese. */
  readonly words: string;
}

const facts: Readonly<Record<Exclude<FileKind, "other">, KindFacts>> = {
  image: {
    extensions: "png jpg jpeg gif bmp tif tiff webp heic svg pnm ppm",
    words: "image images img picture pictures pic photo photos photograph screenshot scan 图片 图像 照片 截图 扫描件",
  },
  table: {
    extensions: "csv tsv xlsx xls ods parquet",
    words: "csv tsv table spreadsheet excel xlsx dataset 表格 数据表 电子表格",
  },
  document: {
    extensions: "pdf docx doc pptx ppt odt odp rtf epub",
    words: "pdf document doc docx pptx presentation slides deck 文档 演示文稿 幻灯片 论文",
  },
  text: {
    extensions: "txt md markdown log rst tex srt vtt eml diff patch",
    words: "text txt markdown md log transcript notes article essay draft commits 文本 日志 文章 笔记",
  },
  data: {
    extensions: "json jsonl yaml yml xml toml ini sqlite db ndjson",
    words: "json yaml yml xml toml data config configuration database 数据 配置",
  },
  audio: {
    extensions: "mp3 wav m4a flac ogg aac opus",
    words: "audio sound recording podcast music 音频 录音 语音",
  },
  video: {
    extensions: "mp4 mov mkv avi webm m4v",
    words: "video movie footage 视频 录像 影片",
  },
  archive: {
    extensions: "zip tar gz tgz bz2 xz 7z",
    words: "archive zip tarball 压缩包",
  },
  code: {
    extensions: "py js ts tsx jsx mjs cjs java go rs c h cpp cs rb php sh bash sql html css scss vue swift kt ipynb",
    words: "code source html css sql 代码 源码",
  },
};

const kindByExtension = new Map<string, FileKind>();
const kindByWord = new Map<string, FileKind>();
for (const [kind, { extensions, words }] of Object.entries(facts)) {
  for (const extension of extensions.split(" ")) kindByExtension.set(extension, kind as FileKind);
  for (const word of words.split(" ")) if (!kindByWord.has(word)) kindByWord.set(word, kind as FileKind);
}

/** Kinds that a program reading the first kind usually reads as well: plain text is plain text. */
const readableAs: Readonly<Partial<Record<FileKind, readonly FileKind[]>>> = {
  text: ["text", "table", "data", "code"],
  document: ["document", "text"],
  code: ["code", "text"],
};

/** The extension of a path in lower case; "" when there is none. */
export function extensionOf(path: string): string {
  return /\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** The kind of file that a path's extension stands for. */
export function kindOfPath(path: string): FileKind {
  return kindByExtension.get(extensionOf(path)) ?? "other";
}

/** Words that name a kind in a description but are said of any file in a placeholder: `<data_file>`, `<source>`. */
const saidOfAnyFile = new Set(["data", "source", "config", "configuration", "document", "doc"]);

/** The kinds that a name speaks of: `input_image` of images, `--csv` of tables; empty when it speaks of none. */
export function kindsInName(name: string): FileKind[] {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9\p{sc=Han}]+/u)
    .filter((word) => !saidOfAnyFile.has(word));
  const kinds = words.flatMap((word) => kindByWord.get(word) ?? kindByExtension.get(word) ?? kindByWord.get(word.replace(/s$/, "")) ?? []);
  return [...new Set(kinds)];
}

/** Whether a file of one kind can stand where another kind is named; `exact` is the better fit. */
export function kindFits(file: FileKind, wanted: readonly FileKind[]): "exact" | "possible" | "no" {
  if (wanted.includes(file)) return "exact";
  if (wanted.length === 0 || file === "other") return "possible";
  return wanted.some((kind) => readableAs[kind]?.includes(file)) ? "possible" : "no";
}

/** The words by which descriptions speak of a file's kind, its extension first. */
export function wordsForFile(path: string): string[] {
  const kind = kindOfPath(path);
  const extension = extensionOf(path);
  return [...(extension === "" ? [] : [extension]), ...(kind === "other" ? [] : facts[kind].words.split(" "))];
}
