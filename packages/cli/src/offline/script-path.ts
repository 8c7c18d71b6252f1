import { extensionOf } from "./file-kinds.ts";

const interpreters: Readonly<Record<string, string>> = {
  py: "python3",
  sh: "bash",
  bash: "bash",
  js: "node",
  mjs: "node",
  cjs: "node",
  ts: "node",
  rb: "ruby",
  pl: "perl",
  r: "Rscript",
  php: "php",
};

/** The program that runs a script, by its extension. */
export function interpreterFor(script: string): string | undefined {
  return interpreters[extensionOf(script)];
}

/** Whether a word may stand between the start of a command and its script: `python3 -u`, `uv run`, `npx tsx`. */
export function isInterpreterWord(word: string): boolean {
  return /^(?:"?\$?\w*PYTHON3?"?|python[\d.]*|py|bash|sh|zsh|node|deno|bun|ruby|perl|Rscript|php|uv|uvx|npx|tsx|run|exec|env|poetry|pipenv|-[uEeBx]+|--quiet|--yes|-y)$/.test(
    word,
  );
}

/** Whether a word is a path to a program in a scripting language. */
export function isScriptPath(text: string): boolean {
  return interpreters[extensionOf(text)] !== undefined && !/^[a-z]+:\/\//i.test(text);
}

/**
 * The skill's file that a documented path means: `{baseDir}/scripts/x.py`, `~/.claude/skills/name/scripts/x.py`, `./x.py` and `x.py` all
 * end in it. Undefined when the skill has no such file. Where the skill's files are not known, the path as written from `scripts/` on.
 */
export function resolveScript(text: string, skillFiles: readonly string[] | undefined, skill: string): string | undefined {
  const parts = text.split("/").filter((part) => part !== "" && part !== "." && !/^[<{$~]/.test(part));
  if (skillFiles === undefined) {
    if (!isScriptPath(text)) return undefined;
    const from = Math.max(parts.indexOf(skill) + 1, parts.indexOf("scripts"), 0);
    return parts.slice(from).join("/");
  }
  if (!isScriptPath(text) && parts.length < 2) return undefined;
  for (let from = 0; from < parts.length; from++) {
    const wanted = parts.slice(from).join("/");
    if (skillFiles.includes(wanted)) return isRunnable(wanted) ? wanted : undefined;
  }
  const base = parts.at(-1) ?? "";
  const sameName = skillFiles.filter((file) => file.slice(file.lastIndexOf("/") + 1) === base && isScriptPath(file));
  return sameName.length === 1 ? sameName[0] : undefined;
}

/** A script, or a program without an extension in a folder for programs. */
function isRunnable(path: string): boolean {
  return isScriptPath(path) || (extensionOf(path) === "" && /^(?:scripts|bin|tools)\//.test(path));
}
