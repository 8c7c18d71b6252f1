const byEnding: ReadonlyMap<string, string> = new Map([
  ["txt", "text/plain"],
  ["log", "text/plain"],
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["html", "text/html"],
  ["htm", "text/html"],
  ["css", "text/css"],
  ["js", "text/javascript"],
  ["mjs", "text/javascript"],
  ["ts", "text/x-typescript"],
  ["py", "text/x-python"],
  ["sh", "text/x-shellscript"],
  ["tex", "text/x-tex"],
  ["ics", "text/calendar"],
  ["json", "application/json"],
  ["jsonl", "application/jsonl"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["toml", "application/toml"],
  ["xml", "application/xml"],
  ["sql", "application/sql"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["bmp", "image/bmp"],
  ["tif", "image/tiff"],
  ["tiff", "image/tiff"],
  ["ico", "image/vnd.microsoft.icon"],
  ["pdf", "application/pdf"],
  ["zip", "application/zip"],
  ["gz", "application/gzip"],
  ["tar", "application/x-tar"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["ogg", "audio/ogg"],
  ["mp4", "video/mp4"],
  ["webm", "video/webm"],
  ["sqlite", "application/vnd.sqlite3"],
  ["db", "application/vnd.sqlite3"],
  ["parquet", "application/vnd.apache.parquet"],
  ["wasm", "application/wasm"],
]);

/** The media type of an output: by its ending, else text or bytes by its content. */
export function mediaTypeOf(path: string, bytes: Uint8Array): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
  return byEnding.get(ending) ?? (textOf(bytes) === undefined ? "application/octet-stream" : "text/plain");
}

/** The text of bytes that are valid UTF-8 without NUL, or undefined. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
