import type { TrustedSource } from "../catalog/index.ts";

/** What watching goes by. */
export interface WatchSettings {
  readonly debounceMs: number;
  /** Refreshes; answers whether something should be looked at again soon, because it was being written. */
  readonly refresh: () => Promise<{ readonly again: boolean }>;
}

const lookAgainMs = 2_000;

/**
 * Refreshes when sources say that something may have changed: once a burst of changes has ended, never twice at once.
 * Answers a function that stops.
 */
export function watchSources(sources: readonly TrustedSource[], settings: WatchSettings): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  function schedule(afterMs: number): void {
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      void run();
    }, afterMs);
    // A watch does not keep a program alive.
    if (typeof timer === "object" && "unref" in timer) timer.unref();
  }

  async function run(): Promise<void> {
    const { again } = await settings.refresh();
    if (again && timer === undefined) schedule(lookAgainMs);
  }

  const stops = sources.map(({ source }) => source.watch?.(() => schedule(settings.debounceMs)));
  // What changed before the watch began is found at once.
  void run();
  return () => {
    stopped = true;
    clearTimeout(timer);
    for (const stop of stops) stop?.();
  };
}
