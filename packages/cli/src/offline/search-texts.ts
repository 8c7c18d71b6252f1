import { createSearchIndex } from "skillwright";

/** A named text to search for. */
export interface NamedText {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** One text that was found, with the words that matched and where: `sales (description), csv (name)`. */
export interface FoundText {
  readonly id: string;
  readonly score: number;
  readonly why: string;
}

/** Ranks a few texts for a query with the library's own search. */
export function searchTexts(texts: readonly NamedText[], query: string, limit: number): readonly FoundText[] {
  const index = createSearchIndex();
  index.update(texts.map((text) => ({ ...text, revision: "" })));
  return index.search(query, limit);
}
