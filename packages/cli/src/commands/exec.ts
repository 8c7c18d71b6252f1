import { basename } from "node:path";
import type { Command } from "commander";
import type { SkillLibrary } from "skillwright";
import { abortOnSignal } from "../abort-on-signal.ts";
import { exitCode } from "../exit-code.ts";
import { readInput } from "../read-input.ts";
import { chooseSandbox } from "../sandboxes.ts";
import { UsageError } from "../usage-error.ts";
import { type Finish, type LibraryFlags, libraryOptions, printJson, withLibrary } from "./library-command.ts";

interface ExecFlags extends LibraryFlags {
  readonly sandbox?: string;
  readonly file?: string[];
  readonly grant?: string[];
  readonly timeout?: string;
}

/** `skillwright exec NAME -- ARGV`: one script of a skill in a sandbox, with live output. */
export function execCommand(program: Command, finish: Finish): void {
  libraryOptions(program.command("exec").description("Run one script or command of a skill in a sandbox."))
    .argument("<name>", "the skill")
    .argument("<argv...>", "after --: a script of the skill with its arguments, or a command")
    .option("--sandbox <name>", "auto, bubblewrap, container, virtual or local (no isolation)", "auto")
    .option("--file <path...>", "files to hand in; they are in inputs/")
    .option("--grant <variable...>", "variables of your environment that the run may see")
    .option("--timeout <seconds>", "time limit")
    .action((name: string, argv: string[], flags: ExecFlags) => finish(withLibrary(flags, (library) => exec(library, name, argv, flags))));
}

async function exec(library: SkillLibrary, name: string, argv: readonly string[], flags: ExecFlags): Promise<number> {
  const timeout = flags.timeout === undefined ? undefined : Number(flags.timeout);
  if (timeout !== undefined && !(timeout > 0)) throw new UsageError(`--timeout takes seconds, not "${flags.timeout}".`);
  const { skill, files } = await library.load(name);
  const abort = abortOnSignal();
  const { sandbox } = await chooseSandbox(flags.sandbox ?? "auto", { signal: abort.signal });
  if (sandbox === undefined) throw new UsageError("exec needs a sandbox. Use --sandbox auto, or local to run without isolation.");
  const grants = (flags.grant ?? []).map((variable) => ({ name: variable, value: () => process.env[variable] }));
  const missing = grants.find((grant) => process.env[grant.name] === undefined);
  if (missing !== undefined) throw new UsageError(`--grant ${missing.name}: that variable is not set.`);
  const session = await library.openSession({ sandbox, grants });
  try {
    for (const path of flags.file ?? []) {
      const input = await readInput(path);
      await session.putFile(basename(input.name), input.data);
    }
    const [first = "", ...rest] = argv;
    const script = files.find((file) => file.path === first || file.path === `scripts/${first}`);
    const [tool, input] =
      script === undefined
        ? (["run_command", { command: argv.map(quote).join(" "), skill: skill.name }] as const)
        : (["run_skill_script", { name: skill.name, script: script.path, argv: rest }] as const);
    const result = await session.call(
      tool,
      { ...input, ...(timeout === undefined ? {} : { timeout_ms: timeout * 1000 }) },
      {
        callId: "exec",
        signal: abort.signal,
        ...(flags.json ? {} : { onOutput: (stream, text) => void (stream === "stdout" ? process.stdout : process.stderr).write(text) }),
      },
    );
    if (abort.signal.aborted) return interrupted();
    if (flags.json) printJson({ text: result.text, isError: result.isError, ...result.data });
    else
      process.stderr.write(
        `${result.text
          .split("\n")
          .filter((line, index) => index === 0 || /^(?:Files written|- (?:out|work)\/|Note:)/.test(line))
          .join("\n")}\n`,
      );
    return result.isError || !result.text.startsWith("Exit code 0.") ? exitCode.failed : exitCode.ok;
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    return interrupted();
  } finally {
    abort.stop();
    await session.close();
  }
}

function interrupted(): number {
  process.stderr.write("skillwright: interrupted; nothing was left running.\n");
  return exitCode.interrupted;
}

function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
