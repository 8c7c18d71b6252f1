/** Writes arguments as one shell line that means exactly them. */
export function shellQuote(argv: readonly string[]): string {
  return argv.map((argument) => (/^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'"'"'`)}'`)).join(" ");
}
