import type { Command } from "commander";
import { grantTrust, readTrust, revokeTrust } from "skillwright";
import { exitCode } from "../exit-code.ts";
import { type Finish, printJson } from "./library-command.ts";

interface TrustFlags {
  readonly revoke?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
}

/** `skillwright trust [PATH]`: which projects' skills are used without asking. */
export function trustCommand(program: Command, finish: Finish): void {
  program
    .command("trust")
    .description("Trust the skills of a project, or take trust back.")
    .argument("[path]", "the project", ".")
    .option("--revoke", "take trust back")
    .option("--list", "list the trusted projects")
    .option("--json", "print JSON")
    .action((path: string, flags: TrustFlags) => finish(trust(path, flags)));
}

async function trust(path: string, flags: TrustFlags): Promise<number> {
  if (flags.list) {
    const { file, grants, diagnostics } = readTrust();
    if (flags.json) printJson({ file, grants, diagnostics });
    else
      process.stdout.write(
        `${[...grants.map((grant) => `${grant.path} since ${grant.grantedAt}`), ...diagnostics.map((item) => `${item.message} ${item.hint ?? ""}`)].join("\n") || "No project is trusted."}\n`,
      );
    return diagnostics.length > 0 ? exitCode.failed : exitCode.ok;
  }
  if (flags.revoke) {
    const revoked = await revokeTrust(path);
    if (flags.json) printJson({ revoked });
    else process.stdout.write(revoked ? `${path} is no longer trusted.\n` : `${path} was not trusted.\n`);
    return exitCode.ok;
  }
  const grant = await grantTrust(path);
  if (flags.json) printJson(grant);
  else process.stdout.write(`Skills of ${grant.path} are trusted from now on. skillwright trust ${path} --revoke takes it back.\n`);
  return exitCode.ok;
}
