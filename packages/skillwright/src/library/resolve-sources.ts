import type { SkillSource, TrustedSource } from "../catalog/index.ts";
import { SkillError } from "../core/index.ts";
import type { LibraryOptions } from "./skill-library.ts";

/**
 * Asks resolvers for their sources, once, and gives each source its trust: a bare one is trusted when it is local.
 * A folder that is named twice counts once.
 * @throws SkillError `tenant-unresolved`, `configuration-invalid`
 */
export async function resolveSources({ sources, context }: Pick<LibraryOptions, "sources" | "context">): Promise<TrustedSource[]> {
  const owners = new Map<string, TrustedSource>();
  for (const [index, given] of sources.entries()) {
    const found = typeof given === "function" ? await given(context) : given;
    if (found === undefined) throw unresolved(index);
    const owner = "source" in found ? found : withDefaultTrust(found);
    const { source } = owner;
    const twin = owners.get(source.id)?.source;
    if (twin === undefined) owners.set(source.id, owner);
    else if (twin !== source && (source.id !== source.locate("") || source.id !== twin.locate(""))) throw sameId(source.id);
  }
  return [...owners.values()];
}

function withDefaultTrust(source: SkillSource): TrustedSource {
  return { source, trust: source.origin === "local" ? "trusted" : "untrusted" };
}

function unresolved(index: number): SkillError {
  return new SkillError("tenant-unresolved", `Source number ${index + 1} resolves to nothing in this context.`, {
    hint: "Answer with a source for every tenant that may open a library, or leave the source out; there is no other to fall back to.",
  });
}

function sameId(id: string): SkillError {
  return new SkillError("configuration-invalid", `Two sources have the id ${JSON.stringify(id)}.`, {
    hint: "Give one of them another id.",
  });
}
