import type { Workspace } from "skillwright";

/** An absolute path of the machine that a workspace plays, from the workspace's root. */
export function placed(workspace: Workspace, path: string): string {
  if (!path.startsWith(`${workspace.root}/`)) throw new Error(`${path} is outside the machine`);
  return path.slice(workspace.root.length + 1);
}
