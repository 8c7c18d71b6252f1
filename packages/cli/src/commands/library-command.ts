import type { Command } from "commander";
import type { SkillLibrary } from "skillwright";
import { openLibrary } from "../open-library.ts";

/** Flags of commands that look at a library. */
export interface LibraryFlags {
  readonly skills?: string[];
  readonly strict?: boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
}

/** How a command hands its exit code over. */
export type Finish = (result: Promise<number>) => Promise<void>;

/** Adds the flags that every command on a library takes. */
export function libraryOptions(command: Command): Command {
  return command
    .option("--skills <root...>", "folders with skills (default: .agents/skills, .claude/skills and skills, here and in your home folder)")
    .option("--strict", "leave out skills with any fault of the format")
    .option("--trust", "trust the skills of this project")
    .option("--json", "print JSON");
}

/** Opens the library of a command, and closes it whatever happens. */
export async function withLibrary(flags: LibraryFlags, use: (library: SkillLibrary) => Promise<number>): Promise<number> {
  const progress = scanProgress();
  const library = await openLibrary({
    roots: flags.skills,
    strict: flags.strict === true,
    trust: flags.trust === true,
    onEvent: progress.onEvent,
  });
  progress.end();
  try {
    return await use(library);
  } finally {
    await library.close();
  }
}

/** Shows that a long scan is alive; silent on a pipe, and while it is short. */
function scanProgress(): { readonly onEvent: NonNullable<Parameters<typeof openLibrary>[0]["onEvent"]>; readonly end: () => void } {
  const started = performance.now();
  let shown = false;
  return {
    onEvent: (event) => {
      if (event.type === "skills-withheld")
        process.stderr.write(`note: ${event.count} skill${event.count === 1 ? "" : "s"} of this project withheld. ${event.hint}\n`);
      if (event.type !== "scan-progress" || !process.stderr.isTTY || performance.now() - started < 300) return;
      shown = true;
      process.stderr.write(`\rscanning ${event.source}: ${event.candidates} skills`);
    },
    end: () => {
      if (shown) process.stderr.write("\r\x1b[K");
    },
  };
}

/** Prints a value as JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}
