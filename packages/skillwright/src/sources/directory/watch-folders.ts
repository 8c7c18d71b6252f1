import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

/** Watches the folders that decide what a root holds. */
export interface FolderWatch {
  /** Tells which folders these are now: those of the last walk, none where the root does not exist. */
  update(folders: Iterable<string>): void;
  close(): void;
}

/** More folders than this are not watched one by one but looked at again and again; inotify has its limits. */
const maxWatched = 4_096;
const pollEveryMs = 5_000;

/**
 * Calls back when an entry of a watched folder changes. Folders are watched one by one: recursive watching neither follows links
 * nor stops at skills. While the root does not exist, the nearest folder above it that does is watched instead.
 */
export function watchFolders(root: string, onChange: () => void): FolderWatch {
  let watchers = new Map<string, FSWatcher>();
  let poll: NodeJS.Timeout | undefined;
  let closed = false;

  function attach(folder: string, onEvent: () => void): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, onEvent);
      // A watched folder that is removed may end in an error; the walk that follows tells what is left.
      watcher.on("error", onEvent);
      return watcher;
    } catch {
      return undefined;
    }
  }

  function startPolling(): void {
    poll ??= setInterval(onChange, pollEveryMs).unref();
  }

  function stopPolling(): void {
    clearInterval(poll);
    poll = undefined;
  }

  /** Waits for the next folder on the way to a root that does not exist. */
  function awaitRoot(): void {
    let awaited = root;
    while (!existsSync(dirname(awaited)) && dirname(awaited) !== awaited) awaited = dirname(awaited);
    const above = dirname(awaited);
    const watcher = attach(above, () => {
      if (existsSync(awaited)) onChange();
    });
    if (watcher === undefined) startPolling();
    else watchers.set(above, watcher);
    // It may have appeared between the walk and the watch.
    if (existsSync(awaited)) onChange();
  }

  return {
    update(folders) {
      if (closed) return;
      const wanted = new Set(folders);
      stopPolling();
      const kept = new Map<string, FSWatcher>();
      for (const [folder, watcher] of watchers) {
        if (wanted.has(folder) && wanted.size <= maxWatched) kept.set(folder, watcher);
        else watcher.close();
      }
      watchers = kept;
      if (wanted.size === 0) return awaitRoot();
      if (wanted.size > maxWatched) return startPolling();
      const before = watchers.size;
      for (const folder of wanted) {
        if (watchers.has(folder)) continue;
        const watcher = attach(folder, onChange);
        if (watcher === undefined) startPolling();
        else watchers.set(folder, watcher);
      }
      // What came into a new folder before it was watched is found by looking once more.
      if (watchers.size > before) onChange();
    },
    close() {
      closed = true;
      stopPolling();
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
