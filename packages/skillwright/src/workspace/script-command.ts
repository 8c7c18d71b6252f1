/** How a script is started, or why it cannot be. */
export type ScriptCommand =
  | { readonly ok: true; readonly argv: readonly string[]; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const interpreters: ReadonlyMap<string, readonly string[]> = new Map([
  [".py", ["python3"]],
  [".sh", ["bash"]],
  [".bash", ["bash"]],
  [".js", ["node"]],
  [".mjs", ["node"]],
  [".cjs", ["node"]],
  [".ts", ["node"]],
  [".mts", ["node"]],
  [".awk", ["awk", "-f"]],
  [".sed", ["sed", "-f"]],
  [".pl", ["perl"]],
  [".rb", ["ruby"]],
  [".php", ["php"]],
  [".lua", ["lua"]],
  [".r", ["Rscript"]],
  [".jl", ["julia"]],
  [".ps1", ["pwsh", "-File"]],
]);

/** What is known of a script before it runs. */
export interface ScriptFacts {
  /** As programs see it. */
  readonly path: string;
  readonly mode: number;
  /** Its first bytes, enough for the first lines. */
  readonly head: Uint8Array;
}

/**
 * Chooses how a script is started: by its first line, else by its ending, else as a program when its mode says so.
 * Interpreters are named and found on the sandbox's own `PATH`, so neither a missing mode bit nor a host's path in the first line matters.
 */
export function scriptCommand(script: ScriptFacts, argv: readonly string[]): ScriptCommand {
  const text = new TextDecoder().decode(script.head).replace(/^\ufeff/, "");
  const name = script.path.slice(script.path.lastIndexOf("/") + 1);
  const firstLine = /^#!([^\n]*)/.exec(text)?.[1];
  const interpreter = (firstLine === undefined ? undefined : readFirstLine(firstLine)) ?? byEnding(name);
  if (interpreter !== undefined) {
    return { ok: true, argv: [...interpreter, script.path, ...argv], warnings: lineEndWarnings(name, interpreter, text) };
  }
  if ((script.mode & 0o111) !== 0) return { ok: true, argv: [script.path, ...argv], warnings: [] };
  const endings = [...interpreters.keys()].join(" ");
  return {
    ok: false,
    reason: `${name} cannot be run: it is not executable, has no first line such as "#!/usr/bin/env python3", and its ending names no interpreter (known: ${endings}). Use run_command with the right program, or add such a first line.`,
  };
}

/** `/usr/bin/env -S python3 -u` to `python3 -u`, `/bin/bash -e` to `bash -e`. */
function readFirstLine(line: string): readonly string[] | undefined {
  const words = line.trim().split(/\s+/).filter(Boolean);
  const program = words[0];
  if (program === undefined) return undefined;
  if (!/(^|\/)env$/.test(program)) return [baseName(program), ...words.slice(1)];
  const rest = words.slice(1);
  while (rest[0] === "-S" || rest[0] === "-i" || rest[0] === "--" || /^[A-Za-z_][A-Za-z0-9_]*=/.test(rest[0] ?? "")) rest.shift();
  const target = rest[0];
  return target === undefined || target.startsWith("-") ? undefined : [baseName(target), ...rest.slice(1)];
}

function byEnding(name: string): readonly string[] | undefined {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? undefined : interpreters.get(name.slice(dot).toLowerCase());
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

function lineEndWarnings(name: string, interpreter: readonly string[], text: string): string[] {
  const isShell = /^(ba|da|k|z|a)?sh$/.test(interpreter[0] ?? "");
  if (!isShell || !text.includes("\r\n")) return [];
  return [`${name} has Windows line ends (CRLF): the shell takes the carriage return as part of each command. Save it with LF line ends.`];
}
