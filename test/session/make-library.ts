import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openSkills, type SkillLibrary } from "skillwright";
import { onTestFinished } from "vitest";

/** Files of a library's root: `name/SKILL.md`, `name/scripts/run.sh`, ... */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** Writes files below a folder; scripts are executable. */
export function writeTree(root: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (path.includes("/scripts/")) chmodSync(file, 0o755);
  }
}

/** A temporary folder that is gone after the test. */
export function temporaryFolder(): string {
  const root = mkdtempSync(join(tmpdir(), "skillwright-test-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Opens a library on files in a temporary folder. */
export async function makeLibrary(
  tree: Tree,
  options: Omit<NonNullable<Extract<Parameters<typeof openSkills>[0], { sources?: unknown }>>, "sources"> = {},
): Promise<{ library: SkillLibrary; root: string }> {
  const root = temporaryFolder();
  writeTree(root, tree);
  const library = await openSkills({ ...options, sources: [root] });
  onTestFinished(() => library.close());
  return { library, root };
}

/** A SKILL.md. */
export function skillFile(name: string, body = `Instructions of ${name}.`, extra = ""): string {
  return `---\nname: ${name}\ndescription: Does ${name}. Use when ${name} is asked for.\n${extra}---\n\n${body}\n`;
}
