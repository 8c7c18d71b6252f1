import { confirm, isCancel } from "@clack/prompts";
import { grantTrust, type UntrustedProject } from "skillwright";

/** Asks the person at the terminal whether a project's skills may be used, and keeps a yes; undefined where nobody can answer. */
export function trustPrompt(): ((project: UntrustedProject) => Promise<boolean>) | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (project) => {
    const answer = await confirm({
      message: `Use the skills of ${project.root}? Their text reaches your model and their scripts run in your sandbox.`,
      initialValue: false,
      output: process.stderr,
    });
    if (isCancel(answer) || !answer) return false;
    await grantTrust(project.root);
    return true;
  };
}
