import { Command, CommanderError } from "commander";
import { runCommand } from "./commands/run.ts";
import { exitCode } from "./exit-code.ts";
import { explainError } from "./terminal/explain-error.ts";
import { UsageError } from "./usage-error.ts";

/** Options that every command takes. */
export interface SharedOptions {
  readonly json?: boolean;
}

const version = "0.1.0";

/** Runs the command line and answers the exit code; nothing here ends the process, so that output is flushed. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let code: number = exitCode.ok;
  const program = new Command("skillwright")
    .description("Agent Skills: discover, load, read and run SKILL.md folders safely.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(skillwright --help lists what there is)")
    .configureOutput({ writeErr: (text) => process.stderr.write(text) });
  const finish = (result: Promise<number>) => result.then((value) => { code = value; });
  runCommand(program, finish);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    process.stderr.write(`${explainError(error)}\n`);
    return error instanceof UsageError ? exitCode.usage : exitCode.failed;
  }
}
