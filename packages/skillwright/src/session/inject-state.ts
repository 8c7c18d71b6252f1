import type { JsonValue } from "../core/index.ts";

/** Answers a state key, or the text of an artifact; undefined when there is none. */
export type StateLookup = (key: string) => JsonValue | undefined | Promise<JsonValue | undefined>;

/** A body with its placeholders filled, or the key that is missing. */
export type InjectedState = { readonly text: string } | { readonly missing: string };

/**
 * Fills `{key}`, `{key?}`, `{app:key}`, `{user:key}`, `{temp:key}` and `{artifact.name}` in a body.
 * `{{` and `}}` stand for single braces. Code (fenced, indented by a fence, or between backticks) is left alone
 * unless `code` says otherwise; what does not look like a key stays as it is.
 */
export async function injectState(body: string, lookup: StateLookup, options: { readonly code?: boolean } = {}): Promise<InjectedState> {
  const parts = options.code === true ? [{ text: body, code: false }] : splitCode(body);
  let filled = "";
  for (const part of parts) {
    if (part.code) {
      filled += part.text;
      continue;
    }
    const result = await fill(part.text, lookup);
    if ("missing" in result) return result;
    filled += result.text;
  }
  return { text: filled };
}

const placeholder = /\{\{|\}\}|\{((?:(?:app|user|temp):)?[A-Za-z_][A-Za-z0-9_]*|artifact\.[A-Za-z0-9_][\w./-]*)(\?)?\}/g;

async function fill(text: string, lookup: StateLookup): Promise<InjectedState> {
  let filled = "";
  let end = 0;
  for (const match of text.matchAll(placeholder)) {
    const [whole, key, optional] = match;
    filled += text.slice(end, match.index);
    end = match.index + whole.length;
    if (key === undefined) {
      filled += whole.charAt(0);
      continue;
    }
    const value = await lookup(key);
    if (value === undefined && optional === undefined) return { missing: key };
    filled += value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
  }
  return { text: filled + text.slice(end) };
}

/** Splits a Markdown text into what is code and what is not; every character is in exactly one part. */
function splitCode(body: string): { readonly text: string; readonly code: boolean }[] {
  const parts: { text: string; code: boolean }[] = [];
  let fence: string | undefined;
  for (const line of body.split(/(?<=\n)/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      parts.push({ text: line, code: true });
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) {
      parts.push({ text: line, code: true });
      fence = mark;
    } else parts.push(...splitSpans(line));
  }
  return parts;
}

function splitSpans(line: string): { readonly text: string; readonly code: boolean }[] {
  return line
    .split(/(`+)(?!`)/)
    .reduce<{ text: string; code: boolean; open: string | undefined }[]>((parts, piece) => {
      const last = parts.at(-1);
      if (/^`+$/.test(piece)) {
        const open = last?.open;
        if (open === undefined) parts.push({ text: piece, code: true, open: piece });
        else if (open === piece && last !== undefined) {
          last.text += piece;
          last.open = undefined;
        } else if (last !== undefined) last.text += piece;
        return parts;
      }
      if (last?.open !== undefined) last.text += piece;
      else parts.push({ text: piece, code: false, open: undefined });
      return parts;
    }, [])
    .map(({ text, code, open }) => ({ text, code: code && open === undefined }));
}

/**
 * Fills the words a user wrote after "/name" into a body that declares them: `$ARGUMENTS`, `$1` to `$9` and `$name` of declared names.
 * Without a declaration nothing is touched; `$1,000` and `$&` stay what they are.
 */
export function fillArguments(body: string, args: string, names: readonly string[]): string {
  const words = wordsIn(args);
  return body.replace(/\$(ARGUMENTS|[1-9]|[A-Za-z_][A-Za-z0-9_]*)(?![\w,.]?\d)(?!\w)/g, (whole, key: string) => {
    if (key === "ARGUMENTS") return args;
    const index = /^[1-9]$/.test(key) ? Number(key) - 1 : names.indexOf(key);
    if (index < 0 || (/^[1-9]$/.test(key) && index >= names.length)) return whole;
    return words[index] ?? "";
  });
}

/** Words as a shell would split them, quotes understood and taken off. */
function wordsIn(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}
