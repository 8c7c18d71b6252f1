import type { Mount } from "../../workspace/index.ts";
import { listScript, readScript, removeScript, unpackScript } from "../shell/file-scripts.ts";
import { isBelow, type ScriptOutput, type ShellFiles, shellFiles } from "../shell/shell-files.ts";
import { type AgentCall, type FileAgent, fileAgent } from "./file-agent.ts";
import { rootUser, type SessionContainer, workspaceRoot } from "./open-container.ts";

/** How many attempts a command gets that a run's own clearing up ended along with its leftovers. */
const attempts = 5;

const killed = 137;

/** Reads and writes a workspace from inside its container: what runs may write as the user of runs, what they only read as root. */
export function containerFiles(
  container: SessionContainer,
  user: string,
  readOnly: readonly string[],
  mounts: readonly Mount[],
): ShellFiles {
  const ownerOf = (path: string): string => (readOnly.some((folder) => isBelow(path, folder)) ? rootUser : user);
  const agents = new Map<string, FileAgent>();
  const agentOf = (owner: string): FileAgent => {
    const agent = agents.get(owner) ?? fileAgent(container, owner);
    agents.set(owner, agent);
    return agent;
  };

  const script = async (
    text: string,
    args: readonly string[],
    more: { readonly user: string; readonly stdin?: Uint8Array; readonly maxBytes?: number },
  ): Promise<ScriptOutput> => {
    for (let attempt = 1; ; attempt++) {
      const output = await container.command(["sh", "-c", text, "sh", workspaceRoot, ...args], more);
      if (output.code !== killed || attempt >= attempts) return output;
    }
  };
  const ask = async (call: AgentCall, text: string, args: readonly string[], owner: string, maxBytes: number): Promise<ScriptOutput> =>
    (await agentOf(owner).ask(call, args, maxBytes)) ?? script(text, args, { user: owner, maxBytes });

  return shellFiles({
    list: (path, word, maxBytes) => ask("list", listScript, [path, word], user, maxBytes),
    read: (path, maxBytes) => ask("read", readScript, [path, String(maxBytes + 1)], user, maxBytes + 1),
    remove: (path) => ask("remove", removeScript, [path], ownerOf(path), 0),
    unpack: (archive, folders, owner) => script(unpackScript, folders, { user: owner, stdin: archive }),
    put: (files, owner) => {
      const args = files.flatMap(({ path, link, mode, data }) => {
        if (path.endsWith("/")) return ["folder", path.slice(0, -1), "", ""];
        if (link !== undefined) return ["link", path, link, ""];
        return ["file", path, mode.toString(8), octal(data ?? new Uint8Array())];
      });
      return agentOf(owner).ask("put", args, 0);
    },
    ownerOf,
    isClosed: (path) => mounts.some((mount) => mount.readOnly && isBelow(path, mount.path)),
  });
}

/** Bytes as `printf` reads them back, in every shell. */
function octal(data: Uint8Array): string {
  let text = "";
  for (const byte of data) text += `\\${byte.toString(8).padStart(3, "0")}`;
  return text;
}
