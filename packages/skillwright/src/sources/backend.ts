import type { SkillSource, SourceCandidate } from "../catalog/index.ts";
import { type JsonValue, SkillError } from "../core/index.ts";
import { renderSkill } from "../format/index.ts";

/** What a backend lists of a skill. */
export interface BackendEntry {
  readonly name: string;
  readonly description: string;
  /** `fork` or `fork_with_context`: the skill runs in an agent of its own. */
  readonly context?: string;
  readonly agent?: string;
  readonly model?: string;
}

/** A whole skill of a backend. */
export interface BackendSkill extends BackendEntry {
  /** The instructions. */
  readonly content: string;
  /** Where the skill's files lie, for the model. */
  readonly baseDirectory?: string;
}

/** Skills behind two calls: what there is, and one of them. */
export interface SkillBackend {
  list(options: { readonly signal?: AbortSignal }): Promise<readonly BackendEntry[]>;
  /** The skill of a name; undefined, or an error, where there is none. */
  get(name: string, options: { readonly signal?: AbortSignal }): Promise<BackendSkill | undefined>;
}

/** Options of {@link backendSource}. */
export interface BackendSourceOptions {
  /** @default "backend" */
  readonly id?: string;
}

const encoder = new TextEncoder();
const skillFile = "SKILL.md";

/** A source on a backend that lists and gets skills. A skill of it is its instructions; each load asks for them anew. */
export function backendSource(backend: SkillBackend, options: BackendSourceOptions = {}): SkillSource {
  const id = options.id ?? "backend";
  const folders = new Map<string, string>();

  async function textOf(name: string, signal?: AbortSignal): Promise<Uint8Array> {
    const skill = await backend.get(name, signal ? { signal } : {});
    if (skill === undefined || skill.name !== name) throw missing(`${id}:${name}`);
    if (skill.baseDirectory === undefined) folders.delete(name);
    else folders.set(name, skill.baseDirectory);
    return encoder.encode(render(skill, skill.content));
  }

  return {
    id,
    async *list({ signal }) {
      for (const entry of await backend.list(signal ? { signal } : {})) yield candidateOf(entry);
    },
    files: async () => ({ files: [], diagnostics: [] }),
    async read(path, file, { maxBytes, signal }) {
      if (file !== skillFile) throw missing(this.locate(path, file));
      const bytes = await textOf(path, signal);
      if (bytes.length <= maxBytes) return bytes;
      throw new SkillError("limit-exceeded", `${this.locate(path, file)} has ${bytes.length} bytes; ${maxBytes} are allowed.`, {
        hint: "Shorten the skill, or raise the limit.",
        data: { path: file, size: bytes.length, maxBytes },
      });
    },
    locate: (path, file) => [folders.get(path) ?? `${id}:${path}`, ...(file === undefined ? [] : [file])].join("/"),
  };
}

function candidateOf(entry: BackendEntry): SourceCandidate {
  const text = render(entry, "");
  const header = encoder.encode(text);
  return { path: entry.name, file: skillFile, header, size: header.length, stamp: text };
}

function render({ name, description, context, agent, model }: BackendEntry, body: string): string {
  const extra: Record<string, JsonValue> = {
    ...(context === undefined ? {} : { context }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
  };
  return renderSkill({ name, description, extra, body });
}

function missing(place: string): SkillError {
  return new SkillError("file-not-found", `${place} does not exist.`, {
    hint: "Use a name that the backend lists.",
    data: { path: place },
  });
}
