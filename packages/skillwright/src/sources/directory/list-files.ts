import { type Dirent, readdirSync } from "node:fs";
import type { SourceContext, SourceFile } from "../../catalog/index.ts";
import type { Diagnostic } from "../../core/index.ts";
import { placeAt, prefixOf, type Root, refusalOf, resolvedPlaceAt, stampOf } from "./boundary.ts";
import { locationOf, refused, twinWarning } from "./skill-file.ts";

const byName = { withFileTypes: true } as const;
const maxLevels = 32;

/**
 * Every file of the skill at `path`, sorted, without the innards of `.git`. Only regular files are listed and none is opened;
 * links are followed as far as trust allows, and no folder is entered twice on the way down.
 */
export function listFiles(root: Root, path: string, context: SourceContext): { files: SourceFile[]; diagnostics: Diagnostic[] } {
  const { limits } = context;
  const files: SourceFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const locate = (file: string): string => locationOf(root, path, file === "" ? undefined : file);

  function add(folder: string, prefix: string, above: readonly string[]): void {
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, byName);
    } catch (error) {
      diagnostics.push({ ...refused(refusalOf(error), locate(prefix)), code: "folder-unreadable" });
      return;
    }
    for (const entry of entries) {
      if (files.length >= limits.maxFiles) return;
      if (entry.name === ".git") continue;
      const name = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      const place = placeAt(root, `${folder}/${entry.name}`);
      if (place.kind === "refused") diagnostics.push(refused(place.refusal, locate(name)));
      else if (place.kind === "file")
        files.push({ path: name, bytes: place.stats.size, mode: place.stats.mode & 0o777, stamp: stampOf(place.stats) });
      else if (place.kind === "folder" && above.length < maxLevels && !above.includes(place.path))
        add(place.path, name, [...above, place.path]);
    }
  }

  const start = resolvedPlaceAt(root, prefixOf(root.real) + path);
  if (start.kind === "refused") diagnostics.push(refused(start.refusal, locate("")));
  if (start.kind === "folder") add(start.path, "", [start.path]);
  if (files.length >= limits.maxFiles) {
    diagnostics.push({
      severity: "warning",
      code: "files-limit",
      message: `The skill holds ${limits.maxFiles} files or more; the rest is not listed.`,
      location: locate(""),
      hint: "Move what the skill does not need elsewhere, or raise the limit maxFiles.",
    });
  }
  const twins = files.filter((file) => file.path.toLowerCase() === "skill.md").map((file) => file.path);
  if (twins.length > 1) diagnostics.push(twinWarning(root, path, twins.sort()));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, diagnostics };
}
