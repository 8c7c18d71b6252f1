import type { CountTokens } from "../core/index.ts";
import { renderCatalog } from "./render-catalog.ts";
import type { Resolution } from "./resolve.ts";
import type { RenderedCatalog, RenderOptions, Skill, SkillCatalog } from "./skill-catalog.ts";

/** What the catalogue is rendered with where nothing else is asked for. */
export interface SnapshotSettings {
  readonly maxCatalogTokens: number;
  readonly countTokens: CountTokens;
}

interface Rendering {
  readonly maxTokens: number;
  readonly style: RenderOptions["style"];
  readonly omit: ReadonlySet<string>;
  readonly rendered: RenderedCatalog;
}

const maxRenderings = 16;
const nothing: ReadonlySet<string> = new Set();

/** What a catalogue is made of. */
export type SnapshotParts = Pick<SkillCatalog, "revision" | "skills" | "excluded" | "diagnostics" | "get">;

/** One immutable catalogue. What was rendered once is answered again as it is. */
export function createSnapshot(parts: SnapshotParts, settings: SnapshotSettings): SkillCatalog {
  const { skills } = parts;
  const renderings: Rendering[] = [];
  Object.freeze(skills);
  Object.freeze(parts.excluded);
  Object.freeze(parts.diagnostics);

  return Object.freeze({
    ...parts,
    render({ maxTokens = settings.maxCatalogTokens, style, omit = nothing }: RenderOptions = {}): RenderedCatalog {
      const known = renderings.find((entry) => entry.maxTokens === maxTokens && entry.style === style && sameSet(entry.omit, omit));
      if (known !== undefined) return known.rendered;
      const rendered = renderCatalog(skills, { maxTokens, countTokens: settings.countTokens, ...(style && { style }), omit });
      if (renderings.length === maxRenderings) renderings.shift();
      renderings.push({ maxTokens, style, omit: omit === nothing ? omit : new Set(omit), rendered });
      return rendered;
    },
  });
}

/** The same catalogue with fewer skills: what it leaves out is in no list, no answer and no diagnostic. */
export function narrowCatalog(
  catalog: SkillCatalog,
  isVisible: (skill: Skill) => boolean,
  isNamed: (name: string) => boolean,
  settings: SnapshotSettings,
): SkillCatalog {
  const visible = new Set(catalog.skills.filter(isVisible));
  const hidden = new Set(catalog.skills.filter((skill) => !visible.has(skill)).map(({ name }) => name));
  const excluded = catalog.excluded.filter(({ name }) => isNamed(name) && !hidden.has(name));
  const places = new Set([...visible, ...excluded].map(({ location }) => location));
  return createSnapshot(
    {
      revision: catalog.revision,
      skills: [...visible],
      excluded,
      diagnostics: catalog.diagnostics.filter(({ location }) => liesIn(location, places)),
      get: (nameOrAlias) => {
        const skill = catalog.get(nameOrAlias);
        return skill !== undefined && visible.has(skill) ? skill : undefined;
      },
    },
    settings,
  );
}

/** Whether a location is one of some places, or below one. */
function liesIn(location: string, places: ReadonlySet<string>): boolean {
  for (let place = location; place !== ""; place = place.slice(0, Math.max(0, place.lastIndexOf("/")))) {
    if (places.has(place)) return true;
  }
  return false;
}

/** Finds skills by the keys of a resolution, or by the end of their paths. */
export function lookup({ byKey, skills }: Pick<Resolution, "byKey" | "skills">): SkillCatalog["get"] {
  return (key) => byKey.get(key) ?? byKey.get(key.normalize("NFC").trim()) ?? atPath(skills, key);
}

/** The one skill whose folder, or SKILL.md, a text with slashes names by the end of its path. */
function atPath(skills: readonly Skill[], text: string): Skill | undefined {
  const path = text
    .replaceAll("\\", "/")
    .replace(/^\.\//, "")
    .replace(/\/skill\.md$/i, "")
    .replace(/\/$/, "");
  if (path === text && !path.includes("/")) return undefined;
  let found: Skill | undefined;
  for (const skill of skills) {
    if (skill.location !== path && !skill.location.endsWith(`/${path}`)) continue;
    if (found !== undefined) return undefined;
    found = skill;
  }
  return found;
}

function sameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const name of a) if (!b.has(name)) return false;
  return true;
}
