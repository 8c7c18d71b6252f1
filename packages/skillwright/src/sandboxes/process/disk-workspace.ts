import { SkillError } from "../../core/index.ts";
import type { RunOptions, SandboxProcess, StartOptions, Workspace } from "../../workspace/index.ts";
import type { FolderAccess } from "./confined-folder.ts";

/** What makes a workspace of a folder on the host's disk. */
export interface DiskWorkspaceOptions {
  /** As programs see it. */
  readonly root: string;
  readonly files: FolderAccess;
  /** Starts a program; a program that cannot be started ends as such, only a broken sandbox throws. */
  readonly launch: (argv: readonly string[], options: StartOptions, interactive: boolean) => Promise<SandboxProcess>;
  /** Called once every process is gone. */
  readonly onClose: () => Promise<void>;
}

/** A {@link Workspace} whose files lie on the host's disk and whose programs are children of this process. */
export function diskWorkspace(options: DiskWorkspaceOptions): Workspace {
  const running = new Set<SandboxProcess>();
  let closing: Promise<void> | undefined;

  const launch = async (argv: readonly string[], startOptions: StartOptions, interactive: boolean): Promise<SandboxProcess> => {
    if (closing !== undefined) throw new SkillError("workspace-closed", "The workspace is closed.", { hint: "Open a new one." });
    const process = await options.launch(argv, startOptions, interactive);
    running.add(process);
    const forget = (): void => {
      running.delete(process);
    };
    process.exited.then(forget, forget);
    return process;
  };

  return {
    root: options.root,
    ...options.files,
    run: async (argv, runOptions: RunOptions = {}) => (await launch(argv, runOptions, false)).exited,
    start: (argv, startOptions = {}) => launch(argv, startOptions, true),
    close() {
      closing ??= (async () => {
        await Promise.all([...running].map((process) => process.kill()));
        await options.onClose();
      })();
      return closing;
    },
  };
}
