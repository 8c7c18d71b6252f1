import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Diagnostic, SkillError } from "../core/index.ts";
import { findProject } from "./project.ts";
import { readSmallFile } from "./small-file.ts";
import { configFolder, type Environment, namedPath, realPathOf } from "./user-paths.ts";

/** A project that the user trusts. */
export interface TrustGrant {
  /** The real path of the project's root; for git worktrees that of the main checkout. */
  readonly path: string;
  /** ISO 8601. */
  readonly grantedAt: string;
}

/** The user's decisions. */
export interface TrustRecord {
  /** The file they are kept in. */
  readonly file: string;
  readonly grants: readonly TrustGrant[];
  /** Why the file could not be used: then nothing is trusted. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Options of the trust functions. */
export interface TrustOptions {
  /** Tells where the user's configuration lies. @default process.env */
  readonly env?: Environment;
  /** What relative paths stand for. @default process.cwd() */
  readonly cwd?: string;
}

const maxBytes = 1024 * 1024;

/** Reads which projects are trusted. A file that cannot be read trusts nothing and says so. */
export function readTrust({ env = process.env }: TrustOptions = {}): TrustRecord {
  const file = trustFile(env);
  if (file === undefined) return { file: "", grants: [], diagnostics: [] };
  const found = readSmallFile(file, { maxBytes });
  if ("missing" in found) return { file, grants: [], diagnostics: [] };
  const grants = "text" in found ? parseGrants(found.text) : undefined;
  if (grants !== undefined) return { file, grants, diagnostics: [] };
  const why = "refused" in found ? found.refused : "it is not a list of trusted projects in JSON";
  const diagnostic: Diagnostic = {
    severity: "error",
    code: "trust-file-invalid",
    message: `The trust file cannot be used: ${why}. Until then no project is trusted by it.`,
    location: file,
    hint: "Repair the file, or move it away and trust the projects again.",
  };
  return { file, grants: [], diagnostics: [diagnostic] };
}

/**
 * Trusts the project that a path belongs to, from now on and for every worktree of it.
 * @throws SkillError `configuration-invalid` when the path does not exist, or the trust file cannot be used
 */
export async function grantTrust(path: string, options: TrustOptions = {}): Promise<TrustGrant> {
  const { cwd = process.cwd(), env = process.env } = options;
  const named = realPathOf(namedPath(path, cwd, env));
  if (named === undefined) {
    throw new SkillError("configuration-invalid", `${path} does not exist.`, { hint: "Name the folder of the project to trust." });
  }
  const key = findProject(named).trustKey;
  const { file, grants } = usable(readTrust(options));
  const known = grants.find((grant) => grant.path === key);
  if (known !== undefined) return known;
  const grant = { path: key, grantedAt: new Date().toISOString() };
  writeGrants(file, [...grants, grant]);
  return grant;
}

/**
 * Withdraws the trust in the project that a path belongs to, or in a path as it is listed; answers whether there was any.
 * @throws SkillError `configuration-invalid` when the trust file cannot be used
 */
export async function revokeTrust(path: string, options: TrustOptions = {}): Promise<boolean> {
  const { cwd = process.cwd(), env = process.env } = options;
  const named = namedPath(path, cwd, env);
  const keys = new Set([named, findProject(named).trustKey]);
  const { file, grants } = usable(readTrust(options));
  const left = grants.filter((grant) => !keys.has(grant.path));
  if (left.length === grants.length) return false;
  writeGrants(file, left);
  return true;
}

function trustFile(env: Environment): string | undefined {
  const folder = configFolder(env);
  return folder === undefined ? undefined : join(folder, "skillwright", "trust.json");
}

/** What cannot be read must not be written over: the decisions in it would be lost. */
function usable(record: TrustRecord): TrustRecord {
  const [fault] = record.diagnostics;
  if (fault !== undefined) throw new SkillError("configuration-invalid", `${fault.location}: ${fault.message}`, { hint: fault.hint ?? "" });
  if (record.file !== "") return record;
  throw new SkillError("configuration-invalid", "There is no home folder to keep trust in.", {
    hint: "Set HOME or XDG_CONFIG_HOME to an absolute path.",
  });
}

/** Read, change and write happen without a pause, so calls of one process never lose one another; others see all or nothing. */
function writeGrants(file: string, grants: readonly TrustGrant[]): void {
  const target = realPathOf(file) ?? file;
  const draft = `${target}.${process.pid}.${crypto.randomUUID()}`;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, `${JSON.stringify({ version: 1, projects: grants }, null, 2)}\n`, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw notWritten(file, error);
  }
}

function notWritten(file: string, cause: unknown): SkillError {
  const hint = "Make the folder writable for this user.";
  return new SkillError("configuration-invalid", `The trust file ${file} cannot be written.`, { hint, cause });
}

function parseGrants(text: string): TrustGrant[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("version" in value) || value.version !== 1) return undefined;
  if (!("projects" in value) || !Array.isArray(value.projects)) return undefined;
  const grants: TrustGrant[] = [];
  for (const entry of value.projects as unknown[]) {
    if (typeof entry !== "object" || entry === null || !("path" in entry) || typeof entry.path !== "string") return undefined;
    const grantedAt = "grantedAt" in entry && typeof entry.grantedAt === "string" ? entry.grantedAt : "";
    grants.push({ path: entry.path, grantedAt });
  }
  return grants;
}
