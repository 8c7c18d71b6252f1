import { Command, CommanderError } from "commander";
import { doctorCommand } from "./commands/doctor.ts";
import { execCommand } from "./commands/exec.ts";
import { initCommand } from "./commands/init.ts";
import type { Finish } from "./commands/library-command.ts";
import { listCommand } from "./commands/list.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { runCommand } from "./commands/run.ts";
import { searchCommand } from "./commands/search.ts";
import { showCommands } from "./commands/show.ts";
import { trustCommand } from "./commands/trust.ts";
import { validateCommand } from "./commands/validate.ts";
import { exitCode } from "./exit-code.ts";
import { explainError } from "./terminal/explain-error.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** Every command, in the order of the help. */
const commands: readonly ((program: Command, finish: Finish) => void)[] = [
  runCommand,
  listCommand,
  showCommands,
  searchCommand,
  doctorCommand,
  validateCommand,
  initCommand,
  trustCommand,
  execCommand,
  mcpCommand,
];

/** Runs the command line and answers the exit code; nothing here ends the process, so that output is flushed. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let code: number = exitCode.ok;
  const program = new Command("skillwright")
    .description("Agent Skills: discover, load, read and run SKILL.md folders safely.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(skillwright --help lists what there is)")
    .configureOutput({ writeErr: (text) => process.stderr.write(text) });
  const finish: Finish = async (result) => {
    code = await result;
  };
  for (const register of commands) register(program, finish);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    process.stderr.write(`${explainError(error)}\n`);
    return error instanceof UsageError ? exitCode.usage : exitCode.failed;
  }
}
