import { SkillError } from "../../core/index.ts";

/** Runs one operation of a store; whatever its driver throws becomes a SkillError of code `store-failed`. */
export async function guarded<T>(store: string, hint: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeFailure(store, hint, error);
  }
}

/** The SkillError for what a driver threw; a SkillError stays what it is. */
export function storeFailure(store: string, hint: string, error: unknown): SkillError {
  if (SkillError.is(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SkillError("store-failed", `The ${store} failed: ${reason}`, { hint, cause: error });
}
