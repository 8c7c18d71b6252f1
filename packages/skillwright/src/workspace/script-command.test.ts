import { expect, test } from "vitest";
import { scriptCommand } from "./script-command.ts";

const head = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ["a.py", 0o644, "print(1)", ["python3", "a.py"]],
  ["a.PY", 0o644, "print(1)", ["python3", "a.PY"]],
  ["a.sh", 0o644, "echo", ["bash", "a.sh"]],
  ["a.sh", 0o644, "#!/bin/sh\necho", ["sh", "a.sh"]],
  ["a.js", 0o644, "", ["node", "a.js"]],
  ["a.awk", 0o644, "{print}", ["awk", "-f", "a.awk"]],
  ["tool", 0o644, "#!/usr/bin/env python3\nprint(1)", ["python3", "tool"]],
  ["tool", 0o755, "#!/opt/homebrew/bin/python3.12 -u\n", ["python3.12", "-u", "tool"]],
  ["tool", 0o644, "#!/usr/bin/env -S node --no-warnings\n", ["node", "--no-warnings", "tool"]],
  ["tool", 0o644, "#!/usr/bin/env python3\r\nprint(1)\r\n", ["python3", "tool"]],
  ["tool", 0o644, "\ufeff#!/bin/bash\necho", ["bash", "tool"]],
  ["tool", 0o755, "\x7fELF\x02", ["tool"]],
  ["a.py", 0o644, "#!\nprint(1)", ["python3", "a.py"]],
  [".sh", 0o755, "echo", [".sh"]],
])("%s (mode %o, %j) is started as %j", (path, mode, text, argv) => {
  expect(scriptCommand({ path, mode, head: head(text) }, ["x"])).toEqual({ ok: true, argv: [...argv, "x"], warnings: [] });
});

test("a shell script with Windows line ends runs with a warning that explains them", () => {
  const command = scriptCommand({ path: "a.sh", mode: 0o644, head: head("#!/bin/bash\r\necho hi\r\n") }, []);
  expect(command).toMatchObject({ ok: true, argv: ["bash", "a.sh"], warnings: [expect.stringContaining("CRLF")] });
});

test("a file that nothing says how to run is refused with what to do", () => {
  const command = scriptCommand({ path: "skills/x/data.bin", mode: 0o644, head: head("??") }, []);
  expect(command).toMatchObject({ ok: false, reason: expect.stringMatching(/data\.bin cannot be run.*run_command/) });
});
