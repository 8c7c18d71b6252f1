import { expect, test } from "vitest";
import { readRun } from "./read-run.ts";

const text = (...lines: string[]) => ({ text: lines.join("\n"), data: undefined, outcome: "ok" as const });

test("reads streams and files from the text that a model reads", () => {
  const answer = text(
    "Exit code 0.",
    "stdout:",
    "one",
    "",
    "two",
    "stderr:",
    "careful",
    "Files written:",
    "- work/skills/ocr/output.txt (text/plain, 12 B):",
    "Hello",
    "- not a file",
    "- out/plot.png (image/png, 3.4 kB)",
    "Note: one more file was skipped.",
  );
  expect(readRun(answer)).toEqual({
    exitCode: 0,
    failed: false,
    stdout: "one\n\ntwo",
    stderr: "careful",
    files: [
      { path: "work/skills/ocr/output.txt", text: "Hello\n- not a file" },
      { path: "out/plot.png", text: undefined },
    ],
    ended: "Exit code 0.",
  });
});

test.each<[string, ReturnType<typeof text>, object]>([
  [
    "a Chinese report",
    text("退出码 3。", "stderr:", "坏了", "写出的文件：", "- out/a.txt（text/plain，1.0 kB）"),
    { exitCode: 3, failed: true, stderr: "坏了", files: [{ path: "out/a.txt" }] },
  ],
  [
    "a time limit",
    text("Ended by the time limit after 5.0 s; what it printed until then follows.", "stdout:", "half"),
    { exitCode: undefined, failed: true, stdout: "half" },
  ],
  ["a silent run", text("Exit code 0.", "It printed nothing."), { exitCode: 0, failed: false, stdout: "" }],
  ["an answer in no known form", text("all good", "really"), { failed: false, stdout: "all good\nreally" }],
])("%s", (_, answer, expected) => {
  expect(readRun(answer)).toMatchObject(expected);
});

test.each<[string, Record<string, unknown>, object]>([
  [
    "a run with files",
    { exit_code: 0, stdout: "ok", output_files: [{ name: "output.txt", content: "Hi" }] },
    { exitCode: 0, failed: false, files: [{ path: "output.txt", text: "Hi" }] },
  ],
  ["a failed run", { exit_code: 2, stderr: "bad" }, { exitCode: 2, failed: true, stderr: "bad" }],
  ["a run out of time", { exit_code: -1, timed_out: true }, { failed: true }],
  ["an error", { error: "no sandbox" }, { failed: true, ended: "no sandbox" }],
  ["a status", { status: "error", stderr: "bad" }, { failed: true }],
])("as an object: %s", (_, data, expected) => {
  expect(readRun({ text: JSON.stringify(data), data, outcome: "ok" })).toMatchObject(expected);
});
