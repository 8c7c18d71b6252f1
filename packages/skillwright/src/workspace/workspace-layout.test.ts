import fc from "fast-check";
import { expect, test } from "vitest";
import { freeName, placeVariables, type RunPlace, resolveFile, resolveFolder, safeFileName, safeFolderName } from "./workspace-layout.ts";

const place: RunPlace = { root: "/workspace", runId: "r1", skill: { name: "ocr", folder: "ocr" } };

test("the variables of a run name its folders", () => {
  expect(placeVariables(place)).toEqual({
    WORKSPACE_DIR: "/workspace",
    SKILLS_DIR: "/workspace/skills",
    WORK_DIR: "/workspace/work",
    INPUTS_DIR: "/workspace/work/inputs",
    RUN_DIR: "/workspace/runs/r1",
    OUTPUT_DIR: "/workspace/runs/r1/out",
    SKILL_NAME: "ocr",
    SKILL_DIR: "/workspace/skills/ocr",
  });
});

test.each([
  [undefined, "work/skills/ocr"],
  ["", "work/skills/ocr"],
  [".", "work/skills/ocr"],
  ["./", "work/skills/ocr"],
  ["data", "work/skills/ocr/data"],
  ["./data//x/", "work/skills/ocr/data/x"],
  ["data\\x", "work/skills/ocr/data/x"],
  ["inputs", "work/skills/ocr/inputs"],
  ["..", "work/skills"],
  ["../..", "work"],
  ["../../..", "."],
  ["$WORK_DIR", "work"],
  ["$WORK_DIR/x", "work/x"],
  [`$${"{WORK_DIR}"}/x`, "work/x"],
  ["$WORK_DIR/..", "."],
  ["$SKILL_DIR/scripts", "skills/ocr/scripts"],
  ["$INPUTS_DIR", "work/inputs"],
  ["$OUTPUT_DIR/a", "runs/r1/out/a"],
  ["$WORKSPACE_DIR", "."],
  ["skills/ocr", "skills/ocr"],
  ["work/inputs", "work/inputs"],
  ["out", "out"],
  ["/workspace", "."],
  ["/workspace/work/x", "work/x"],
])("the working directory %j is %s", (named, expected) => {
  expect(resolveFolder(named, place)).toBe(expected);
});

test.each([
  ["/"],
  ["/etc"],
  ["/workspace2"],
  ["/workspace/.."],
  ["/workspace/../etc"],
  ["../../../.."],
  ["work/../.."],
  ["$WORK_DIR/../.."],
  ["$HOME"],
  ["$WORK_DIRX/a"],
  ["~"],
  ["~/x"],
  ["C:\\x"],
  ["..\\..\\..\\.."],
  ["a\0b"],
])("the working directory %j is refused", (named) => {
  expect(() => resolveFolder(named, place)).toThrow(expect.objectContaining({ code: "path-outside-root" }));
});

test("without a skill the working directory is work/", () => {
  expect(resolveFolder(undefined, { root: "/workspace", runId: "r1" })).toBe("work");
  expect(resolveFolder("inputs", { root: "/workspace", runId: "r1" })).toBe("work/inputs");
});

test("no working directory and no file ever leads outside", () => {
  const part = fc.constantFrom(
    "..",
    ".",
    "",
    "a",
    "work",
    "$WORK_DIR",
    `$${"{SKILL_DIR}"}`,
    "/",
    "~",
    "\\",
    "..\\",
    "workspace",
    "/workspace",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.constantFrom("/", "\\", ""), (parts, separator) => {
      const named = parts.join(separator);
      const resolved = [resolveFile(named, "/workspace")];
      try {
        resolved.push(resolveFolder(named, place));
      } catch {
        // Refused is fine.
      }
      for (const path of resolved) {
        if (path === undefined) continue;
        expect(path.startsWith("/")).toBe(false);
        expect(path.split("/")).not.toContain("..");
      }
    }),
  );
});

test.each([
  ["out/report.csv", "out/report.csv"],
  ["/workspace/out/report.csv", "out/report.csv"],
  ["workspace://work/x", "work/x"],
  ["inputs/a.png", "work/inputs/a.png"],
  ["./work//x", "work/x"],
  ["work/../out/x", "out/x"],
])("the file %j is %s", (named, expected) => {
  expect(resolveFile(named, "/workspace")).toBe(expected);
});

test.each([["/etc/passwd"], ["../x"], ["/workspace"], [""], ["a\0b"], ["/workspace/../etc/passwd"]])("the file %j is outside", (named) => {
  expect(resolveFile(named, "/workspace")).toBeUndefined();
});

test.each([
  ["sales.csv", "sales.csv"],
  ["my sales (final).csv", "my_sales_final_.csv"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\me\\photo.PNG", "photo.PNG"],
  ["图片 1.png", "图片_1.png"],
  [".bashrc", "bashrc"],
  ["-rf", "rf"],
  ["a\u202egnp.exe", "a_gnp.exe"],
  ["$(id).txt", "id_.txt"],
  ["", "file"],
  ["..", "file"],
  ["\0", "file"],
])("the file name %j becomes %s", (name, expected) => {
  expect(safeFileName(name)).toBe(expected);
});

test("file and folder names are always plain and short", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (name) => {
      for (const safe of [safeFileName(name), safeFolderName(name).folder]) {
        expect(safe).not.toMatch(/[/\\\0]/);
        expect(safe).not.toMatch(/^\.{0,2}$/);
        expect(new TextEncoder().encode(safe).length).toBeLessThanOrEqual(120);
      }
    }),
  );
});

test.each([
  ["ocr", "ocr", false],
  ["数据分析", "数据分析", false],
  ["../evil", "evil", true],
  ["nested/sub", "nested-sub", true],
  ["windows\\path", "windows-path", true],
  [".hidden", "hidden", true],
  ["..", "skill", true],
  ["a b", "a-b", true],
])("the skill %j has the folder %s", (name, folder, needsMark) => {
  expect(safeFolderName(name)).toEqual({ folder, needsMark });
});

test.each([
  ["out/report.csv", "out/report-2.csv"],
  ["out/a.tar.gz", "out/a-2.tar.gz"],
  ["out/v1.2-notes.txt", "out/v1.2-notes-2.txt"],
  ["out/README", "out/README-2"],
  ["out.d/README", "out.d/README-2"],
  ["out/.env", "out/.env-2"],
])("the second %s is %s", (path, expected) => {
  expect(freeName(path, (taken) => taken === path)).toBe(expected);
});
