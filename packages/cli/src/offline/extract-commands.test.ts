import fc from "fast-check";
import { expect, test } from "vitest";
import { extractCommands } from "./extract-commands.ts";

const fence = (language: string, ...lines: string[]) => [`\`\`\`${language}`, ...lines, "```"].join("\n");

test.each<[string, string, string[]]>([
  ["a fence that names bash", fence("bash", "python3 scripts/clean.py notes.txt"), ["python3 scripts/clean.py notes.txt"]],
  ["a fence that names console", fence("console", "$ pandoc a.md -o a.pdf"), ["pandoc a.md -o a.pdf"]],
  ["a fence without a language", fence("", "node scripts/plot.mjs <data>"), ["node scripts/plot.mjs <data>"]],
  ["a fence of tildes", "~~~sh\nawk 'NR > 1' sales.tsv\n~~~", ["awk 'NR > 1' sales.tsv"]],
  ["a fence in a list", "1. Run it:\n   ```bash\n   bash scripts/go.sh in.csv\n   ```", ["bash scripts/go.sh in.csv"]],
  ["a fence that is longer than the one inside", "````bash\n```\npython3 scripts/a.py x.txt\n```\n````", ["python3 scripts/a.py x.txt"]],
  ["a fence that never closes", "```bash\npython3 scripts/a.py x.txt", ["python3 scripts/a.py x.txt"]],
  ["a fence in another language", fence("python", "import scripts.clean", "print(1)"), []],
  ["a fence of JSON", fence("json", '{"run": "python3 scripts/a.py"}'), []],
  ["an indented block", "Run:\n\n    python3 scripts/ocr.py <image> <text>\n", ["python3 scripts/ocr.py <image> <text>"]],
  ["a block indented by a tab", "Run:\n\n\tbash scripts/a.sh in.txt\n", ["bash scripts/a.sh in.txt"]],
  ["two lines in an indented block", "So:\n\n    ./a.sh one.txt\n    ./a.sh two.txt\n", ["./a.sh one.txt", "./a.sh two.txt"]],
  ["indented prose", "List:\n\n    and then it goes on as a paragraph\n", []],
  [
    "prompts before commands, output between them",
    fence("bash", "$ bash scripts/count.sh a.txt", "lines: 3", "$ echo done"),
    ["bash scripts/count.sh a.txt", "echo done"],
  ],
  ["a prompt with user and host", fence("console", "me@host:~$ python3 scripts/a.py b.txt", "ok"), ["python3 scripts/a.py b.txt"]],
  [
    "continued lines",
    fence("bash", "python3 scripts/a.py \\", "  --input data.csv \\", "  --output out.json"),
    ["python3 scripts/a.py --input data.csv --output out.json"],
  ],
  [
    "comment lines and comments behind",
    fence("bash", "# one file", "bash scripts/a.sh x.txt   # prints a table"),
    ["bash scripts/a.sh x.txt"],
  ],
  ["a hash inside quotes", fence("bash", 'python3 scripts/tag.py "#news" post.md'), ['python3 scripts/tag.py "#news" post.md']],
  ["a usage line", fence("", "Usage: python3 scripts/a.py <path> [options]"), ["python3 scripts/a.py <path> [options]"]],
  ["inline code with a script", "Then run `python3 scripts/a.py <file>` on it.", ["python3 scripts/a.py <file>"]],
  ["inline code in a table", "| do | `scripts/plot.py <csv> -o plot.png` |", ["scripts/plot.py <csv> -o plot.png"]],
  ["inline code that only names a script", "See `scripts/a.py` for details.", []],
  ["inline code that is no command", "Set `verbose: true` in `config.yaml`.", []],
  ["a pipe", fence("bash", "cat log.txt | python3 scripts/lint.py --format text"), ["cat log.txt | python3 scripts/lint.py --format text"]],
  ["variables set before a command", fence("bash", "LANG=C sort names.txt"), ["LANG=C sort names.txt"]],
  [
    "a loop",
    fence("bash", "for f in *.csv; do", '  python3 scripts/a.py "$f"', "done", "bash scripts/after.sh x.txt"),
    ["bash scripts/after.sh x.txt"],
  ],
  [
    "a here-document",
    fence("bash", "cat > note.txt <<'EOF'", "python3 scripts/not-this.py x", "EOF", "wc -w note.txt"),
    ["wc -w note.txt"],
  ],
  ["a slash command of another host", fence("bash", "/summarise report.pdf"), []],
  ["output in a shell fence", fence("bash", "Total words: 150"), []],
  ["the same command twice", `${fence("bash", "bash a.sh x.txt")}\n\n${fence("bash", "bash a.sh x.txt")}`, ["bash a.sh x.txt"]],
  ["Windows line ends", "Run:\r\n\r\n    bash scripts/a.sh in.txt\r\n", ["bash scripts/a.sh in.txt"]],
])("%s", (_, markdown, commands) => {
  expect(extractCommands(markdown).map((command) => command.line)).toEqual(commands);
});

test("a command carries its heading, the sentence before it and its comment", () => {
  const markdown = `## Merge files\n\nJoins two tables:\n\n${fence("bash", "# by their first column", "bash scripts/join.sh a.csv b.csv # fast")}`;
  expect(extractCommands(markdown, "references/use.md")).toEqual([
    {
      line: "bash scripts/join.sh a.csv b.csv",
      about: "Merge files Joins two tables: by their first column fast",
      form: "fence",
      document: "references/use.md",
    },
  ]);
});

test("any text gives commands or none, and never throws", () => {
  const pieces = fc.constantFrom(
    "```",
    "```bash",
    "~~~",
    "    ",
    "\t",
    "$ ",
    "python3 scripts/a.py ",
    "<x>",
    "[--y <z>]",
    "\\",
    "\n",
    "'",
    '"',
    "`",
    "#",
    "<<EOF",
    "for ",
    "done",
    "é",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }), (parts) => {
      for (const command of extractCommands(parts.join(""))) expect(command.line.trim()).toBe(command.line);
    }),
  );
});

test.each([
  ["a path that climbs", "../".repeat(600)],
  ["dots and dashes", ".-".repeat(900)],
  ["variables", "a=b ".repeat(450)],
  ["a line without an end", `\`\`\`${"a".repeat(500_000)}\``],
  ["thousands of fences", "```\n".repeat(50_000)],
])("ends on %s", (_, text) => {
  expect(extractCommands(`Run:\n\n    ${text}\n\n${text}\n\n\`${text}\``)).toEqual([]);
});
