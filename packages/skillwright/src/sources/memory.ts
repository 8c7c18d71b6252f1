import type { SkillSource, SourceCandidate, SourceFile } from "../catalog/index.ts";
import { type JsonValue, normalizeRelativePath, SkillError } from "../core/index.ts";
import { renderSkill } from "../format/index.ts";

/** A skill written in code; see {@link defineSkill}. */
export interface SkillDefinition {
  readonly name: string;
  /** What the skill does and when to use it. */
  readonly description: string;
  /** The instructions: the Markdown that stands after the frontmatter. */
  readonly body: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly allowedTools?: readonly string[];
  readonly metadata?: { readonly [key: string]: JsonValue };
  /** Further top-level keys of the frontmatter. */
  readonly extra?: { readonly [key: string]: JsonValue };
  /** The skill's other files by their relative paths. */
  readonly files?: { readonly [path: string]: string | Uint8Array };
}

/** A skill in memory: its files, SKILL.md among them. */
export interface DefinedSkill {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Options of {@link memorySource}. */
export interface MemorySourceOptions {
  /** @default "memory" */
  readonly id?: string;
}

const encoder = new TextEncoder();
const skillFile = "SKILL.md";

/**
 * A skill written in code, for {@link memorySource}. It becomes a SKILL.md like any other and is read by the same parser.
 * @throws SkillError `configuration-invalid` when a file's path is absolute, climbs out, or is SKILL.md itself
 */
export function defineSkill(definition: SkillDefinition): DefinedSkill {
  const { files = {}, ...manifest } = definition;
  const contents = new Map([[skillFile, encoder.encode(renderSkill(manifest))]]);
  for (const [name, data] of Object.entries(files)) {
    const path = normalizeRelativePath(name);
    if (path === undefined || path.toLowerCase() === "skill.md") {
      throw new SkillError("configuration-invalid", `The skill ${definition.name} cannot have a file ${JSON.stringify(name)}.`, {
        hint: "Name files by paths inside the skill; SKILL.md is written from the definition.",
      });
    }
    contents.set(path, typeof data === "string" ? encoder.encode(data) : data.slice());
  }
  return { name: definition.name, files: contents };
}

/** Skills in memory. A list that the host changes is read again by each refresh. */
export function memorySource(skills: Iterable<DefinedSkill>, options: MemorySourceOptions = {}): SkillSource {
  const id = options.id ?? "memory";
  const stamps = new WeakMap<DefinedSkill, string>();
  let defined = 0;
  let byPath = new Map<string, DefinedSkill>();

  function stampOf(skill: DefinedSkill): string {
    const stamp = stamps.get(skill) ?? `${++defined}`;
    stamps.set(skill, stamp);
    return stamp;
  }

  function placed(): Map<string, DefinedSkill> {
    const places = new Map<string, DefinedSkill>();
    for (const skill of skills) {
      let path = skill.name;
      for (let number = 2; places.has(path); number++) path = `${skill.name}#${number}`;
      places.set(path, skill);
    }
    return places;
  }

  function candidateOf(path: string, skill: DefinedSkill): SourceCandidate {
    const header = skill.files.get(skillFile) ?? new Uint8Array();
    return { path, file: skillFile, header, size: header.length, stamp: stampOf(skill) };
  }

  return {
    id,
    origin: "local",
    *list({ known }) {
      byPath = placed();
      for (const [path, skill] of byPath) {
        if (known?.get(path) === stampOf(skill)) yield { path, unchanged: true };
        else yield candidateOf(path, skill);
      }
    },
    async files(path) {
      const skill = byPath.get(path);
      if (skill === undefined) return { files: [], diagnostics: [] };
      const files = Array.from(
        skill.files,
        ([name, bytes]): SourceFile => ({ path: name, bytes: bytes.length, mode: modeOf(bytes), stamp: stampOf(skill) }),
      );
      files.sort((a, b) => (a.path < b.path ? -1 : 1));
      return { files, diagnostics: [] };
    },
    async read(path, file, { maxBytes }) {
      const name = normalizeRelativePath(file);
      if (name === undefined) {
        throw new SkillError("path-outside-root", `${JSON.stringify(file)} is not a path inside the skill.`, {
          hint: "Name a file by its path relative to the skill's folder, without `..`.",
          data: { path: file },
        });
      }
      const bytes = byPath.get(path)?.files.get(name);
      if (bytes === undefined) {
        throw new SkillError("file-not-found", `${this.locate(path, name)} does not exist.`, {
          hint: "Read one of the files that the skill lists.",
          data: { path: file },
        });
      }
      if (bytes.length > maxBytes) {
        throw new SkillError("limit-exceeded", `${this.locate(path, name)} has ${bytes.length} bytes; ${maxBytes} are allowed.`, {
          hint: "Read a smaller file, or raise the limit.",
          data: { path: file, size: bytes.length, maxBytes },
        });
      }
      return bytes.slice();
    },
    locate: (path, file) => (file === undefined ? `${id}:${path}` : `${id}:${path}/${file}`),
  };
}

/** A file that names its interpreter may be run. */
function modeOf(bytes: Uint8Array): number {
  return bytes[0] === 0x23 && bytes[1] === 0x21 ? 0o755 : 0o644;
}
