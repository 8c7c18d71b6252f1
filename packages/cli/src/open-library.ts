import { openSkills, type SkillEvent, type SkillLibrary } from "skillwright";

/** How a command opens its library. */
export interface OpenLibraryOptions {
  /** Folders the person named; without any, the default scopes. */
  readonly roots?: readonly string[] | undefined;
  readonly trust?: boolean;
  readonly strict?: boolean;
  readonly dialect?: string | undefined;
  readonly onEvent?: (event: SkillEvent) => void;
}

/** Opens the library of a command. */
export async function openLibrary({ roots, trust = false, strict = false, onEvent }: OpenLibraryOptions): Promise<SkillLibrary> {
  return openSkills({
    ...(roots === undefined || roots.length === 0 ? {} : { sources: [...roots] }),
    ...(trust ? { trust: true } : {}),
    ...(strict ? { strict: true } : {}),
    ...(onEvent ? { onEvent } : {}),
  });
}
