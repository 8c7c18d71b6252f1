import type { Command } from "commander";
import type { Finish } from "./library-command.ts";

/** Flags of `skillwright run`. */
export interface RunFlags {
  readonly skills?: string[];
  readonly file?: string[];
  readonly model?: string;
  readonly sandbox?: string;
  readonly session?: string;
  readonly dialect?: string;
  readonly locale?: string;
  readonly maxSteps?: string;
  readonly trust?: boolean;
  readonly json?: boolean;
}

/** `skillwright run "prompt"`: one task, end to end. */
export function runCommand(program: Command, finish: Finish): void {
  program
    .command("run")
    .description("Let an agent answer a question with your skills.")
    .argument("<prompt>", "what you want")
    .option("--skills <root...>", "folders with skills (default: .agents/skills, .claude/skills and skills, here and in your home folder)")
    .option("--file <path...>", "files to hand in")
    .option(
      "--model <provider/name>",
      "openai/…, anthropic/…, google/…, ollama/…, vllm/…, lmstudio/…, or offline (default: what the environment has a key for)",
    )
    .option("--sandbox <name>", "auto, bubblewrap, container, virtual, local (no isolation) or none", "auto")
    .option("--session <id>", "continue a conversation under this name")
    .option("--dialect <name>", "agentskills, genkit, eino, adk, trpc or lesson", "agentskills")
    .option("--locale <language>", "en or zh, for the words around the skills")
    .option("--max-steps <n>", "model requests at most", "20")
    .option("--trust", "trust the skills of this project")
    .option("--json", "print one JSON object")
    .action((prompt: string, flags: RunFlags) => finish(runLater(prompt, flags)));
}

/** The model libraries are read only when something is run: every other command starts without them. */
async function runLater(prompt: string, flags: RunFlags): Promise<number> {
  const { runTask } = await import("../run-task.ts");
  return runTask(prompt, flags);
}
