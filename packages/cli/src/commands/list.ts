import type { Command } from "commander";
import type { SkillLibrary } from "skillwright";
import { exitCode } from "../exit-code.ts";
import { oneLine, renderTable } from "../terminal/table.ts";
import { type Finish, type LibraryFlags, libraryOptions, printJson, withLibrary } from "./library-command.ts";

/** `skillwright list`: what there is, and what a model would see of it. */
export function listCommand(program: Command, finish: Finish): void {
  libraryOptions(program.command("list").description("List the skills, as a model would see them.")).action((flags: LibraryFlags) =>
    finish(withLibrary(flags, async (library) => list(library, flags))),
  );
}

function list(library: SkillLibrary, flags: LibraryFlags): number {
  const { catalog } = library;
  const { tokens, shortened, omitted } = catalog.render({ maxTokens: library.maxCatalogTokens });
  const errors = catalog.diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  if (flags.json) {
    const skills = catalog.skills.map(({ name, description, location, source, trust, aliases }) => ({
      name,
      description,
      location,
      source,
      trust,
      aliases,
    }));
    printJson({ skills, excluded: catalog.excluded, catalogTokens: tokens, budget: library.maxCatalogTokens, shortened, omitted });
    return exitCode.ok;
  }
  if (catalog.skills.length === 0)
    process.stdout.write("No skills found. skillwright doctor says where was looked; skillwright init NAME starts one.\n");
  else {
    const rows = catalog.skills.map((skill) => [skill.name, oneLine(skill.description, 160), skill.location]);
    process.stdout.write(
      `${renderTable([{ heading: "name" }, { heading: "description", wide: true }, { heading: "where", wide: true }], rows)}\n\n`,
    );
  }
  const parts = [`${catalog.skills.length} skills`, `${tokens} of ${library.maxCatalogTokens} catalogue tokens`];
  if (shortened.length > 0) parts.push(`${shortened.length} descriptions shortened`);
  if (omitted.length > 0) parts.push(`${omitted.length} found by search alone`);
  if (catalog.excluded.length > 0 || errors > 0) parts.push(`${catalog.excluded.length} left out (skillwright doctor says why)`);
  process.stdout.write(`${parts.join(", ")}\n`);
  return exitCode.ok;
}
