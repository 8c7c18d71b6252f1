/**
 * Normalises a skill-relative path (`./a//b` to `a/b`), or answers undefined when it is absolute, climbs out,
 * is empty, or holds a NUL. Backslashes count as separators, so a Windows spelling cannot hide a climb.
 */
export function normalizeRelativePath(path: string): string | undefined {
  if (path.includes("\0")) return undefined;
  const slashed = path.replaceAll("\\", "/");
  if (slashed.startsWith("/") || /^[a-zA-Z]:/.test(slashed)) return undefined;
  const parts: string[] = [];
  for (const part of slashed.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") return undefined;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : parts.join("/");
}
