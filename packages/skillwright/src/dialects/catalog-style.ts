/** How a dialect writes its catalogue; a table that the renderer reads. */
export interface CatalogStyle {
  readonly open: string;
  readonly close: string;
  /** One entry of one skill; name and description are folded and escaped already; an empty description means by name alone. */
  readonly entry: (name: string, description: string) => string;
  /** Said once, before the closing line, when skills were omitted. */
  readonly more?: (omitted: number) => string;
  /** How text is made safe: "markup" escapes `&`, `<`, `>` and `"`; "line" only a `<` that could open or close a tag. @default "markup" */
  readonly escape?: "markup" | "line";
}
