/** Splits `allowed-tools` as text at blanks and commas outside parentheses: `Bash(git add:*), Read` is two tools. */
export function splitToolNames(written: string): string[] {
  const text = written.startsWith("[") && /^\[[^[\]]*\]$/.test(written) ? written.slice(1, -1) : written;
  const tools: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : COMMA;
    if (code === OPEN) depth++;
    else if (code === CLOSE && depth > 0) depth--;
    const separates = index === text.length || (depth === 0 && (code === COMMA || code <= SPACE));
    if (!separates) continue;
    if (index > start) tools.push(text.slice(start, index));
    start = index + 1;
  }
  return tools;
}

const SPACE = 32;
const OPEN = 40;
const CLOSE = 41;
const COMMA = 44;
