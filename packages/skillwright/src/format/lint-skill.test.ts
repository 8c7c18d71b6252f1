import { expect, test } from "vitest";
import { lintSkill } from "./lint-skill.ts";
import { parseSkill } from "./parse-skill.ts";

interface Given {
  readonly header?: string;
  readonly body?: string;
  /** Path to mode. */
  readonly files?: { readonly [path: string]: number };
  readonly heads?: { readonly [path: string]: string };
}

function lint({ header = "name: moss\ndescription: Grows. Use when asked.", body = "Read on.", files = {}, heads }: Given) {
  const parsed = parseSkill(`---\n${header}\n---\n${body}\n`, { folder: "moss" });
  if (parsed.manifest === undefined) throw new Error("the skill under test does not parse");
  return lintSkill({
    ...parsed,
    manifest: parsed.manifest,
    files: Object.entries(files).map(([path, mode]) => ({ path, mode, bytes: 10 })),
    location: "moss/SKILL.md",
    countTokens: (text) => text.length / 4,
    ...(heads === undefined ? {} : { readScriptHead: (path: string) => heads[path] }),
  });
}

test("has nothing to say of a sound skill", () => {
  const body = [
    "Run `python3 scripts/grow.py <input> out/result.json`, then see [the guide](references/guide.md#start).",
    "Docs: https://example.org/scripts/other.py and `tcp.flag_x`, `map.json`, `import x from '../x.ts'`.",
    "```",
    "bash $SKILL_DIR/scripts/{name}.sh /etc/hosts ~/.config/moss /usr/bin/env",
    "import a from '../pages/a.page'",
    "```",
  ].join("\n");
  expect(lint({ body, files: { "SKILL.md": 0o644, "scripts/grow.py": 0o755, "references/guide.md": 0o644 } })).toEqual([]);
});

test.each([
  ["a link", "See [forms](references/froms.md).", { "references/forms.md": 0o644 }, "references/forms.md", 13],
  ["a link with an anchor", "See [forms](forms.md#top).", { "docs/forms.md": 0o644 }, "docs/forms.md", 13],
  ["a link with an escape", "See [a](a%20c.md).", { "a b.md": 0o644 }, "a b.md", 9],
  ["a script in a command", "```sh\n```\nRun python scripts/gorw.py now", { "scripts/grow.py": 0o755 }, "scripts/grow.py", 12],
  ["a file in inline code", "Read `references/Guide.md`.", { "references/guide.md": 0o644 }, "references/guide.md", 7],
  ["a bare name in another case", "see FORMS.md;", { "forms.md": 0o644 }, "forms.md", 5],
  ["a folder of the skill's own", "Fill templates/a.txt", { "templates/b.txt": 0o644 }, "templates/b.txt", 6],
])("names the near match of a missing file: %s", (_, body, files, near, column) => {
  const findings = lint({ body, files });
  expect(findings).toMatchObject([{ severity: "warning", code: "file-missing", column, location: "moss/SKILL.md" }]);
  expect(findings[0]?.line).toBe(4 + body.split("\n").length);
  expect(findings[0]?.hint).toContain(`\`${near}\``);
});

test.each([
  ["a bare name that nothing resembles", "Write result.json and NOTES.md"],
  ["a name in a folder that the skill does not have", "Open src/main.ts"],
  ["a pattern", "Read `references/*.md` and scripts/<name>.py"],
  ["a link elsewhere", "[a](https://example.org/a.md) [b](#b) [c](mailto:a@b.c) [d](/rooted.md)"],
  ["a heading and a list", "# scripts/\n- assets/\n- references/ and more"],
])("says nothing of %s", (_, body) => {
  expect(lint({ body, files: { "scripts/grow.py": 0o755 } })).toEqual([]);
});

test("a missing file is reported once, where it stands first", () => {
  const findings = lint({ body: "scripts/a.py\n\nscripts/a.py and scripts/b.py" });
  expect(findings.map(({ line, message }) => [line, message])).toEqual([
    [5, "The skill has no file `scripts/a.py`."],
    [7, "The skill has no file `scripts/b.py`."],
  ]);
});

test.each([
  ["a home folder", "cd /home/ann/moss", "path-absolute"],
  ["a home folder on a Mac", "open `/Users/ann/moss.txt`", "path-absolute"],
  ["the home folder of root", "cat /root/moss", "path-absolute"],
  ["a Windows drive", "type C:\\moss\\notes.txt", "path-absolute"],
  ["a Windows drive with slashes", "type D:/moss/notes.txt", "path-absolute"],
  ["an address of a file", "see file:///home/ann/moss", "path-absolute"],
  ["a client's folder", "run ~/.claude/skills/moss/scripts/a.py", "path-absolute"],
  ["a link out of the skill", "[x](../other/SKILL.md)", "path-outside-skill"],
  ["a file out of the skill", "Read ../shared/notes.md", "path-outside-skill"],
])("reports %s", (_, body, code) => {
  expect(lint({ body })).toMatchObject([{ severity: "warning", code, line: 5 }]);
});

test.each(["/home/user/x", "/Users/<you>/x", "/home/$USER/x", "/tmp/x", "/path/to/x", "C:\\"])("lets %s pass", (path) => {
  expect(lint({ body: `cd ${path}` })).toEqual([]);
});

test.each([
  ["no extension and no first line", { "scripts/grow": 0o755 }, { "scripts/grow": "echo hi\n" }, "script-without-interpreter"],
  ["an unknown extension", { "scripts/grow.xyz": 0o755 }, { "scripts/grow.xyz": "hi\n" }, "script-without-interpreter"],
  ["an executable elsewhere", { "bin/grow": 0o755 }, { "bin/grow": "echo hi\n" }, "script-without-interpreter"],
  ["a carriage return behind the interpreter", { "scripts/a.sh": 0o755 }, { "scripts/a.sh": "#!/bin/bash\r\necho\r\n" }, "script-crlf"],
  ["a first line", { "scripts/grow": 0o755 }, { "scripts/grow": "#!/bin/sh\n" }, undefined],
  ["an extension that says it", { "scripts/grow.py": 0o644 }, { "scripts/grow.py": "print()\n" }, undefined],
  ["data beside scripts", { "scripts/requirements.txt": 0o644, "scripts/Makefile": 0o644 }, {}, undefined],
  ["a file elsewhere that nobody runs", { "assets/blob": 0o644 }, { "assets/blob": "x" }, undefined],
] as const)("scripts with %s", (_, files, heads, code) => {
  expect(lint({ files, heads }).map((finding) => finding.code)).toEqual(code === undefined ? [] : [code]);
});

test("without the first lines, scripts are judged by their names alone", () => {
  expect(lint({ files: { "scripts/grow": 0o755 } })).toEqual([]);
});

test.each([
  ["500 lines", "x\n".repeat(500), 0],
  ["501 lines", "x\n".repeat(501), 1],
  ["5,000 tokens", "x".repeat(19_999), 0],
  ["too many tokens", "x".repeat(20_001), 1],
])("a body of %s", (_, body, count) => {
  expect(lint({ body: body.trimEnd() }).filter(({ code }) => code === "body-too-long")).toHaveLength(count);
});

test.each([
  ["Digs holes.", true],
  ["Digs holes. Use when the user asks for a hole.", false],
  ["Use this skill for holes.", false],
  ["汇总本周工作。当用户说写周报时使用。", false],
  ["汇总本周工作。", true],
  ["議事録を作成する。会議の際に使う。", false],
  ["코드를 검토할 때 사용", false],
  ["Составляет отчёт.", false],
  ["Gräbt Löcher.", false],
])("whether a description says when: %s", (description, missing) => {
  const findings = lint({ header: `name: moss\ndescription: ${description}` });
  expect(findings).toMatchObject(missing ? [{ severity: "warning", code: "description-without-when", line: 3, column: 14 }] : []);
});

test("keys beyond the specification are worth a note", () => {
  const findings = lint({ header: "name: moss\ndescription: Use it.\nversion: 1.0\nuser-invocable: true\nauthor: ann" });
  expect(findings).toMatchObject([{ severity: "info", code: "key-unknown", line: 4, column: 1 }]);
  expect(findings[0]?.message).toContain("`version`, `author`");
});

test("takes time in proportion to the body", () => {
  const body = [
    "a/".repeat(200_000),
    "](".repeat(100_000),
    "`".repeat(200_000),
    ".".repeat(200_000),
    `${".".repeat(200_000)}x`,
    `${"_".repeat(200_000)}x`,
    "../".repeat(100_000),
  ].join("\n");
  expect(lint({ body }).map(({ code }) => code)).toContain("body-too-long");
});
