import { homedir } from "node:os";
import { join } from "node:path";

/** Where the command keeps conversations: `$XDG_STATE_HOME/skillwright`. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "skillwright");
}
