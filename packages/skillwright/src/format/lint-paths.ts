import { nearestNames } from "../core/index.ts";
import type { LintFile } from "./lint-skill.ts";
import { addDiagnostic, type Report } from "./report.ts";

/** Reports the paths in a body that lead nowhere, out of the skill, or to one machine only; each once, where it stands first. */
export function lintPaths(report: Report, body: string, bodyLine: number, files: readonly LintFile[]): void {
  const known = knownPaths(files);
  const reported = new Set<string>();
  let inFence = false;
  for (const [index, line] of body.split("\n").entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      inFence = !inFence;
      continue;
    }
    for (const { text, column, isLink } of mentions(line, inFence)) {
      // Code imports its own `../x`; only prose speaks of files.
      if (reported.has(text) || (inFence && text.startsWith("../"))) continue;
      const finding = judge(text, isLink, known);
      if (finding === undefined) continue;
      reported.add(text);
      const hint = finding.near === undefined ? undefined : `Did you mean \`${finding.near}\`?`;
      addDiagnostic(report, finding.code, finding.message, { line: bodyLine + index, column }, { hint });
    }
  }
}

/** Something in a line that may be a path: the target of a link, or a word. */
interface Mention {
  readonly text: string;
  /** 1-based. */
  readonly column: number;
  readonly isLink: boolean;
}

interface KnownPaths {
  /** Files, and the folders above them. */
  readonly paths: ReadonlySet<string>;
  /** Folder, with its slash, to the names of the files in it. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Folders at the top, those of the specification among them. */
  readonly folders: ReadonlySet<string>;
  /** Lower-case path or base name to path. */
  readonly folded: ReadonlyMap<string, string>;
}

interface Finding {
  readonly code: "file-missing" | "path-outside-skill" | "path-absolute";
  readonly message: string;
  readonly near?: string | undefined;
}

function knownPaths(files: readonly LintFile[]): KnownPaths {
  const paths = new Set(["SKILL.md"]);
  const names = new Map<string, string[]>();
  const folders = new Set(["scripts", "references", "assets"]);
  const folded = new Map<string, string>();
  for (const { path } of files) {
    const slash = path.lastIndexOf("/") + 1;
    const name = path.slice(slash);
    const beside = names.get(path.slice(0, slash));
    if (beside === undefined) names.set(path.slice(0, slash), [name]);
    else beside.push(name);
    paths.add(path);
    folded.set(path.toLowerCase(), path);
    if (!folded.has(name.toLowerCase())) folded.set(name.toLowerCase(), path);
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) paths.add(path.slice(0, at));
    if (slash > 0) folders.add(path.slice(0, path.indexOf("/")));
  }
  return { paths, names, folders, folded };
}

function* mentions(line: string, inFence: boolean): Iterable<Mention> {
  if (!inFence) {
    for (const match of line.matchAll(/\]\(\s*<?([^)\s>]+)/g)) {
      const text = match[1] ?? "";
      yield { text, column: match.index + match[0].length - text.length + 1, isLink: true };
    }
  }
  for (const match of line.matchAll(/[^\s"'`()<>[\]|,;=\u3000-\u303f\uff00-\uff60]+/g)) {
    const text = match[0];
    let [start, end] = [0, text.length];
    while (start < end && emphasis.includes(text[start] ?? "")) start++;
    while (end > start && punctuation.includes(text[end - 1] ?? "")) end--;
    yield { text: text.slice(start, end), column: match.index + start + 1, isLink: false };
  }
}

/** What may stand around a word without being part of it. */
const emphasis = "*_";
const punctuation = ".:!?*_";

function judge(text: string, isLink: boolean, known: KnownPaths): Finding | undefined {
  const machine = machinePath(text);
  if (machine !== undefined) return { code: "path-absolute", message: `\`${text}\` is ${machine}.` };
  // Placeholders and patterns name no file, and an address is not a path.
  if (/[{}$*\\]|\.\.\.|^[a-z][a-z0-9+.-]*:|^#|^\/|^~|@/i.test(text)) return undefined;
  const path = normalize(isLink ? decode(text.replace(/[?#].*$/, "")) : text);
  if (path === undefined) {
    return isLink || /\.(?:md|txt|pdf|json|ya?ml|csv|py|sh)$/.test(text)
      ? { code: "path-outside-skill", message: `\`${text}\` lies outside the skill's folder.` }
      : undefined;
  }
  if (path === "" || known.paths.has(path)) return undefined;
  const near = nearestPath(path, known);
  const message = `The skill has no file \`${path}\`.`;
  if (isLink) return { code: "file-missing", message, near };
  if (!/\.[A-Za-z]\w{0,7}$/.test(path)) return undefined;
  const slash = path.indexOf("/");
  if (slash !== -1) return known.folders.has(path.slice(0, slash)) ? { code: "file-missing", message, near } : undefined;
  // A bare file name may be anything; only one that differs by case from a file is surely meant.
  const other = known.folded.get(path.toLowerCase());
  return other !== undefined && other.slice(other.lastIndexOf("/") + 1) !== path
    ? { code: "file-missing", message, near: other }
    : undefined;
}

/** The file that was probably meant: the same but for case, one of a similar name beside it, or one of the same name elsewhere. */
function nearestPath(path: string, known: KnownPaths): string | undefined {
  const same = known.folded.get(path.toLowerCase());
  if (same !== undefined) return same;
  const slash = path.lastIndexOf("/") + 1;
  const folder = path.slice(0, slash);
  const [name] = nearestNames(path.slice(slash), known.names.get(folder) ?? [], 1);
  return name === undefined ? known.folded.get(path.slice(slash).toLowerCase()) : folder + name;
}

/** What kind of one machine's path it is; names that stand for anybody's are let pass. */
function machinePath(text: string): string | undefined {
  const home = /^(?:file:\/\/)?\/(?:home|Users)\/([^/]+)/.exec(text)?.[1];
  if (home !== undefined)
    return /^(?:user|username|you|yourname|your-name|me|name|[$<{].*)$/i.test(home) ? undefined : "a path in one person's home folder";
  if (/^\/root\//.test(text)) return "a path in one person's home folder";
  if (/^[A-Za-z]:\\[\w%]/.test(text) || /^[A-Za-z]:\/\w/.test(text)) return "a path on one Windows machine";
  if (/^(?:~|\$HOME)\/\.[\w-]+\/skills\//.test(text)) return "where one client happens to keep skills";
  return undefined;
}

/** The path inside the skill; undefined where it climbs out. */
function normalize(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
