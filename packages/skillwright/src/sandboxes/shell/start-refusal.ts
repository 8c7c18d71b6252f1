/** Why a start script refused, in words: what it says instead of a program's output. */
export function explainRefusal(word: string, program: string, folder: string): string {
  switch (word) {
    case "no-folder":
      return `There is no folder ${folder} in the workspace.`;
    case "outside":
      return `The folder ${folder} leads outside the workspace.`;
    case "not-executable":
      return `${program}: not executable`;
    default:
      return `${program}: no such program in the sandbox`;
  }
}

/** Recognises the one line by which a start script refuses, whose token no program knows. */
export interface RefusalReader {
  /** Whether this chunk was the refusal, and so no output of a program. */
  take(chunk: Uint8Array): boolean;
  /** The word said, if one was. */
  word(): string | undefined;
}

/** A {@link RefusalReader} for one run. */
export function refusalReader(token: string): RefusalReader {
  let first = true;
  let said: string | undefined;
  return {
    take(chunk) {
      if (!first) return false;
      first = false;
      const text = new TextDecoder().decode(chunk);
      if (!text.startsWith(`${token} `)) return false;
      said = text.slice(token.length + 1).trim();
      return true;
    },
    word: () => said,
  };
}
