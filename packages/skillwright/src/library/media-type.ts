/** Media types by extension, for the files that skills carry; what is missing here is told apart by its bytes alone. */
const byExtension: ReadonlyMap<string, string> = new Map([
  ["md", "text/markdown"],
  ["markdown", "text/markdown"],
  ["txt", "text/plain"],
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["html", "text/html"],
  ["htm", "text/html"],
  ["css", "text/css"],
  ["xml", "application/xml"],
  ["json", "application/json"],
  ["jsonl", "application/jsonl"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["toml", "application/toml"],
  ["js", "text/javascript"],
  ["mjs", "text/javascript"],
  ["cjs", "text/javascript"],
  ["ts", "text/typescript"],
  ["py", "text/x-python"],
  ["sh", "text/x-shellscript"],
  ["bash", "text/x-shellscript"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
  ["pdf", "application/pdf"],
  ["zip", "application/zip"],
  ["gz", "application/gzip"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["wasm", "application/wasm"],
  ["woff", "font/woff"],
  ["woff2", "font/woff2"],
  ["ttf", "font/ttf"],
  ["otf", "font/otf"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
  ["mp4", "video/mp4"],
]);

/** How files begin that a host may hand on as what their name says. */
const beginnings: ReadonlyMap<string, readonly number[]> = new Map([
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46]],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46]],
]);

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** What the bytes of a file are: text only where all of it is UTF-8 without NUL; an image only where it begins like one. */
export function typeOf(path: string, bytes: Uint8Array): { readonly mediaType: string; readonly text?: string } {
  const named = byExtension.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
  const beginning = named === undefined ? undefined : beginnings.get(named);
  if (named !== undefined && beginning?.every((byte, index) => bytes[index] === byte)) return { mediaType: named };
  const text = textOf(bytes);
  if (text !== undefined) return { mediaType: named === undefined || beginning !== undefined ? "text/plain" : named, text };
  return { mediaType: named === undefined || beginning !== undefined || isTextual(named) ? "application/octet-stream" : named };
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function isTextual(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "image/svg+xml" || /[/+](?:json|jsonl|xml|yaml|toml)$/.test(mediaType);
}
