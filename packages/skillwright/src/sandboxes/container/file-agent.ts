import { randomUUID } from "node:crypto";
import { listScript, putScript, readScript, removeScript } from "../shell/file-scripts.ts";
import type { ScriptOutput } from "../shell/shell-files.ts";
import { shellQuote } from "../shell/shell-quote.ts";
import type { EngineExec } from "./engine-exec.ts";
import { type SessionContainer, workspaceRoot } from "./open-container.ts";

/** What an agent can be asked. */
export type AgentCall = "list" | "put" | "read" | "remove";

/** A shell in the container that handles files, so that not each of them costs the engine a start. */
export interface FileAgent {
  /** Undefined where it could not answer, or ended before it did: the caller takes the long way. */
  ask(call: AgentCall, args: readonly string[], maxBytes: number): Promise<ScriptOutput | undefined>;
}

/** The end of an answer: a word that no program knows, and the exit code. */
const markBytes = 64;

/**
 * Reads two lines for each question, a word and a call, and ends what it prints with the word and the exit code. A question runs in a
 * subshell, whose `exit` is its answer's code.
 */
const agentScript = `
list() {
${listScript}
}
put() {
${putScript}
}
read_file() {
${readScript}
}
remove() {
${removeScript}
}
while IFS= read -r word && IFS= read -r call; do
  ( eval "$call" ) </dev/null
  printf '\\n%s %s\\n' "$word" "$?"
done
`;

interface Question {
  readonly word: string;
  readonly maxBytes: number;
  readonly kept: Uint8Array[];
  bytes: number;
  /** The last bytes that came, in which the mark is looked for. */
  tail: string;
  stderr: string;
  answer(output: ScriptOutput | undefined): void;
}

/**
 * The agent of one user. It is started when it is asked, and started again when it has ended: whatever a run leaves behind is ended with
 * everything else of its user, and the agent of that user is part of it.
 */
export function fileAgent(container: SessionContainer, user: string): FileAgent {
  let running: Promise<EngineExec> | undefined;
  let current: Question | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const start = (): Promise<EngineExec> => {
    const starting = container.start({
      argv: ["sh", "-c", agentScript],
      user,
      stdin: true,
      onOutput: (stream, chunk) => {
        if (current === undefined) return;
        if (stream === "stderr") current.stderr = (current.stderr + Buffer.from(chunk).toString()).slice(0, 4096);
        else take(current, chunk);
      },
    });
    running = starting;
    const gone = (): void => {
      if (running === starting) running = undefined;
      current?.answer(undefined);
    };
    starting.then((exec) => exec.ended).then(gone, gone);
    return starting;
  };

  const ask = async (line: string, maxBytes: number): Promise<ScriptOutput | undefined> => {
    const exec = await (running ?? start()).catch(() => undefined);
    if (exec === undefined) return undefined;
    return new Promise((resolve) => {
      const word = randomUUID();
      current = {
        word,
        maxBytes,
        kept: [],
        bytes: 0,
        tail: "",
        stderr: "",
        answer: (output) => {
          current = undefined;
          resolve(output);
        },
      };
      exec.write(`${word}\n${line}\n`).catch(() => current?.answer(undefined));
    });
  };

  return {
    async ask(call, args, maxBytes) {
      const line = `${call === "read" ? "read_file" : call} ${shellQuote([workspaceRoot, ...args])}`;
      // A question is one line.
      if (line.includes("\n")) return undefined;
      const answer = turn.then(() => ask(line, maxBytes));
      turn = answer.catch(() => undefined);
      return answer;
    },
  };
}

function take(question: Question, chunk: Uint8Array): void {
  if (question.bytes < question.maxBytes + markBytes) question.kept.push(new Uint8Array(chunk));
  question.bytes += chunk.length;
  question.tail = (question.tail + Buffer.from(chunk.subarray(-markBytes)).toString("latin1")).slice(-markBytes);
  const mark = new RegExp(`\\n${question.word} (\\d+)\\n$`).exec(question.tail);
  if (mark === null) return;
  const length = Math.min(question.maxBytes, question.bytes - mark[0].length);
  question.answer({ code: Number(mark[1]), stdout: Buffer.concat(question.kept).subarray(0, length), stderr: question.stderr });
}
