import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Bash } from "just-bash";
import { parseSkill } from "skillwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const skills = fileURLToPath(new URL("../../examples/skills/", import.meta.url));
const data = fileURLToPath(new URL("../../examples/data/", import.meta.url));
const names = ["changelog", "csv-report", "eli5", "haiku", "ocr", "pirate", "shakespeare"];

let work = "";
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), "example-skills-"));
});
afterAll(() => rm(work, { recursive: true, force: true }));

test("the folder holds these skills", async () => {
  expect((await readdir(skills)).sort()).toEqual(names);
});

test.each(names)("%s is valid without a remark, and says when to use it", async (name) => {
  const text = await readFile(join(skills, name, "SKILL.md"), "utf8");
  const { manifest, diagnostics, body } = parseSkill(text, { folder: name });
  expect(diagnostics).toEqual([]);
  expect(manifest?.description).toMatch(/Use when .*\p{sc=Han}/su);
  expect(body.split("\n").length).toBeLessThan(100);
});

test.each(names)("%s names only files that it has", async (name) => {
  const text = await readFile(join(skills, name, "SKILL.md"), "utf8");
  const files = await readdir(join(skills, name), { recursive: true });
  const named = [...text.matchAll(/(?:scripts|references)\/[\w.-]+\w/g)].map((match) => match[0]);
  expect(named.filter((path) => !files.includes(path))).toEqual([]);
});

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What stands in `$OUTPUT_DIR` afterwards, by name. */
  readonly written: Readonly<Record<string, string>>;
}

/** Runs a line in a skill's folder with one input file; the same for a real shell and for the interpreter of the virtual sandbox. */
interface Shell {
  readonly missing?: string | undefined;
  run(skill: string, line: string, input: string): Promise<Run>;
}

const machine: Shell = {
  missing:
    spawnSync("bash", ["--version"]).error || spawnSync("awk", ["1"], { input: "" }).error
      ? "bash and awk are not on this machine"
      : undefined,
  run: async (skill, line, input) => {
    const out = await mkdtemp(join(work, "out-"));
    await writeFile(join(out, "input"), input);
    const command = line.replaceAll("INPUT", join(out, "input"));
    const result = await shell(command, join(skills, skill), { OUTPUT_DIR: out });
    const written: Record<string, string> = {};
    for (const name of await readdir(out)) if (name !== "input") written[name] = await readFile(join(out, name), "utf8");
    return { ...result, written };
  },
};

const interpreter: Shell = {
  run: async (skill, line, input) => {
    const folder = join(skills, skill);
    const scripts = await Promise.all(
      (await readdir(join(folder, "scripts"))).map(
        async (name): Promise<[string, string]> => [`/skill/scripts/${name}`, await readFile(join(folder, "scripts", name), "utf8")],
      ),
    );
    const bash = new Bash({
      files: { ...Object.fromEntries(scripts), "/skill/input": input, "/out/.keep": "" },
      cwd: "/skill",
      env: { OUTPUT_DIR: "/out" },
    });
    const { exitCode, stdout, stderr } = await bash.exec(line.replaceAll("INPUT", "input"));
    const written: Record<string, string> = {};
    for (const name of (await bash.fs.readdir("/out")).filter((name) => name !== ".keep"))
      written[name] = await bash.fs.readFile(`/out/${name}`);
    return { code: exitCode, stdout, stderr, written };
  },
};

function shell(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Omit<Run, "written">> {
  return new Promise((resolve) => {
    const variables = { PATH: process.env.PATH ?? "/usr/bin:/bin", ...env };
    execFile("bash", ["--norc", "-c", command], { cwd, env: variables }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : 1, stdout, stderr });
    });
  });
}

describe.each([
  ["a real shell", machine],
  ["the virtual sandbox's interpreter", interpreter],
])("in %s", (_, { missing, run }) => {
  describe("csv-report", () => {
    const report = "bash scripts/report.sh INPUT";
    const table = (...lines: string[]) => `${lines.join("\n")}\n`;

    test("adds up the example table", async (ctx) => {
      ctx.skip(missing !== undefined, missing);
      const { code, stdout, written } = await run("csv-report", report, await readFile(join(data, "sales.csv"), "utf8"));
      expect(code).toBe(0);
      expect(stdout).toContain("Measure: sales = units x price\nTotal sales: 25,682.25\n");
      expect(stdout).toContain("Top region: South with 7,876.70 (30.7 %)");
      expect(stdout).toContain("Desk lamp, adjustable  5,226.90");
      expect(stdout).toContain('Monitor 24" wide       5,495.50');
      expect(written["report.md"]).toContain("Top month: 2025-02 with 9,728.50");
    });

    test.for<[string, string, string, string[]]>([
      [
        "quotes, doubled quotes and line breaks in fields",
        table("name,amount,kind", '"a, ""b""",10,x', '"two\nlines",5,x', "c,1,y"),
        "",
        ["3 rows, 3 columns", "Total amount: 16", "Top kind: x with 15 (93.8 %)"],
      ],
      [
        "semicolons, a byte order mark and Windows line ends",
        "\uFEFFkind;cost\r\nx;1.50\r\nx;2.50\r\ny;1\r\n",
        "",
        ["Total cost: 5.00", "Top kind: x with 4.00"],
      ],
      ["tabs", table("kind\tamount", "x\t1", "x\t2", "y\t4"), "", ["Total amount: 7", "Top kind: y with 4"]],
      [
        "money, thousands and brackets for minus",
        table("kind,amount", 'x,"$1,200.50"', "x,(200.50)", "y,7"),
        "",
        ["Total amount: 1,007.00", "Top kind: x with 1,000.00"],
      ],
      [
        "a chosen group and a chosen value",
        table("a,b,n,m", "x,p,1,9", "x,q,2,8", "y,q,3,7"),
        " --group B --value m",
        ["Total m: 24", "Top b: q with 15"],
      ],
      ["a column by its position", table("a,n", "x,1", "x,2", "y,9"), " --group 1", ["Top a: y with 9"]],
      ["rows alone, where nothing is a number", table("a,b", "x,p", "x,q", "y,q"), "", ["Top a: x with 2 (66.7 %)"]],
      [
        "cells that are no numbers",
        table("a,amount", ...Array.from({ length: 10 }, (_, at) => `x,${at === 4 ? "n/a" : 1}`)),
        "",
        ["Total amount: 9", "Note: 1 cell in numeric columns could not be read as a number and counted as 0."],
      ],
      [
        "rows that are too short",
        table("a,b,amount", "x,p,1", "x,p", "y,p,2"),
        "",
        ["Total amount: 3", "Note: 1 row with more or fewer fields than the header."],
      ],
      ["a million", table("a,amount", "x,1234567.5", "x,1"), "", ["Total amount: 1,234,568.50"]],
    ])("reads %s", async ([, input, options, lines], ctx) => {
      ctx.skip(missing !== undefined, missing);
      const { code, stdout } = await run("csv-report", report + options, input);
      expect(code).toBe(0);
      for (const line of lines) expect(stdout).toContain(line);
    });

    test.for<[string, string, string, RegExp]>([
      ["an empty file", "", report, /is empty; give a CSV file/],
      ["a header alone", "a,b\n", report, /no data below it/],
      ["a quote that never closes", 'a,b\n"x,1\n', report, /never closed/],
      ["a column that is not there", "a,b\nx,1\n", `${report} --group z`, /no column "z"; the columns are: a, b/],
      ["a file that is not there", "", "bash scripts/report.sh nowhere.csv", /there is no file "nowhere.csv"/],
      ["no file", "", "bash scripts/report.sh", /Usage: bash scripts\/report\.sh <csv_file>/],
      ["an unknown option", "a\n1\n", `${report} --colour red`, /unknown option --colour/],
      ["an option without its value", "a\n1\n", `${report} --group`, /--group needs/],
    ])("says what is wrong with %s", async ([, input, line, message], ctx) => {
      ctx.skip(missing !== undefined, missing);
      const { code, stdout, stderr } = await run("csv-report", line, input);
      expect(code).toBeGreaterThan(0);
      expect(stderr).toMatch(message);
      expect(stdout).toBe("");
    });
  });

  describe("changelog", () => {
    const changelog = "bash scripts/changelog.sh INPUT";

    test("sorts the example log", async (ctx) => {
      ctx.skip(missing !== undefined, missing);
      const { code, stdout, written } = await run("changelog", changelog, await readFile(join(data, "git-log.txt"), "utf8"));
      expect(code).toBe(0);
      const headings = stdout.split("\n").filter((line) => line.startsWith("#"));
      expect(headings).toEqual([
        "## Unreleased",
        "### Breaking changes",
        "### Added",
        "### Fixed",
        "### Removed",
        "### Documentation",
        "## v2.3.0",
        "### Added",
        "### Fixed",
        "### Changed",
      ]);
      expect(stdout).toContain("- **settings**: Store the currency for each customer (0c52be1)");
      expect(stdout).toContain("11 commits read; not listed: 2 internal, 1 merges.");
      expect(written["CHANGELOG.md"]).toBe(stdout);
    });

    test.for<[string, string, string, string[]]>([
      [
        "one line a commit",
        "abc1234 Add a map\ndef5678 Fix the map\n",
        "",
        ["## Unreleased", "### Added", "- Add a map (abc1234)", "### Fixed"],
      ],
      [
        "a graph, a tag and dates",
        "* abc1234 (tag: v2) 2025-01-02 feat: maps\n| * def5678 2025-01-01 docs: the map\n",
        "",
        ["## v2", "- Maps (abc1234)", "### Documentation"],
      ],
      ["the same subject twice", "abc1234 Fix x\nabc1235 Fix x\n", "", ["- Fix x (abc1234)\n\n2 commits"]],
      ["work that nobody notices", "abc1234 chore: tidy\n", "", ["Nothing that users notice."]],
      ["a title of the user's", "abc1234 Add x\n", " --title '4.0'", ["## 4.0"]],
      ["Windows line ends", "abc1234 Add x\r\n", "", ["- Add x (abc1234)\n"]],
    ])("reads %s", async ([, input, options, lines], ctx) => {
      ctx.skip(missing !== undefined, missing);
      const { code, stdout } = await run("changelog", changelog + options, input);
      expect(code).toBe(0);
      for (const line of lines) expect(stdout).toContain(line);
    });

    test.for<[string, string, string, RegExp]>([
      ["a file without commits", "hello\n", changelog, /no commit was found/],
      ["a file that is not there", "", "bash scripts/changelog.sh nowhere.txt", /there is no file "nowhere.txt"/],
      ["no file", "", "bash scripts/changelog.sh", /Usage: bash scripts\/changelog\.sh <git_log>/],
    ])("says what is wrong with %s", async ([, input, line, message], ctx) => {
      ctx.skip(missing !== undefined, missing);
      const { code, stderr } = await run("changelog", line, input);
      expect(code).toBeGreaterThan(0);
      expect(stderr).toMatch(message);
    });
  });
});

describe("ocr", () => {
  const languages = spawnSync("tesseract", ["--list-langs"], { encoding: "utf8" });
  const listed = `${languages.stdout ?? ""}${languages.stderr ?? ""}`;
  const python = spawnSync("python3", ["--version"]).error ? "python3 is not on this machine" : undefined;
  const missing =
    python ??
    (languages.error
      ? "tesseract is not on this machine"
      : /^eng$/m.test(listed) && /^chi_sim$/m.test(listed)
        ? undefined
        : "tesseract lacks the languages eng and chi_sim");

  async function ocr(image: string, options = "", env: Readonly<Record<string, string>> = {}) {
    const output = join(await mkdtemp(join(work, "ocr-")), "output.txt");
    const result = await shell(`python3 scripts/ocr.py '${image}' '${output}' ${options}`, join(skills, "ocr"), env);
    return { ...result, text: await readFile(output, "utf8").catch(() => undefined) };
  }

  test.for<[string, string, string[]]>([
    ["hello.png", "", ["Skillwright reading room", "Please return borrowed books by 12 May.", "Phone: 555 0142"]],
    ["zh.png", "", ["欢迎来到阅览室", "请在五月十二日前归还图书。", "5550142"]],
    ["zh.png", "--lang chi_sim", ["欢迎来到阅览室"]],
  ])("reads %s %s", { timeout: 120_000 }, async ([image, options, lines], ctx) => {
    ctx.skip(missing !== undefined, missing);
    const { code, stdout, text } = await ocr(join(data, image), options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 lines, \d+ characters \(.*\) written to .*output\.txt; confidence \d+\n$/);
    for (const line of lines) expect(text).toContain(line);
  });

  test.for<[string, string, string, number, RegExp]>([
    ["a table", "sales.csv", "", 2, /"[^"]*sales\.csv" is not an image; give a PNG/],
    ["a file that is not there", "nowhere.png", "", 2, /cannot open "[^"]*nowhere\.png": No such file/],
    ["a folder", "", "", 2, /cannot open/],
    ["a language that is not installed", "hello.png", "--lang xxx", 3, /no language xxx; installed: .*eng/],
  ])("says what is wrong with %s", async ([, image, options, code, message], ctx) => {
    ctx.skip(missing !== undefined, missing);
    const result = await ocr(join(data, image), options);
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(message);
    expect(result.text).toBeUndefined();
  });

  test("says how to install tesseract where it is missing", async (ctx) => {
    ctx.skip(python !== undefined, python);
    const where = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).stdout.trim();
    const output = join(work, "none.txt");
    const env = { PATH: "/nowhere" };
    const result = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile(where, ["scripts/ocr.py", join(data, "hello.png"), output], { cwd: join(skills, "ocr"), env }, (error, _, stderr) =>
        resolve({ code: error?.code, stderr }),
      );
    });
    expect(result.code).toBe(3);
    expect(result.stderr).toMatch(/tesseract is not installed; on Debian or Ubuntu: apt-get install tesseract-ocr/);
  });
});
