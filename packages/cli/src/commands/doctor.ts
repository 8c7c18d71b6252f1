import type { Command } from "commander";
import { probeSandboxes, readTrust, type SandboxPromises, type SkillLibrary } from "skillwright";
import { exitCode } from "../exit-code.ts";
import { colorsFor, oneLine, renderTable } from "../terminal/table.ts";
import { type Finish, type LibraryFlags, libraryOptions, printJson, withLibrary } from "./library-command.ts";

/** `skillwright doctor`: each candidate and its fate, what a model would see, which sandboxes work here. */
export function doctorCommand(program: Command, finish: Finish): void {
  libraryOptions(
    program.command("doctor").description("Say what was found where, what was left out and why, and which sandboxes work here."),
  ).action((flags: LibraryFlags) => finish(withLibrary(flags, (library) => examine(library, flags))));
}

interface Candidate {
  readonly name: string;
  readonly fate: string;
  readonly where: string;
  readonly why: string;
}

async function examine(library: SkillLibrary, flags: LibraryFlags): Promise<number> {
  const { catalog } = library;
  const rendered = catalog.render({ maxTokens: library.maxCatalogTokens });
  const probes = await probeSandboxes();
  const trust = readTrust();
  const candidates = candidatesOf(library, rendered);
  const errors = [...catalog.diagnostics, ...trust.diagnostics].filter((diagnostic) => diagnostic.severity === "error");
  if (flags.json) {
    printJson({
      candidates,
      diagnostics: catalog.diagnostics,
      catalog: { tokens: rendered.tokens, budget: library.maxCatalogTokens, shortened: rendered.shortened, omitted: rendered.omitted },
      sandboxes: probes.map(({ sandbox, result }) => ({
        id: sandbox.id,
        isolation: sandbox.isolation,
        promises: sandbox.promises,
        ...result,
      })),
      trust: { file: trust.file, grants: trust.grants, diagnostics: trust.diagnostics },
    });
    return errors.length > 0 ? exitCode.failed : exitCode.ok;
  }
  const colors = colorsFor(process.stdout);
  const section = (title: string, text: string): void => {
    process.stdout.write(`${colors.bold(title)}\n${text}\n\n`);
  };
  const rows = candidates.map(({ name, fate, where, why }) => [name, fate, where, oneLine(why, 240)]);
  section(
    "Skills",
    rows.length === 0
      ? "None found."
      : renderTable([{ heading: "name" }, { heading: "fate" }, { heading: "where", wide: true }, { heading: "why", wide: true }], rows),
  );
  const diagnostics = catalog.diagnostics.map(({ severity, code, message, location, line, hint }) => [
    severity,
    code,
    `${location}${line === undefined ? "" : `:${line}`}`,
    `${message}${hint === undefined ? "" : ` ${hint}`}`,
  ]);
  if (diagnostics.length > 0)
    section(
      "Diagnostics",
      renderTable(
        [{ heading: "severity" }, { heading: "code" }, { heading: "where", wide: true }, { heading: "what to do", wide: true }],
        diagnostics,
      ),
    );
  section(
    "Catalogue",
    `${rendered.tokens} of ${library.maxCatalogTokens} tokens; ${rendered.shortened.length} descriptions shortened, ${rendered.omitted.length} skills found by search alone`,
  );
  section(
    "Sandboxes",
    renderTable(
      [{ heading: "name" }, { heading: "isolation" }, { heading: "works" }, { heading: "detail", wide: true }],
      probes.map(({ sandbox, result }) => [
        sandbox.id,
        sandbox.isolation,
        result.ok ? "yes" : "no",
        result.ok ? promisesOf(sandbox.promises) : `${result.reason} ${result.hint}`,
      ]),
    ),
  );
  section(
    "Trusted projects",
    trust.grants.length === 0
      ? "None. skillwright trust PATH trusts one."
      : trust.grants.map((grant) => `${grant.path} since ${grant.grantedAt}`).join("\n"),
  );
  return errors.length > 0 ? exitCode.failed : exitCode.ok;
}

function candidatesOf(
  library: SkillLibrary,
  rendered: { readonly shortened: readonly string[]; readonly omitted: readonly string[] },
): Candidate[] {
  const shortened = new Set(rendered.shortened);
  const omitted = new Set(rendered.omitted);
  const listed = library.catalog.skills.map(({ name, location, trust }) => ({
    name,
    fate: omitted.has(name) ? "by search" : shortened.has(name) ? "shortened" : "listed",
    where: location,
    why: omitted.has(name) ? "The catalogue's budget is used up." : trust === "untrusted" ? "Untrusted source." : "",
  }));
  const left = library.catalog.excluded.map(({ name, fate, location, reason }) => ({ name, fate, where: location, why: reason }));
  return [...listed, ...left];
}

/** What a sandbox limits and what it does not, in words. */
function promisesOf(promises: SandboxPromises): string {
  const kept = Object.entries(promises).flatMap(([name, value]) => (value === true ? [words(name)] : []));
  const open = Object.entries(promises).flatMap(([name, value]) => (value === false ? [words(name)] : []));
  return `network: ${promises.network}; ${kept.join(", ")}${open.length === 0 ? "" : `; not: ${open.join(", ")}`}`;
}

function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
