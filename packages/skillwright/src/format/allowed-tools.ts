/** Splits `allowed-tools` as text at blanks and commas outside parentheses: `Bash(git add:*), Read` is two tools. */
export function splitToolNames(written: string): string[] {
  const text = /^\[[^[\]]*\]$/.test(written) ? written.slice(1, -1) : written;
  const tools: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const character = text[index];
    if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    const separates =
      character === undefined || (depth === 0 && (character === "," || character === " " || character === "\n" || character === "\t"));
    if (!separates) continue;
    const tool = text.slice(start, index).trim();
    if (tool !== "") tools.push(tool);
    start = index + 1;
  }
  return tools;
}
