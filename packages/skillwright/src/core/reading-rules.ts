/** How a home system reads SKILL.md files; a dialect names them. */
export interface ReadingRules {
  /** Where the name comes from. @default "frontmatter" (the folder's name fills in where it is missing) */
  readonly nameFrom: "frontmatter" | "folder";
  /** Whether a skill without a description is left out. @default true */
  readonly requireDescription: boolean;
  /** Whether a file without frontmatter is left out; otherwise all of it is body. @default true */
  readonly requireFrontmatter: boolean;
  /** Whether any error or warning of the format excludes the skill. @default false */
  readonly strict: boolean;
  /** Which spelling of names strict reading asks for. @default "kebab" */
  readonly nameStyle: "kebab" | "kebab-or-snake";
}

/** The rules of agentskills.io's client guide. */
export const defaultReadingRules: ReadingRules = Object.freeze({
  nameFrom: "frontmatter",
  requireDescription: true,
  requireFrontmatter: true,
  strict: false,
  nameStyle: "kebab",
});
