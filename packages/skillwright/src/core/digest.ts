/** A content digest: `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

const encoder = new TextEncoder();

/** The SHA-256 digest of bytes, or of a text in UTF-8. */
export async function digestOf(data: Uint8Array | string): Promise<Digest> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  let hex = "";
  for (const byte of hash) hex += byte.toString(16).padStart(2, "0");
  return `sha256:${hex}`;
}

/** The digest of a folder: over the sorted lines `path NUL mode NUL digest`, so that it depends on content and names alone. */
export async function treeDigestOf(
  files: readonly { readonly path: string; readonly mode: number; readonly digest: Digest }[],
): Promise<Digest> {
  const lines = files.map((file) => `${file.path}\0${file.mode & 0o111 ? "x" : "-"}\0${file.digest}\n`).sort();
  return digestOf(lines.join(""));
}
