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
