import { type Dirent, opendirSync } from "node:fs";
import type { SourceContext, SourceEntry } from "../../catalog/index.ts";
import type { Diagnostic } from "../../core/index.ts";
import { placeAt, prefixOf, type Root, refusalOf } from "./boundary.ts";
import { createSkillFiles, type Folder, heldHeaders, locationOf, refused, skillFileName, twinWarning } from "./skill-file.ts";

/** What a walk is given. */
export interface WalkOptions extends SourceContext {
  /** Stamps of the last listing, by path. */
  readonly known?: ReadonlyMap<string, string>;
  /** Whether the file system takes `skill.md` and `SKILL.md` for one name. */
  readonly foldsCase: boolean;
  /** Told the real path of every folder whose entries decide what is found. */
  readonly onFolder?: ((real: string) => void) | undefined;
  /** Told when the walk has come to its end. */
  readonly onEnd?: (() => void) | undefined;
}

/** The folders in a folder that are still to be looked into, and what their paths begin with. */
interface Frame {
  readonly names: readonly string[];
  next: number;
  readonly real: string;
  readonly path: string;
  readonly depth: number;
  readonly linked: boolean;
}

/** What a folder holds, as far as a walk cares; each list sorted. */
interface Listing {
  readonly folders: string[];
  readonly links: string[];
  readonly skillFiles: string[];
}

const progressEvery = 1024;
const nothing: Listing = { folders: [], links: [], skillFiles: [] };
/** Markdown files at the top of a root that nobody takes for skills. */
const ordinaryFiles = /^(?:agents|changelog|claude|code_of_conduct|contributing|gemini|index|license|notice|readme|security)\b/i;

/**
 * Walks a root, folder by folder in name order, and yields every candidate. A folder with a SKILL.md is a leaf.
 * Links to folders come last: what is reached both ways keeps its own path, and no folder is entered twice, so cycles end.
 */
export function* walkSkills(root: Root, options: WalkOptions): Generator<SourceEntry, void, undefined> {
  const { limits } = options;
  const files = createSkillFiles(root, options.known, options.onFolder);
  const entered = new Set<string>();
  const stack: Frame[] = [];
  const links: Folder[] = [];
  /** What was found and is not yet given out. */
  let found: SourceEntry[] = [];
  let visited = 0;
  let reported = 0;
  let tooDeep = 0;
  let firstTooDeep = "";

  function* list(folder: Folder): Generator<SourceEntry, Listing, undefined> {
    const listing: Listing = { folders: [], links: [], skillFiles: [] };
    try {
      // In slices, because a folder of fifty thousand entries read at once would block for long.
      const handle = opendirSync(folder.real, { bufferSize: 256 });
      try {
        for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) {
          if (++visited > limits.maxEntries) break;
          if (visited - reported >= progressEvery) {
            reported = visited;
            yield { visited };
          }
          const note = sortEntry(entry, folder, listing, root);
          if (note !== undefined) found.push(note);
        }
      } finally {
        handle.closeSync();
      }
    } catch (error) {
      found.push({ ...refused(refusalOf(error), locationOf(root, folder.path)), code: "folder-unreadable" });
      return nothing;
    }
    listing.folders.sort();
    listing.links.sort();
    listing.skillFiles.sort();
    return listing;
  }

  /** Looks into a folder that has no SKILL.md by that very name, and notes the folders to look into next. */
  function* search(folder: Folder): Generator<SourceEntry, void, undefined> {
    const listing = yield* list(folder);
    const [file] = listing.skillFiles;
    if (file !== undefined) {
      files.look(folder, file, found);
      if (listing.skillFiles.length > 1) found.push(twinWarning(root, folder.path, listing.skillFiles));
      else if (file !== skillFileName) found.push(caseWarning(root, folder, file));
      return;
    }
    entered.add(folder.real);
    if (folder.depth >= limits.maxDepth) {
      if (listing.folders.length > 0 && tooDeep++ === 0) firstTooDeep = folder.path;
      return;
    }
    const frame = frameOf(folder, listing.folders);
    for (const name of listing.links) links.push(folderIn(frame, name));
    stack.push(frame);
  }

  /** The next folder that is reached through a link. */
  function nextLink(): Folder | undefined {
    for (let link = links.shift(); link !== undefined; link = links.shift()) {
      const place = placeAt(root, link.real);
      if (place.kind === "refused") found.push(refused(place.refusal, locationOf(root, link.path)));
      if (place.kind !== "folder") continue;
      if (isAbove(place.path, link.real)) found.push(cycleWarning(root, link, place.path));
      else if (!entered.has(place.path)) return { ...link, real: place.path, linked: true };
    }
    return undefined;
  }

  let folder: Folder | undefined = { real: root.real, path: "", depth: 0, linked: false };
  while (folder !== undefined && visited <= limits.maxEntries) {
    options.onFolder?.(folder.real);
    if (!options.foldsCase && files.look(folder, skillFileName, found)) visited++;
    else yield* search(folder);
    if (found.length >= heldHeaders) {
      yield* found;
      found = [];
    }
    folder = nextIn(stack, entered) ?? nextLink();
  }
  yield* found;
  if (visited > limits.maxEntries) {
    yield {
      severity: "warning",
      code: "entries-limit",
      message: `The root holds more than ${limits.maxEntries} entries; the rest was not searched.`,
      location: root.path,
      hint: "Name a smaller root, or raise the limit maxEntries.",
    };
  }
  if (tooDeep > 0) {
    yield {
      severity: "info",
      code: "depth-limit",
      message: `Folders below depth ${limits.maxDepth} were not searched: those in ${firstTooDeep}${tooDeep > 1 ? ` and ${tooDeep - 1} others` : ""}.`,
      location: root.path,
      hint: "Name a deeper root, or raise the limit maxDepth.",
    };
  }
  yield { visited };
  options.onEnd?.();
}

/** The next folder of the walk, depth first. */
function nextIn(stack: Frame[], entered: ReadonlySet<string>): Folder | undefined {
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const name = frame.names[frame.next++];
    if (name === undefined) {
      stack.pop();
      continue;
    }
    const folder = folderIn(frame, name);
    // Only what is reached through a link can have been entered before.
    if (!folder.linked || !entered.has(folder.real)) return folder;
  }
  return undefined;
}

/** Puts an entry into its list; answers what is to be said about it. */
function sortEntry(entry: Dirent, folder: Folder, listing: Listing, root: Root): Diagnostic | undefined {
  const { name } = entry;
  if (name.length === skillFileName.length && name.toLowerCase() === "skill.md") {
    listing.skillFiles.push(name);
  } else if (name.startsWith(".") || name === "node_modules") {
    return undefined;
  } else if (entry.isDirectory()) {
    listing.folders.push(name);
  } else if (entry.isSymbolicLink()) {
    listing.links.push(name);
  } else if (folder.depth === 0 && name.endsWith(".md") && entry.isFile() && !ordinaryFiles.test(name)) {
    return {
      severity: "info",
      code: "skill-file-misplaced",
      message: `${name} does not stand in a folder of its own, so it is no skill.`,
      location: locationOf(root, folder.path, name),
      hint: `If it is meant to be one, move it to ${name.slice(0, -3)}/SKILL.md.`,
    };
  }
  return undefined;
}

/** A frame for what is listed in a folder; paths are put together from prefixes, which saves a copy of each. */
function frameOf(parent: Folder, names: readonly string[]): Frame {
  return {
    names,
    next: 0,
    real: prefixOf(parent.real),
    path: parent.path === "" ? "" : `${parent.path}/`,
    depth: parent.depth + 1,
    linked: parent.linked,
  };
}

function folderIn({ real, path, depth, linked }: Frame, name: string): Folder {
  return { real: real + name, path: path === "" ? name : path + name, depth, linked };
}

function isAbove(path: string, other: string): boolean {
  return other.startsWith(prefixOf(path));
}

function caseWarning(root: Root, folder: Folder, file: string): Diagnostic {
  return {
    severity: "warning",
    code: "skill-file-case",
    message: `The file is named ${file}; SKILL.md is expected.`,
    location: locationOf(root, folder.path, file),
    hint: "Rename it to SKILL.md: many loaders find no other name.",
  };
}

function cycleWarning(root: Root, link: Folder, target: string): Diagnostic {
  return {
    severity: "warning",
    code: "link-cycle",
    message: `The link leads to ${target}, which holds it; it is not followed.`,
    location: locationOf(root, link.path),
    hint: "Remove the link.",
  };
}
