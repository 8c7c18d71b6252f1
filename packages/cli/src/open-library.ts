import { type BlobStore, type NodeSkillsOptions, openSkills, type SkillEvent, type SkillLibrary } from "skillwright";
import { trustPrompt } from "./ask-trust.ts";

/** How a command opens its library. */
export interface OpenLibraryOptions {
  /** Folders the person named; without any, the default scopes. */
  readonly roots?: readonly string[] | undefined;
  readonly trust?: boolean;
  readonly strict?: boolean;
  /** Keeps what sessions pinned; a conversation that goes on in another process needs it. */
  readonly blobs?: BlobStore | undefined;
  readonly onEvent?: (event: SkillEvent) => void;
}

/** Opens the library of a command. */
export async function openLibrary({ roots, trust = false, strict = false, blobs, onEvent }: OpenLibraryOptions): Promise<SkillLibrary> {
  return openSkills({
    ...(roots === undefined || roots.length === 0 ? {} : { sources: [...roots] }),
    ...trustOf(trust),
    ...(strict ? { strict: true } : {}),
    ...(blobs ? { blobs } : {}),
    ...(onEvent ? { onEvent } : {}),
  });
}

function trustOf(flag: boolean): Pick<NodeSkillsOptions, "trust"> {
  const trust = flag ? true : trustPrompt();
  return trust === undefined ? {} : { trust };
}
