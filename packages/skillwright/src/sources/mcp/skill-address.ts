import { normalizeRelativePath } from "../../core/index.ts";

const scheme = "skill://";
const manifest = "/SKILL.md";

/** A skill's folder inside the source, by the URI of its SKILL.md: what stands before it, without the usual scheme. */
export function pathOf(uri: string): string {
  const root = uri.slice(0, -manifest.length);
  return root.startsWith(scheme) ? root.slice(scheme.length) : root;
}

/** The URI of a skill's folder. */
export function rootOf(path: string): string {
  return path.includes("://") ? path : `${scheme}${path}`;
}

/** Whether a URI is that of a SKILL.md in a folder, under the scheme for skills. */
export function isSkillUri(uri: string): boolean {
  return uri.startsWith(scheme) && uri.endsWith(manifest) && uri.length > scheme.length + manifest.length;
}

/** The path of a file inside a skill, decoded; undefined where it does not lie inside, or cannot be written as a path. */
export function fileOf(root: string, uri: string): string | undefined {
  if (!uri.startsWith(`${root}/`)) return undefined;
  let decoded: string;
  try {
    decoded = uri
      .slice(root.length + 1)
      .split("/")
      .map(decodeURIComponent)
      .join("/");
  } catch {
    return undefined;
  }
  return normalizeRelativePath(decoded) === decoded ? decoded : undefined;
}

/** The URI of a file by its path. */
export function fileUri(root: string, path: string): string {
  return `${root}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Programs lie in `scripts/`; the protocol has no mode that would say which may be run. */
export function modeOf(path: string): number {
  return path.startsWith("scripts/") ? 0o755 : 0o644;
}
