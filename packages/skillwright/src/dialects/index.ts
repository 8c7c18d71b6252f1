/**
 * Data only: how each home system reads skills, shows its catalogue, names its tools and words its answers.
 */
export type { CatalogStyle } from "./catalog-style.ts";
