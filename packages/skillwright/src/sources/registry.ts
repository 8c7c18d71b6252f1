import type { SkillSource, SourceCandidate, SourceFile } from "../catalog/index.ts";
import { digestOf, normalizeRelativePath, SkillError } from "../core/index.ts";
import { renderSkill, type SkillText } from "../format/index.ts";

/** A skill as a registry describes it: its frontmatter. */
export type RegistryEntry = Omit<SkillText, "body">;

/** A whole skill of a registry. */
export interface RegistrySkill extends RegistryEntry {
  readonly instructions: string;
  /** Further files by kind and path below the kind's folder. */
  readonly resources?: {
    readonly references?: Readonly<Record<string, string | Uint8Array>>;
    readonly assets?: Readonly<Record<string, string | Uint8Array>>;
    readonly scripts?: Readonly<Record<string, string | Uint8Array>>;
  };
}

/** A registry of skills: too many to list, found by search, fetched by name. */
export interface SkillRegistry {
  search(query: string, options: { readonly limit: number; readonly signal?: AbortSignal }): Promise<readonly RegistryEntry[]>;
  /** The skill of a name; undefined, or an error, where there is none. */
  get(name: string, options: { readonly signal?: AbortSignal }): Promise<RegistrySkill | undefined>;
}

/** Options of {@link registrySource}. */
export interface RegistrySourceOptions {
  /** @default "registry" */
  readonly id?: string;
  /** How long a fetched skill is used before it is fetched again; 0 asks each time. @default 60,000 */
  readonly maxAgeMs?: number;
}

/** A fetched skill by its files. */
interface Fetched {
  readonly at: number;
  readonly files: Promise<ReadonlyMap<string, Uint8Array> | undefined>;
}

const encoder = new TextEncoder();
const skillFile = "SKILL.md";
const defaultMaxAgeMs = 60_000;
const maxKept = 16;
/** One segment of an address; anything else is not asked for. */
const safeName = /^[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*$/u;
const maxNameLength = 256;

/** A source on a registry. It lists nothing; calls at the same time share one fetch, and a fetch that failed is not kept. */
export function registrySource(registry: SkillRegistry, options: RegistrySourceOptions = {}): SkillSource {
  const { id = "registry", maxAgeMs = defaultMaxAgeMs } = options;
  const kept = new Map<string, Fetched>();

  function fetched(name: string, signal?: AbortSignal): Fetched["files"] {
    if (name.length > maxNameLength || !safeName.test(name)) return Promise.resolve(undefined);
    const known = kept.get(name);
    if (known !== undefined && performance.now() - known.at < maxAgeMs) return known.files;
    const files = registry.get(name, signal ? { signal } : {}).then((skill) => (skill?.name === name ? filesOf(skill) : undefined));
    const entry: Fetched = { at: performance.now(), files };
    kept.delete(name);
    kept.set(name, entry);
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - maxKept))) kept.delete(oldest);
    files.catch(() => kept.get(name) === entry && kept.delete(name));
    return files;
  }

  return {
    id,
    *list() {},
    async find(name, { signal }) {
      const header = (await fetched(name, signal))?.get(skillFile);
      return header && candidateOf(name, header);
    },
    async search(query, { limit, signal }) {
      const found = await registry.search(query, { limit, ...(signal && { signal }) });
      return found.filter(isEntry).map((entry) => candidateOf(entry.name, encoder.encode(renderSkill(entry))));
    },
    async files(path, { signal }) {
      const files = await fetched(path, signal);
      const listed = await Promise.all(
        Array.from(
          files ?? [],
          async ([file, bytes]): Promise<SourceFile> => ({
            path: file,
            bytes: bytes.length,
            mode: modeOf(file),
            stamp: await digestOf(bytes),
          }),
        ),
      );
      return { files: listed.sort((a, b) => (a.path < b.path ? -1 : 1)), diagnostics: [] };
    },
    async read(path, file, { maxBytes, signal }) {
      const name = normalizeRelativePath(file);
      const bytes = name === undefined ? undefined : (await fetched(path, signal))?.get(name);
      if (bytes === undefined) {
        throw new SkillError(name === undefined ? "path-outside-root" : "file-not-found", `${this.locate(path, file)} does not exist.`, {
          hint: "Read one of the files that the skill lists.",
          data: { path: file },
        });
      }
      if (bytes.length <= maxBytes) return bytes.slice();
      throw new SkillError("limit-exceeded", `${this.locate(path, file)} has ${bytes.length} bytes; ${maxBytes} are allowed.`, {
        hint: "Read a smaller file, or raise the limit.",
        data: { path: file, size: bytes.length, maxBytes },
      });
    },
    locate: (path, file) => (file === undefined ? `${id}:${path}` : `${id}:${path}/${file}`),
  };
}

/** Registries answer over a network: an entry without a name is none. */
function isEntry(entry: RegistryEntry): boolean {
  const { name, description }: { readonly name: unknown; readonly description: unknown } = entry;
  return typeof name === "string" && name !== "" && typeof description === "string" && description !== "";
}

function filesOf({ instructions, resources = {}, ...entry }: RegistrySkill): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>([[skillFile, encoder.encode(renderSkill({ ...entry, body: instructions }))]]);
  for (const kind of ["references", "assets", "scripts"] as const) {
    for (const [name, data] of Object.entries(resources[kind] ?? {})) {
      const path = normalizeRelativePath(name);
      if (path !== undefined) files.set(`${kind}/${path}`, typeof data === "string" ? encoder.encode(data) : data);
    }
  }
  return files;
}

function candidateOf(name: string, header: Uint8Array): SourceCandidate {
  return { path: name, file: skillFile, header, size: header.length, stamp: new TextDecoder().decode(header) };
}

function modeOf(path: string): number {
  return path.startsWith("scripts/") ? 0o755 : 0o644;
}
