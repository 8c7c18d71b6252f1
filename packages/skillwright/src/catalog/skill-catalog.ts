import type { Diagnostic } from "../core/index.ts";
import type { CatalogStyle } from "../dialects/index.ts";
import type { Manifest } from "../format/index.ts";
import type { Trust } from "./skill-source.ts";

/** One usable skill of a catalogue; immutable. */
export interface Skill {
  /** The key by which it is loaded. */
  readonly name: string;
  readonly description: string;
  /** The folder as a person can find it. */
  readonly location: string;
  /** Id of its source, and its folder inside it. */
  readonly source: string;
  readonly path: string;
  /** The SKILL.md's name as found. */
  readonly file: string;
  readonly trust: Trust;
  /** Changes whenever its SKILL.md does. */
  readonly revision: string;
  readonly manifest: Manifest;
  /** Other keys that load it: the folder's name where it is unambiguous. */
  readonly aliases: readonly string[];
}

/** Why a candidate is not among the skills. */
export interface Excluded {
  readonly name: string;
  readonly location: string;
  readonly fate: "invalid" | "shadowed" | "withheld" | "ineligible" | "disabled" | "hidden";
  /** Why, and what to do. */
  readonly reason: string;
}

/** The catalogue as text, and what did not fit. */
export interface RenderedCatalog {
  readonly text: string;
  readonly tokens: number;
  /** Names whose description was cut. */
  readonly shortened: readonly string[];
  /** Names that are not in the text at all. */
  readonly omitted: readonly string[];
}

/** Options of {@link SkillCatalog.render}. */
export interface RenderOptions {
  /** Budget in tokens. @default 4,000 (2 % of a 200k window) */
  readonly maxTokens?: number;
  readonly style?: CatalogStyle;
  /** Skills to leave out, for a session's own scope. */
  readonly omit?: ReadonlySet<string>;
}

/** One consistent, immutable set of skills. */
export interface SkillCatalog {
  /** Grows with each snapshot that differs. */
  readonly revision: number;
  /** In source order, then in the order in which the source lists them: folders by name, what is reached through links last. */
  readonly skills: readonly Skill[];
  readonly excluded: readonly Excluded[];
  readonly diagnostics: readonly Diagnostic[];
  /** The skill of a name or an unambiguous alias; names compare in NFC; prototype names are ordinary. */
  get(nameOrAlias: string): Skill | undefined;
  render(options?: RenderOptions): RenderedCatalog;
}
