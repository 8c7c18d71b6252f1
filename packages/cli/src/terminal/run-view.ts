import pc from "picocolors";
import type { SkillEvent } from "skillwright";

/** Writes what an agent does, line by line as it happens; everything but the answer goes to stderr. */
export interface RunView {
  /** One line of facts: a label and what it is. */
  fact(label: string, text: string): void;
  warn(text: string): void;
  onEvent(event: SkillEvent): void;
  answer(text: string): void;
}

const width = 10;

/** A view on a terminal, or on a pipe without colours. */
export function createRunView(out: NodeJS.WriteStream, err: NodeJS.WriteStream): RunView {
  const colors = pc.createColors(err.isTTY === true && !process.env.NO_COLOR);
  const line = (label: string, text: string): void => {
    err.write(`${colors.cyan(label.padEnd(width))} ${text}\n`);
  };
  let spoken = "";
  const flush = (): void => {
    const text = spoken.trim();
    spoken = "";
    if (text !== "") line("says", colors.dim(oneLine(text)));
  };
  return {
    fact: line,
    warn: (text) => {
      err.write(`${colors.yellow("note".padEnd(width))} ${text}\n`);
    },
    onEvent: (event) => {
      switch (event.type) {
        case "text":
          spoken += event.text;
          break;
        case "step-started":
          spoken = "";
          break;
        case "skill-loaded":
          flush();
          line("load", `${colors.bold(event.skill)}${event.repeated ? " (already loaded)" : ""} ${colors.dim(`${event.tokens} tokens`)}`);
          break;
        case "resource-read":
          flush();
          line("read", `${event.skill}/${event.path} ${colors.dim(`${event.tokens} tokens`)}`);
          break;
        case "run-started":
          flush();
          line(
            "run",
            `${event.argv.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")} ${colors.dim(`in ${event.sandbox}`)}`,
          );
          break;
        case "run-finished": {
          const ended = event.reason === "exited" ? `exit ${event.exitCode}` : event.reason;
          const files = event.outputs.map((file) => file.path).join(", ");
          line(
            "",
            `${event.exitCode === 0 ? colors.green(ended) : colors.red(ended)} ${colors.dim(`after ${seconds(event.durationMs)}`)}${files === "" ? "" : `, wrote ${files}`}`,
          );
          break;
        }
        case "skills-withheld":
          line("note", `${event.count} skill${event.count === 1 ? "" : "s"} of this project withheld. ${event.hint}`);
          break;
        case "tool-call-finished":
          if (event.isError) line("", colors.red(`${event.tool} failed`));
          break;
        default:
          break;
      }
    },
    answer: (text) => {
      err.write("\n");
      out.write(`${text.trim()}\n`);
      err.write("\n");
    },
  };
}

function oneLine(text: string): string {
  const folded = text.replace(/\s+/g, " ");
  return folded.length > 110 ? `${folded.slice(0, 109)}…` : folded;
}

/** A duration for people. */
export function seconds(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}
