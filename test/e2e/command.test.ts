import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { skillFile, temporaryFolder, writeTree } from "../session/make-library.ts";
import { type CommandResult, runCommandLine } from "./run-command.ts";

const tool = "examples/skills";
const sales = "examples/data/sales.csv";

function library(tree: Parameters<typeof writeTree>[1]): string {
  const root = temporaryFolder();
  writeTree(root, tree);
  return root;
}

describe("the main job", () => {
  test("finds the skill, runs its script on the file, answers, and says what it cost", async () => {
    const { code, stdout, stderr } = await runCommandLine([
      "run",
      "Which region sold the most?",
      "--file",
      sales,
      "--skills",
      tool,
      "--sandbox",
      "virtual",
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/not a language model/);
    expect(stdout).toMatch(/South/);
    expect(stderr).toMatch(/^load\s+csv-report/m);
    expect(stderr).toMatch(/^tokens\s+\d+ in/m);
    expect(stderr).toMatch(/^time/m);
  });

  test("prints one JSON object where a machine asks", async () => {
    const { code, stdout } = await runCommandLine([
      "run",
      "Total sales?",
      "--file",
      sales,
      "--skills",
      tool,
      "--sandbox",
      "virtual",
      "--json",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      loaded: ["csv-report"],
      runs: [{ exitCode: 0 }],
      answer: expect.stringContaining("25,682.25"),
    });
  });

  test("goes on with a conversation under its name", async () => {
    const state = temporaryFolder();
    const env = { XDG_STATE_HOME: state };
    const args = ["--skills", tool, "--sandbox", "virtual", "--session", "sales", "--json"];
    await runCommandLine(["run", "Total sales?", "--file", sales, ...args], { env });
    const { code } = await runCommandLine(["run", "Total sales by region?", ...args], { env });
    expect(code).toBe(0);
    const kept = JSON.parse(readFileSync(join(state, "skillwright/sessions/sales.json"), "utf8")) as { role: string }[];
    expect(kept.filter((message) => message.role === "user")).toHaveLength(2);
  });
});

/** Bad input, and the words that say what to do next. */
describe("bad input", () => {
  const cases: readonly (readonly [string, () => readonly string[], number, RegExp])[] = [
    ["a missing root", () => ["run", "hi", "--skills", "/does/not/exist"], 0, /No skill|0 found/],
    ["an empty root", () => ["run", "hi", "--skills", temporaryFolder()], 0, /0 found/],
    ["a missing file", () => ["run", "hi", "--skills", tool, "--file", "nope.csv"], 2, /"nope.csv" does not exist/],
    ["a folder as a file", () => ["run", "hi", "--skills", tool, "--file", "examples"], 2, /is a folder/],
    ["an empty prompt", () => ["run", " ", "--skills", tool], 2, /Say what you want/],
    ["no prompt", () => ["run"], 2, /missing required argument/],
    ["an unknown command", () => ["fly"], 2, /unknown command/],
    ["an unknown option", () => ["list", "--fast"], 2, /unknown option/],
    ["an unknown sandbox", () => ["run", "hi", "--skills", tool, "--sandbox", "moon"], 2, /no sandbox "moon"/],
    ["an unknown model", () => ["run", "hi", "--skills", tool, "--model", "gpt"], 2, /provider\/name/],
    ["an unknown provider", () => ["run", "hi", "--skills", tool, "--model", "acme/x"], 2, /no provider "acme"/],
    ["a model without a key", () => ["run", "hi", "--skills", tool, "--model", "anthropic/claude"], 2, /ANTHROPIC_API_KEY/],
    ["an unknown dialect", () => ["run", "hi", "--skills", tool, "--dialect", "latin"], 1, /no dialect "latin"/],
    ["an unknown skill", () => ["show", "csv-reprot", "--skills", tool], 1, /csv-report/],
    ["an unknown resource", () => ["read", "csv-report", "nope.md", "--skills", tool], 1, /nope.md/],
    ["a name that is a path", () => ["show", "../csv-report", "--skills", tool], 1, /no skill/i],
  ];

  test.each(cases)("%s", async (_name, args, code, words) => {
    const result = await runCommandLine([...args()]);
    expect(`${result.stdout}${result.stderr}`).toMatch(words);
    expect(`${result.stdout}${result.stderr}`).not.toMatch(/\n\s+at .*\(/);
    expect(result.code).toBe(code);
  });

  test("a broken SKILL.md hides nothing and is explained", async () => {
    const root = library({ "good/SKILL.md": skillFile("good"), "bad/SKILL.md": "---\nname: [\n", "none/SKILL.md": "just text\n" });
    const listed = await runCommandLine(["list", "--skills", root, "--json"]);
    expect(JSON.parse(listed.stdout).skills).toMatchObject([{ name: "good" }]);
    const doctor = await runCommandLine(["doctor", "--skills", root]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/frontmatter-unclosed/);
    expect(doctor.stdout).toMatch(/frontmatter-missing/);
  });

  test("an image that is not an image", async (context) => {
    if (!existsSync("/usr/bin/tesseract") || !existsSync("/usr/bin/bwrap")) context.skip("needs Tesseract and bubblewrap");
    const folder = temporaryFolder();
    writeFileSync(join(folder, "fake.png"), "not an image");
    const { stdout, stderr } = await runCommandLine([
      "run",
      "What does this picture say?",
      "--file",
      join(folder, "fake.png"),
      "--skills",
      tool,
    ]);
    expect(`${stdout}${stderr}`).toMatch(/image/i);
  });

  test.each([
    ["exits 3", "exit 3", [], /Exit code 3/],
    ["hangs", "sleep 600", ["--timeout", "1"], /time limit/],
    ["floods", "yes", ["--timeout", "20"], /printed too much|time limit/],
    ["writes outside", "echo x > /etc/skillwright-proof && echo wrote", [], /Exit code [12]/],
  ])("a script that %s", async (_name, command, flags, words) => {
    const root = library({ "odd/SKILL.md": skillFile("odd") });
    const { code, stderr } = await runCommandLine([
      "exec",
      "odd",
      "--skills",
      root,
      "--sandbox",
      existsSync("/usr/bin/bwrap") ? "bubblewrap" : "virtual",
      ...flags,
      "--",
      "sh",
      "-c",
      command,
    ]);
    expect(stderr).toMatch(words);
    expect(code).toBe(1);
    expect(existsSync("/etc/skillwright-proof")).toBe(false);
  });

  test("a key that is refused", async () => {
    const server = createServer((_request, response) =>
      response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"bad key","type":"invalid_request_error"}}'),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const env = { OPENAI_API_KEY: "wrong", OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
    const { code, stderr } = await runCommandLine(["run", "hi", "--skills", tool, "--sandbox", "none", "--model", "openai/x"], { env });
    expect(stderr).toMatch(/refused the key \(401\)/);
    expect(code).toBe(1);
  });
});

test("Ctrl-C ends a run and leaves nothing behind", async (context) => {
  if (!existsSync("/usr/bin/bwrap")) context.skip("needs bubblewrap");
  const root = library({ "slow/SKILL.md": skillFile("slow"), "slow/scripts/wait.sh": "#!/bin/sh\necho waiting >&2\nsleep 4242\n" });
  const result: CommandResult = await runCommandLine(
    ["exec", "slow", "--skills", root, "--sandbox", "bubblewrap", "--", "scripts/wait.sh"],
    {
      onStderr: (text, interrupt) => {
        if (text.includes("waiting")) interrupt();
      },
    },
  );
  expect(result.code).toBe(130);
  expect(result.stderr).toMatch(/nothing was left running/);
  expect(processesWith("sleep 4242")).toEqual([]);
});

test("skills of a project wait for trust, and the command says so", async () => {
  const project = temporaryFolder();
  mkdirSync(join(project, ".git"));
  writeTree(join(project, ".agents/skills"), { "deploy/SKILL.md": skillFile("deploy") });
  const env = { HOME: temporaryFolder(), XDG_CONFIG_HOME: temporaryFolder() };
  const before = await runCommandLine(["list"], { cwd: project, env });
  expect(before.stderr).toMatch(/1 skill of this project withheld.*skillwright trust/s);
  expect((await runCommandLine(["trust", project], { cwd: project, env })).code).toBe(0);
  const after = await runCommandLine(["list", "--json"], { cwd: project, env });
  expect(JSON.parse(after.stdout).skills).toMatchObject([{ name: "deploy" }]);
});

test("init starts a skill that the strict library takes", async () => {
  const folder = temporaryFolder();
  expect((await runCommandLine(["init", "tax-forms", "--dir", folder])).code).toBe(0);
  const again = await runCommandLine(["init", "tax-forms", "--dir", folder]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("exists already") });
  const listed = await runCommandLine(["list", "--skills", folder, "--strict", "--json"]);
  expect(JSON.parse(listed.stdout).skills).toMatchObject([{ name: "tax-forms" }]);
});

test("an old Node is told in one line what is needed", async (context) => {
  const old = ["/usr/bin/node", "/usr/local/bin/node"].find(
    (path) => existsSync(path) && /^v(?:1\d|20|21)\./.test(execFileSync(path, ["--version"], { encoding: "utf8" })),
  );
  if (old === undefined) context.skip("this machine has no Node below 22");
  const { code, stderr } = await runCommandLine(["list"], old === undefined ? {} : { node: old });
  expect(code).toBe(2);
  expect(stderr.trim().split("\n")).toEqual([expect.stringContaining("needs Node 22.13")]);
});

/** Command lines of running processes that hold a text. */
function processesWith(text: string): string[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return /^\d+$/.test(pid) && line.includes(text) ? [line] : [];
    } catch {
      return [];
    }
  });
}
