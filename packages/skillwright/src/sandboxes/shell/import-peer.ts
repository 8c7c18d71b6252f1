import { SkillError } from "../../core/index.ts";

/** Loads an optional package. @throws SkillError `peer-missing` with the command that installs it */
export async function importPeer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    throw code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND" ? missingPeer(name, error) : error;
  }
}

function missingPeer(name: string, cause: unknown): SkillError {
  return new SkillError("peer-missing", `This sandbox needs the package ${name}, which is not installed.`, {
    hint: `Run: npm install ${name}`,
    data: { package: name },
    cause,
  });
}
