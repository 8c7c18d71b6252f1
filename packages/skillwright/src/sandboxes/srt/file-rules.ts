import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Mount } from "../../workspace/index.ts";

/** What stays visible of a Linux host: its programs and the kernel's own file systems, which are made anew. */
const visibleFolders = new Set(["bin", "dev", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "sys", "usr"]);

/** What programs need of /etc to start and to check certificates; nothing in it is secret. */
const visibleInEtc = ["/etc/alternatives", "/etc/ca-certificates", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl"];

/** Where people's files lie on a Mac. */
const closedOnMac = ["/Users", "/Volumes", "/private/tmp", "/private/var/folders", "/private/var/root"];

/** What a workspace lets programs see and change. */
export interface VisibleFiles {
  readonly root: string;
  /** Home and temporary folder of programs. */
  readonly own: readonly string[];
  readonly readOnly: readonly string[];
  readonly mounts: readonly Mount[];
  /** What the runtime itself needs inside. */
  readonly needs: readonly string[];
}

/** The runtime's rules for files; it shows everything that no rule hides, so the rest of the host is hidden by name. */
export function fileRules(files: VisibleFiles): { denyRead: string[]; allowRead: string[]; allowWrite: string[]; denyWrite: string[] } {
  const mounted = (readOnly: boolean): string[] =>
    files.mounts.filter((mount) => mount.readOnly === readOnly).map((mount) => mount.hostPath);
  return {
    denyRead: process.platform === "linux" ? hiddenFolders() : closedOnMac,
    allowRead: [files.root, ...files.needs, ...mounted(true), ...(process.platform === "linux" ? visibleInEtc : [])],
    allowWrite: [files.root, ...files.own, ...mounted(false)],
    denyWrite: [...files.readOnly.map((folder) => join(files.root, folder)), ...mounted(true)],
  };
}

function hiddenFolders(): string[] {
  return readdirSync("/")
    .filter((name) => !visibleFolders.has(name))
    .map((name) => `/${name}`);
}
