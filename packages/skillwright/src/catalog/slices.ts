/** Keeps long synchronous work from blocking the event loop. */
export interface Slices {
  /** Whether it is time to pause; cheap enough to ask after every small piece of work. `isLong` says that the piece was not small. */
  due(isLong?: boolean): boolean;
  /** Lets everything else that waits run first. */
  pause(): Promise<void>;
}

const sliceMs = 8;
/** Asking the clock costs as much as a small piece of work. */
const askEvery = 8;

/** Starts slicing: work of less than one slice never pauses. */
export function createSlices(): Slices {
  let started = performance.now();
  let pieces = 0;
  return {
    due: (isLong = false) => (++pieces % askEvery === 0 || isLong) && performance.now() - started > sliceMs,
    pause: async () => {
      await new Promise<void>((resume) => {
        // A timer of zero waits a millisecond where an immediate does not.
        if (typeof setImmediate === "function") setImmediate(resume);
        else setTimeout(resume, 0);
      });
      started = performance.now();
    },
  };
}
