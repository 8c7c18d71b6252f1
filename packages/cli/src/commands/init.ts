import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { renderSkill } from "skillwright";
import { exitCode } from "../exit-code.ts";
import { UsageError } from "../usage-error.ts";
import { type Finish, printJson } from "./library-command.ts";

interface InitFlags {
  readonly dir?: string;
  readonly description?: string;
  readonly json?: boolean;
}

const body = `# What this skill does

Say in a sentence what comes out.

## Steps

1. Read what the user gave; files are in \`inputs/\`.
2. Say here what to do, in order, with the commands to run.
3. Say how to know that it worked, and when to stop.

## When something is missing

Say what to ask the user for.
`;

/** `skillwright init NAME`: a skill to start from, which passes strict validation. */
export function initCommand(program: Command, finish: Finish): void {
  program
    .command("init")
    .description("Start a skill that passes strict validation.")
    .argument("<name>", "kebab-case, for example pdf-forms")
    .option("--dir <folder>", "where its folder is made", "skills")
    .option("--description <text>", "what it does and when to use it")
    .option("--json", "print JSON")
    .action((name: string, flags: InitFlags) => finish(init(name, flags)));
}

async function init(name: string, flags: InitFlags): Promise<number> {
  if (name.length > 64 || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    const suggestion = name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 64)
      .replace(/-+$/, "");
    throw new UsageError(
      `"${name}" is not a name for a skill: at most 64 lower-case letters, digits and single hyphens.${suggestion === "" ? "" : ` Try ${suggestion}.`}`,
    );
  }
  const description = flags.description ?? `Says what ${name} does. Use when the user asks for ${name.replaceAll("-", " ")}.`;
  const text = renderSkill({ name, description, body });
  const folder = join(flags.dir ?? "skills", name);
  const path = join(folder, "SKILL.md");
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw new UsageError(`${path} exists already; it was left as it is.`, { cause: error });
    throw error;
  }
  if (flags.json) printJson({ path });
  else
    process.stdout.write(`Wrote ${path}.\nNext: write the description and the steps, then run skillwright validate ${folder} --strict.\n`);
  return exitCode.ok;
}
