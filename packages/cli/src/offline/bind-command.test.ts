import { expect, test } from "vitest";
import { bindCommand } from "./bind-command.ts";
import { kindOfPath } from "./file-kinds.ts";

const skillFiles = [
  "scripts/x.py",
  "scripts/run.sh",
  "scripts/make.ts",
  "bin/tool",
  "assets/sample_input.json",
  "templates/page.html",
  "references/use.md",
];

function bind(line: string, files: readonly string[], question = "find 3 red cats") {
  const given = files.map((path) => ({ path: `inputs/${path}`, kind: kindOfPath(path) }));
  return bindCommand({ line, about: "", form: "fence", document: "SKILL.md" }, { skill: "cats", skillFiles, files: given, question });
}

test.each<[string, string, string[], string]>([
  [
    "a usage line with an optional option",
    "python3 scripts/x.py <input_image> <output_file> [--lang <language>]",
    ["a.png"],
    "python3 scripts/x.py inputs/a.png output.txt",
  ],
  [
    "an example with concrete files",
    "python scripts/x.py inputs/receipt.png output.txt",
    ["a.png"],
    "python3 scripts/x.py inputs/a.png output.txt",
  ],
  [
    "an example with a folder before its output",
    "python3 scripts/x.py photo.jpg -o out/result.json",
    ["a.png"],
    "python3 scripts/x.py inputs/a.png -o result.json",
  ],
  [
    "a subcommand",
    "python3 scripts/x.py analyze note.txt --output r.json",
    ["a.txt"],
    "python3 scripts/x.py analyze inputs/a.txt --output r.json",
  ],
  ["capitals", "python3 scripts/x.py INPUT OUTPUT", ["a.csv"], "python3 scripts/x.py inputs/a.csv output.txt"],
  ["braces", "python3 scripts/x.py {input_file} {output_pdf}", ["a.md"], "python3 scripts/x.py inputs/a.md output.pdf"],
  [
    "options with an equals sign",
    "python3 scripts/x.py --input=<path> --output=<path>",
    ["a.csv"],
    "python3 scripts/x.py --input=inputs/a.csv --output=output.txt",
  ],
  ["Chinese placeholders", "python3 scripts/x.py <图片路径> <输出文件>", ["a.png"], "python3 scripts/x.py inputs/a.png output.txt"],
  ["a name with blanks and a quote", "bash scripts/run.sh <file>", ["it's me.csv"], "bash scripts/run.sh 'inputs/it'\\''s me.csv'"],
  ["several files for one place", "bash scripts/run.sh <files...>", ["a.png", "b.png"], "bash scripts/run.sh inputs/a.png inputs/b.png"],
  [
    "a pattern for several files",
    "bash scripts/run.sh pages/*.png -o book.pdf",
    ["a.png", "b.png"],
    "bash scripts/run.sh inputs/a.png inputs/b.png -o book.pdf",
  ],
  ["two files in order", "python3 scripts/x.py old.csv new.csv", ["a.csv", "b.csv"], "python3 scripts/x.py inputs/a.csv inputs/b.csv"],
  [
    "files by their kind, not their order",
    "python3 scripts/x.py <table.csv> <photo.png>",
    ["a.png", "b.csv"],
    "python3 scripts/x.py inputs/b.csv inputs/a.png",
  ],
  ["a file in brackets where nothing else takes one", "scripts/x.py [file] [keyword]", ["a.txt"], "python3 scripts/x.py inputs/a.txt"],
  ["a script by the skill's own folder", "uv run {baseDir}/scripts/x.py a.csv", ["b.csv"], "python3 scripts/x.py inputs/b.csv"],
  [
    "a script by another host's folder",
    "python ~/.claude/skills/cats/scripts/x.py -i a.mp4",
    ["b.mp4"],
    "python3 scripts/x.py -i inputs/b.mp4",
  ],
  ["a script by a variable", '"$PYTHON" "$SKILL_ROOT/scripts/x.py" "$ARGUMENTS"', ["b.md"], "python3 scripts/x.py inputs/b.md"],
  ["a script by its name alone", "cd scripts && python x.py a.csv", ["b.csv"], "python3 scripts/x.py inputs/b.csv"],
  ["a script without its interpreter", "./scripts/run.sh a.csv", ["b.csv"], "bash scripts/run.sh inputs/b.csv"],
  ["a program of the skill", "bin/tool $1", ["a.json"], "./bin/tool inputs/a.json"],
  [
    "TypeScript",
    "npx tsx scripts/make.ts --template templates/page.html --data <data.json>",
    ["a.json"],
    "node scripts/make.ts --template templates/page.html --data inputs/a.json",
  ],
  [
    "a sample of the skill gives way to the person's file",
    "python3 scripts/x.py assets/sample_input.json",
    ["a.json"],
    "python3 scripts/x.py inputs/a.json",
  ],
  [
    "a pipe into a script",
    "cat log.txt | python3 scripts/x.py > out.json",
    ["a.txt"],
    "cat inputs/a.txt | python3 scripts/x.py > out.json",
  ],
  ["a program of the system", "pandoc in.md -o out.docx", ["a.md"], "pandoc inputs/a.md -o out.docx"],
  ["an awk program stays as it is", "awk -F, '{print $1}' data.csv", ["a.csv"], "awk -F, '{print $1}' inputs/a.csv"],
  [
    "a folder of files",
    "python3 scripts/x.py ./src/ --output-dir <dir>",
    ["a.js"],
    'python3 scripts/x.py inputs --output-dir "$OUTPUT_DIR"',
  ],
  ["an unknown kind by its example", "python3 scripts/x.py suspect.yar", ["a.yar"], "python3 scripts/x.py inputs/a.yar"],
  ["the question as a text", 'python3 scripts/x.py search "grey elephants in rain"', [], "python3 scripts/x.py search 'find 3 red cats'"],
  [
    "the question and its number",
    'python3 scripts/x.py --query "<query>" --limit <n>',
    [],
    "python3 scripts/x.py --query 'find 3 red cats' --limit 3",
  ],
  [
    "an option whose value nobody knows is left away",
    "python3 scripts/x.py <file> --api-key <key>",
    ["a.txt"],
    "python3 scripts/x.py inputs/a.txt",
  ],
  ["a choice that the author lists", "python3 scripts/x.py <file> <json|text>", ["a.txt"], "python3 scripts/x.py inputs/a.txt json"],
])("%s", (_, line, files, expected) => {
  expect(bind(line, files)).toMatchObject({ line: expected });
});

test.each<[string, string, string[], string, string]>([
  ["no file was given", "python3 scripts/x.py <input_image>", [], "file", "input_image"],
  ["a file of another kind was given", "python3 scripts/x.py <input_image>", ["a.csv"], "file", "input_image"],
  ["one file is too few", "python3 scripts/x.py old.csv new.csv", ["a.csv"], "file", "new.csv"],
  ["the script is not in the skill", "python3 scripts/lost.py <file>", ["a.csv"], "script", "scripts/lost.py"],
  ["a value that only a person knows", "python3 scripts/x.py <file> <password>", ["a.csv"], "value", "password"],
  ["a key before the command", "API_KEY=<key> python3 scripts/x.py <file>", ["a.csv"], "value", "key"],
  ["it installs something", "pip install pandas", ["a.csv"], "not-for-this", "pip install pandas"],
  ["it only prints help", "python3 scripts/x.py --help", ["a.csv"], "not-for-this", "python3 scripts/x.py --help"],
  ["it is more than a plain command", "echo $(date) > a.txt", ["a.csv"], "unreadable", "echo $(date) > a.txt"],
])("refused: %s", (_, line, files, kind, name) => {
  expect(bind(line, files)).toMatchObject({ kind, name });
});

test("outputs are told, so that they can be read afterwards; equal names differ", () => {
  expect(bind("python3 scripts/x.py <input> <output> <output>", ["a.csv"])).toMatchObject({ outputs: ["output.txt", "output-2.txt"] });
});

test.each([
  ["curl https://example.org/a", true],
  ["git clone repo.git x", true],
  ["npx some-tool a.csv", true],
  ["npx tsx scripts/make.ts <file>", false],
  ["python3 scripts/x.py <file>", false],
])("%s needs the network: %s", (line, network) => {
  expect(bind(line, ["a.csv"])).toMatchObject({ network });
});

test("without a list of the skill's files a script is taken at its author's word", () => {
  const command = { line: "python /opt/skills/cats/scripts/any.py <file>", about: "", form: "fence", document: "SKILL.md" } as const;
  const context = { skill: "cats", skillFiles: undefined, files: [{ path: "inputs/a.csv", kind: "table" as const }], question: "" };
  expect(bindCommand(command, context)).toMatchObject({ line: "python3 scripts/any.py inputs/a.csv", script: "scripts/any.py" });
});
