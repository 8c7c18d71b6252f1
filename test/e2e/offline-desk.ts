import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { jsonSchema, type Tool, tool } from "ai";

/** A folder of skills and files with the default dialect's tools over it, run as ordinary processes: what a session gives a model, in small. */
export interface Desk {
  readonly instructions: string;
  readonly tools: Record<string, Tool>;
  readonly calls: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }[];
  putFile(path: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens a desk on copies of the skills of a folder. */
export async function openDesk(skillsRoot: string, options: { readonly sandbox?: boolean } = {}): Promise<Desk> {
  const root = await mkdtemp(join(tmpdir(), "offline-desk-"));
  const inputs = join(root, "inputs");
  await mkdir(inputs);
  const names: string[] = [];
  const entries: string[] = [];
  for (const name of (await readdir(skillsRoot)).sort()) {
    const text = await readFile(join(skillsRoot, name, "SKILL.md"), "utf8");
    const description = /^description: (.*)$/m.exec(text)?.[1] ?? "";
    names.push(name);
    entries.push(`<skill name="${name}">${toEntities(description)}</skill>`);
    await cp(join(skillsRoot, name), join(root, name), { recursive: true });
    await cp(inputs, join(root, name, "inputs"), { recursive: true });
  }
  const calls: Desk["calls"] = [];
  const log = (toolName: string, input: Readonly<Record<string, unknown>>) => calls.push({ tool: toolName, input });
  const known = (name: string) => names.includes(name);

  const tools: Record<string, Tool> = {
    load_skill: tool({
      description: "Load a skill's instructions by its name.",
      inputSchema: schema({ name: "string" }, ["name"]),
      execute: async (input) => {
        log("load_skill", input);
        const name = String(input.name);
        if (!known(name)) return `There is no skill "${name}".`;
        const text = (await readFile(join(root, name, "SKILL.md"), "utf8")).replace(/^---\n[\s\S]*?\n---\n/, "");
        const files = (await listFiles(join(root, name))).filter((path) => path !== "SKILL.md" && !path.startsWith("inputs/"));
        const list =
          files.length === 0
            ? ""
            : `\n\nFiles of this skill, relative to its folder (skills/${name}):\n${files.map((path) => `- ${path} (other, 1.0 kB)`).join("\n")}`;
        return `<skill_content name="${name}" digest="sha256:0">\n${text.trim()}\n</skill_content>${list}`;
      },
    }),
    read_skill_resource: tool({
      description: "Read one file of a skill.",
      inputSchema: schema({ name: "string", path: "string" }, ["name", "path"]),
      execute: async (input) => {
        log("read_skill_resource", input);
        return readFile(join(root, String(input.name), String(input.path)), "utf8");
      },
    }),
  };
  if (options.sandbox !== false) {
    tools.run_command = tool({
      description: "Run a shell command in the sandbox.",
      inputSchema: schema({ command: "string", skill: "string" }, ["command"]),
      execute: async (input) => {
        log("run_command", input);
        const folder = join(root, String(input.skill));
        const out = await mkdtemp(join(root, "out-"));
        const before = new Set(await listFiles(folder));
        const result = await runShell(String(input.command), folder, out);
        const written = [
          ...(await listFiles(out)).map((path) => ({ shown: `out/${path}`, path: join(out, path) })),
          ...(await listFiles(folder))
            .filter((path) => !before.has(path))
            .map((path) => ({ shown: `work/skills/${String(input.skill)}/${path}`, path: join(folder, path) })),
        ];
        const lines = [`Exit code ${result.code}.`];
        if (result.stdout !== "") lines.push(`stdout:\n${result.stdout.trimEnd()}`);
        if (result.stderr !== "") lines.push(`stderr:\n${result.stderr.trimEnd()}`);
        if (written.length > 0) {
          const files = await Promise.all(
            written.map(async ({ shown, path }) => `- ${shown} (text/plain, 1.0 kB):\n${(await readFile(path, "utf8")).trimEnd()}`),
          );
          lines.push(`Files written:\n${files.join("\n")}`);
        }
        return lines.join("\n");
      },
    });
  }
  return {
    instructions: `# Skills\n\n<available_skills>\n${entries.join("\n")}\n</available_skills>`,
    tools,
    calls,
    putFile: async (path) => {
      for (const name of names) await cp(path, join(root, name, "inputs", basename(path)));
      return `inputs/${basename(path)}`;
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

/** Writes skills of a test into a folder that {@link openDesk} can open. */
export async function writeSkills(skills: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "offline-skills-"));
  for (const [name, files] of Object.entries(skills)) {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(root, name, path, ".."), { recursive: true });
      await writeFile(join(root, name, path), text);
    }
  }
  return root;
}

function schema(properties: Readonly<Record<string, "string">>, required: string[]) {
  const types = Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, { type }]));
  return jsonSchema<Record<string, unknown>>({ type: "object", properties: types, required });
}

function runShell(command: string, cwd: string, out: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", OUTPUT_DIR: out, LANG: "C.UTF-8" };
    execFile("bash", ["--norc", "-c", command], { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, stdout, stderr });
    });
  });
}

async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const kept: string[] = [];
  for (const name of names.sort()) if ((await stat(join(folder, name))).isFile()) kept.push(name);
  return kept;
}

function toEntities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
