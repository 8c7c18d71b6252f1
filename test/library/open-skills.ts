import { type Library, type LibraryOptions, openLibrary } from "../../packages/skillwright/src/library/index.ts";
import { directorySource } from "../../packages/skillwright/src/sources/directory.ts";

/** Opens a library on folders, in order. */
export function openFolders(roots: string | readonly string[], options: Partial<LibraryOptions> = {}): Promise<Library> {
  const sources = [roots].flat().map((root) => directorySource(root));
  return openLibrary({ sources, ...options });
}

/** Opens a library on a folder that nobody vouches for. */
export function openUntrusted(root: string, options: Partial<LibraryOptions> = {}): Promise<Library> {
  return openLibrary({ sources: [{ source: directorySource(root), trust: "untrusted" }], ...options });
}

/** The names of a library's skills, in order. */
export function namesOf(library: Library): string[] {
  return library.catalog.skills.map(({ name }) => name);
}

/** What is said about places below a root: `severity code path`. */
export function notesOf(library: Library, root: string): string[] {
  return library.catalog.diagnostics.map(({ severity, code, location }) =>
    `${severity} ${code} ${location.replace(root, "").replace(/^\//, "")}`.trimEnd(),
  );
}

/** The fates of what is no skill: `fate path`. */
export function fatesOf(library: Library, root: string): string[] {
  return library.catalog.excluded.map(({ fate, location }) => `${fate} ${location.replace(root, "").replace(/^\//, "")}`.trimEnd());
}
