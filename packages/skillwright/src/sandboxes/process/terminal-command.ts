import { existsSync } from "node:fs";

const program = "/usr/bin/script";

/** Whether programs can be given a terminal here. */
export const hasTerminals: boolean = process.platform === "linux" && existsSync(program);

/** The command that runs a program on a terminal of its own, made by util-linux's `script`; plain text unless the caller sets `TERM`. */
export function terminalCommand(argv: readonly string[]): readonly string[] {
  const line = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  return [
    program,
    "--quiet",
    "--flush",
    "--return",
    "--command",
    `stty rows 24 cols 100; export TERM="\${TERM:-dumb}"; exec ${line}`,
    "/dev/null",
  ];
}
