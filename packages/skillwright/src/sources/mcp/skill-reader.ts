import type { SourceCandidate, SourceContext, SourceEntry, SourceFile } from "../../catalog/index.ts";
import type { Diagnostic } from "../../core/index.ts";

/** One way of getting skills from a server. */
export interface SkillReader {
  list(context: SourceContext & { readonly known?: ReadonlyMap<string, string> }): Promise<readonly SourceEntry[]>;
  files(
    path: string,
    context: SourceContext,
  ): Promise<{ readonly files: readonly SourceFile[]; readonly diagnostics: readonly Diagnostic[] }>;
  read(path: string, file: string, context: SourceContext & { readonly maxBytes: number }): Promise<Uint8Array>;
  find(name: string, context: SourceContext): Promise<SourceCandidate | undefined>;
}

/** How a reader tells of places: a server's label and a URI. */
export type Locate = (path: string, file?: string) => string;

/** The name of the file that makes a folder a skill. */
export const skillFile = "SKILL.md";
