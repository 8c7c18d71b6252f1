import type { Command } from "commander";
import { exitCode } from "../exit-code.ts";
import { oneLine, renderTable } from "../terminal/table.ts";
import { UsageError } from "../usage-error.ts";
import { type Finish, type LibraryFlags, libraryOptions, printJson, withLibrary } from "./library-command.ts";

interface SearchFlags extends LibraryFlags {
  readonly limit?: string;
}

/** `skillwright search QUERY`: the skills that answer it best, and why. */
export function searchCommand(program: Command, finish: Finish): void {
  libraryOptions(program.command("search").description("Find skills by what they are for.").argument("<query...>"))
    .option("--limit <n>", "hits at most", "10")
    .action((words: string[], flags: SearchFlags) => finish(search(words.join(" "), flags)));
}

function search(query: string, flags: SearchFlags): Promise<number> {
  const limit = Number(flags.limit ?? 10);
  if (!Number.isInteger(limit) || limit < 1) throw new UsageError(`--limit takes a whole number from 1, not "${flags.limit}".`);
  return withLibrary(flags, async (library) => {
    const hits = await library.search(query, { limit });
    if (flags.json) printJson(hits.map(({ skill, score, why }) => ({ name: skill.name, description: skill.description, score, why })));
    else if (hits.length === 0) process.stdout.write(`No skill matches "${query}". Try other words; skillwright list shows all.\n`);
    else {
      const rows = hits.map(({ skill, score, why }) => [skill.name, score.toFixed(2), oneLine(skill.description, 120), why]);
      const columns = [
        { heading: "name" },
        { heading: "score" },
        { heading: "description", wide: true },
        { heading: "matched", wide: true },
      ];
      process.stdout.write(`${renderTable(columns, rows)}\n`);
    }
    return exitCode.ok;
  });
}
