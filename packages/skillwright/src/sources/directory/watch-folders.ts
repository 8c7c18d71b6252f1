import { existsSync, type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Watches the folders that decide what a root holds. */
export interface FolderWatch {
  /** Tells which folders these are now: those of the last walk, none where the root does not exist. */
  update(folders: Iterable<string>): void;
  close(): void;
}

/** A watched folder; another folder that takes its place is not the same. */
interface Watched {
  readonly id: string;
  readonly watcher: FSWatcher;
}

/** More folders than this are not watched one by one but looked at again and again; inotify has its limits. */
const maxWatched = 4_096;
const pollEveryMs = 5_000;

/**
 * Calls back when an entry of a watched folder changes. Folders are watched one by one: recursive watching neither follows links
 * nor stops at skills. While the root does not exist, the nearest folder above it that does is watched instead.
 */
export function watchFolders(root: string, onChange: () => void): FolderWatch {
  const watched = new Map<string, Watched>();
  let poll: NodeJS.Timeout | undefined;
  let closed = false;

  /** Watches a folder if it is not watched yet; answers whether that is new. Where it cannot be watched, it is polled. */
  function attach(folder: string, onEvent: (name: string | null) => void): boolean {
    const id = identityOf(folder);
    if (id === undefined || watched.get(folder)?.id === id) return false;
    detach(folder);
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => onEvent(name));
      // The watch of a folder that is removed may end in an error; the walk that follows tells what is left.
      watcher.on("error", onChange);
      watched.set(folder, { id, watcher });
      return true;
    } catch {
      poll ??= setInterval(onChange, pollEveryMs).unref();
      return false;
    }
  }

  function detach(folder: string): void {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  }

  /** The root itself, or the first folder on the way to it that is missing: it may come, go or be replaced. */
  function awaitedPath(): string {
    let awaited = root;
    while (!existsSync(dirname(awaited)) && dirname(awaited) !== awaited) awaited = dirname(awaited);
    return awaited;
  }

  return {
    update(folders) {
      if (closed) return;
      clearInterval(poll);
      poll = undefined;
      const wanted = new Set(folders);
      const many = wanted.size > maxWatched;
      if (many) wanted.clear();
      const awaited = awaitedPath();
      const above = dirname(awaited);
      for (const folder of watched.keys()) if (folder !== above && !wanted.has(folder)) detach(folder);
      let isNew = attach(above, (name) => {
        if (name === null || name === basename(awaited)) onChange();
      });
      for (const folder of wanted) if (attach(folder, onChange)) isNew = true;
      if (many) poll = setInterval(onChange, pollEveryMs).unref();
      // What came into a folder before it was watched is found by looking once more.
      if (isNew) onChange();
    },
    close() {
      closed = true;
      clearInterval(poll);
      for (const folder of watched.keys()) detach(folder);
    },
  };
}

function identityOf(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
