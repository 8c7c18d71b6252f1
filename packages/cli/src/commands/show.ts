import type { Command } from "commander";
import type { SkillLibrary } from "skillwright";
import { exitCode } from "../exit-code.ts";
import { colorsFor } from "../terminal/table.ts";
import { type Finish, type LibraryFlags, libraryOptions, printJson, withLibrary } from "./library-command.ts";

/** `skillwright show NAME` and `skillwright read NAME PATH`: one skill, one file of it. */
export function showCommands(program: Command, finish: Finish): void {
  libraryOptions(
    program.command("show").description("Show one skill: its frontmatter, its files, its instructions.").argument("<name>"),
  ).action((name: string, flags: LibraryFlags) => finish(withLibrary(flags, (library) => show(library, name, flags))));
  libraryOptions(program.command("read").description("Print one file of a skill.").argument("<name>").argument("<path>")).action(
    (name: string, path: string, flags: LibraryFlags) => finish(withLibrary(flags, (library) => read(library, name, path, flags))),
  );
}

async function show(library: SkillLibrary, name: string, flags: LibraryFlags): Promise<number> {
  const { skill, body, files, bodyDigest } = await library.load(name);
  const diagnostics = library.catalog.diagnostics.filter((diagnostic) => diagnostic.location.startsWith(skill.location));
  const tokens = library.countTokens(body);
  if (flags.json) {
    const { manifest, location, source, trust, aliases } = skill;
    printJson({ name: skill.name, location, source, trust, aliases, manifest, bodyDigest, bodyTokens: tokens, files, diagnostics, body });
    return exitCode.ok;
  }
  const colors = colorsFor(process.stdout);
  const fact = (label: string, value: string): string => `${colors.dim(label.padEnd(12))} ${value}`;
  const { manifest } = skill;
  const lines = [
    colors.bold(skill.name),
    skill.description,
    "",
    fact("where", skill.location),
    fact("trust", skill.trust),
    ...(manifest.license === undefined ? [] : [fact("license", manifest.license)]),
    ...(manifest.compatibility === undefined ? [] : [fact("needs", manifest.compatibility)]),
    ...(manifest.allowedTools.length === 0 ? [] : [fact("tools", manifest.allowedTools.join(" "))]),
    fact("body", `${tokens} tokens, ${bodyDigest}`),
    ...files.map((file, index) => fact(index === 0 ? "files" : "", `${file.path} (${file.kind}, ${file.bytes} bytes)`)),
    ...diagnostics.map((diagnostic) => fact(diagnostic.severity, `${diagnostic.message}${diagnostic.hint ? ` ${diagnostic.hint}` : ""}`)),
    "",
    body.trim(),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return exitCode.ok;
}

async function read(library: SkillLibrary, name: string, path: string, flags: LibraryFlags): Promise<number> {
  const { bytes, text, mediaType, size } = await library.read(name, path);
  if (flags.json)
    printJson({ path, mediaType, size, ...(text === undefined ? { base64: Buffer.from(bytes).toString("base64") } : { text }) });
  else process.stdout.write(bytes);
  return exitCode.ok;
}
