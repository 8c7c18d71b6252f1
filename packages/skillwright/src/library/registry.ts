import { readCandidate, type Skill, type SourceCandidate, type SourceContext, type TrustedSource } from "../catalog/index.ts";
import { type Diagnostic, type Limits, type ReadingRules, SkillError, throwIfAborted } from "../core/index.ts";
import type { OwnedSkill } from "./load-skill.ts";

/** Asks the sources that cannot list what they hold. */
export interface Registry {
  /**
   * The skill of a name, from the first source that has it.
   * @throws SkillError `registry-failed` when none has it and one did not answer
   */
  find(name: string, signal?: AbortSignal): Promise<OwnedSkill | undefined>;
  /** What the sources answer to a query, best first, source by source. */
  search(query: string, limit: number, signal?: AbortSignal): Promise<OwnedSkill[]>;
}

/** What a registry goes by. */
export interface RegistrySettings {
  readonly rules: ReadingRules;
  readonly limits: Limits;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** A source that fails is reported and asked again next time; the others answer. */
export function createRegistry(sources: readonly TrustedSource[], settings: RegistrySettings): Registry {
  const { limits } = settings;

  async function skillOf(owner: TrustedSource, found: SourceCandidate, context: SourceContext): Promise<Skill | undefined> {
    const { header, path, file, size } = found;
    let read = readCandidate(owner, found, { bytes: header, whole: header.length >= size, settled: true }, settings);
    if (read === undefined) {
      const bytes = await owner.source.read(path, file, { ...context, maxBytes: limits.maxBodyBytes });
      read = readCandidate(owner, found, { bytes, whole: true, settled: true }, settings);
    }
    for (const diagnostic of read?.diagnostics ?? []) settings.onDiagnostic(diagnostic);
    return read?.skill;
  }

  async function ask<Answer>(owner: TrustedSource, question: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await question();
    } catch (error) {
      settings.onDiagnostic({
        severity: "error",
        code: "source-failed",
        message: `The source ${owner.source.id} failed: ${error instanceof Error ? error.message : String(error)}`,
        location: owner.source.id,
        hint: "Check that the source can be reached, then try again.",
      });
      return undefined;
    }
  }

  const contextOf = ({ trust }: TrustedSource, signal?: AbortSignal): SourceContext => ({ trust, limits, ...(signal && { signal }) });

  return {
    async find(name, signal) {
      let failed: string | undefined;
      for (const owner of sources) {
        const { source } = owner;
        if (source.find === undefined || owner.withheld !== undefined) continue;
        const context = contextOf(owner, signal);
        const answer = await ask(owner, async () => {
          const found = await source.find?.(name, context);
          return { skill: found && (await skillOf(owner, found, context)) };
        });
        throwIfAborted(signal);
        if (answer === undefined) failed ??= source.id;
        const skill = answer?.skill;
        // A source that answers with something like it is not believed: another skill than the one asked for is never loaded.
        if (skill !== undefined && skill.name.normalize("NFC") === name.normalize("NFC")) return { skill, owner };
      }
      if (failed === undefined) return undefined;
      throw new SkillError("registry-failed", `The source ${failed} did not answer whether it has the skill ${JSON.stringify(name)}.`, {
        hint: "Check that the source can be reached, then try again.",
        data: { name, source: failed },
      });
    },
    async search(query, limit, signal) {
      const answers = sources.map(async (owner) => {
        const { source } = owner;
        if (source.search === undefined || owner.withheld !== undefined) return [];
        const context = contextOf(owner, signal);
        const skills = await ask(owner, async () => {
          const found = (await source.search?.(query, { ...context, limit })) ?? [];
          return Promise.all(found.map((candidate) => skillOf(owner, candidate, context)));
        });
        return (skills ?? []).filter((skill) => skill !== undefined).map((skill): OwnedSkill => ({ skill, owner }));
      });
      return (await Promise.all(answers)).flat();
    },
  };
}
