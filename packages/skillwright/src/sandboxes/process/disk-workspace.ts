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
  const running = new Set<Promise<SandboxProcess>>();
  let closing: Promise<void> | undefined;

  const stillOpen = (): void => {
    if (closing !== undefined) throw new SkillError("workspace-closed", "The workspace is closed.", { hint: "Open a new one." });
  };

  const launch = async (argv: readonly string[], startOptions: StartOptions, interactive: boolean): Promise<SandboxProcess> => {
    stillOpen();
    const launched = options.launch(argv, startOptions, interactive);
    running.add(launched);
    const forget = (): void => {
      running.delete(launched);
    };
    launched.then((process) => process.exited).then(forget, forget);
    return launched;
  };

  /** Also what is only being started. */
  const end = async (launched: Promise<SandboxProcess>): Promise<void> => {
    const process = await launched.catch(() => undefined);
    await process?.kill();
  };

  return {
    root: options.root,
    read: async (path, readOptions) => {
      stillOpen();
      return options.files.read(path, readOptions);
    },
    writeFiles: async (files, writeOptions) => {
      stillOpen();
      return options.files.writeFiles(files, writeOptions);
    },
    list: async (path, listOptions) => {
      stillOpen();
      return options.files.list(path, listOptions);
    },
    remove: async (path) => {
      stillOpen();
      return options.files.remove(path);
    },
    run: async (argv, runOptions: RunOptions = {}) => (await launch(argv, runOptions, false)).exited,
    start: (argv, startOptions = {}) => launch(argv, startOptions, true),
    close() {
      closing ??= (async () => {
        await Promise.all([...running].map(end));
        await options.onClose();
      })();
      return closing;
    },
  };
}
