import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

// Checks what would be published: publint and attw on every entry, exports against built files, and an install elsewhere that imports
// every entry whose peers are not needed to import it. The last line is `N passed, N failed`.
const repository = fileURLToPath(new URL("../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "skillwright-pack-"));
let passed = 0;
let failed = 0;

function check(name: string, run: () => void): void {
  try {
    run();
    passed++;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${error instanceof Error ? error.message : String(error)}`);
  }
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly [condition: string]: unknown }>>;
}

const tarballs: string[] = [];
for (const name of ["skillwright", "cli"]) {
  const folder = join(repository, "packages", name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", scratch], folder)) as {
    filename: string;
    unpackedSize: number;
    files: { path: string }[];
  }[];
  if (packed === undefined) throw new Error(`npm pack made nothing of ${name}`);
  tarballs.push(join(scratch, packed.filename));

  const { messages, pkg } = await publint({ pkgDir: folder, strict: true });
  check(`${manifest.name}: publint`, () => {
    if (messages.length > 0) throw new Error(messages.map((message) => formatMessage(message, pkg)).join("\n"));
  });
  check(`${manifest.name}: nothing but what is meant is packed`, () => {
    const odd = packed.files.map((file) => file.path).filter((path) => /\.test\.|\.tsbuildinfo$|node_modules/.test(path));
    if (odd.length > 0) throw new Error(odd.join("\n"));
  });
  if (name !== "skillwright") continue;
  check("skillwright: under 2 MB", () => {
    if (packed.unpackedSize > 2_000_000) throw new Error(`${packed.unpackedSize} bytes`);
  });
  check("skillwright: attw", () => {
    run("npx", ["attw", join(scratch, packed.filename), "--profile", "esm-only", "--no-emoji"], repository);
  });
  check("skillwright: every entry is built", () => {
    const missing = targets(manifest).filter((target) => !existsSync(join(folder, target)));
    if (missing.length > 0) throw new Error(missing.join("\n"));
  });
}

const consumer = join(scratch, "consumer");
run("mkdir", ["-p", consumer], scratch);
writeFileSync(join(consumer, "package.json"), JSON.stringify({ private: true, type: "module" }));
run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", tarballs[0] ?? ""], consumer);
check("skillwright: two packages, once installed", () => {
  const installed = run("npm", ["ls", "--all", "--parseable"], consumer).trim().split("\n").length - 1;
  if (installed !== 2) throw new Error(`${installed} packages`);
});
const manifest = JSON.parse(readFileSync(join(consumer, "node_modules/skillwright/package.json"), "utf8")) as Manifest;
for (const entry of Object.keys(manifest.exports ?? {}).filter((key) => key !== "./package.json")) {
  const specifier = entry.replace(/^\./, "skillwright");
  check(`import "${specifier}"`, () => {
    try {
      run(process.execPath, ["--input-type=module", "-e", `await import(${JSON.stringify(specifier)})`], consumer);
    } catch (error) {
      const stderr = String((error as { stderr?: unknown }).stderr ?? error);
      // An adapter may need its own framework to be imported, and nothing else.
      const peer = /Cannot find package '([^']+)'/.exec(stderr)?.[1];
      if (peer === undefined || !/adapters|agent|testing|sources\/mcp/.test(entry)) throw new Error(stderr, { cause: error });
    }
  });
}
check("the tarball of the library", () => {
  if (statSync(tarballs[0] ?? "").size > 1_000_000) throw new Error("over 1 MB");
});

function targets(of: Manifest): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") found.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  visit(of.exports);
  return found;
}

rmSync(scratch, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
