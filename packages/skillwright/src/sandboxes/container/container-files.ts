import type { Mount } from "../../workspace/index.ts";
import { readScript, removeScript, unpackScript } from "../shell/file-scripts.ts";
import { isBelow, type ScriptOutput, type ShellFiles, shellFiles } from "../shell/shell-files.ts";
import { type SessionContainer, workspaceRoot } from "./open-container.ts";

/** How many attempts a command gets that a run's own clearing up ended along with its leftovers. */
const attempts = 5;

const killed = 137;

/** Reads and writes a workspace by short commands in its container: what runs may write as the user of runs, what they only read as root. */
export function containerFiles(
  container: SessionContainer,
  user: string,
  readOnly: readonly string[],
  mounts: readonly Mount[],
): ShellFiles {
  const ownerOf = (path: string): string => (readOnly.some((folder) => isBelow(path, folder)) ? "0:0" : user);
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
  return shellFiles({
    script: (text, args, _path, maxBytes) => script(text, args, { user, maxBytes }),
    read: (path, maxBytes) => script(readScript, [path, String(maxBytes + 1)], { user, maxBytes: maxBytes + 1 }),
    unpack: (archive, folders, path) => script(unpackScript, folders, { user: ownerOf(path), stdin: archive }),
    remove: (path) => script(removeScript, [path], { user: ownerOf(path) }),
    ownerOf,
    isClosed: (path) => mounts.some((mount) => mount.readOnly && isBelow(path, mount.path)),
  });
}
