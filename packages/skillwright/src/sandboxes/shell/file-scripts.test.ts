import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkFileScript, listScript, parseListing, putScript, readScript, removeScript, scriptExit } from "./file-scripts.ts";

let root: string;
const outside = mkdtempSync(join(tmpdir(), "outside-"));
const awkward = ["a b", "new\nline", "tab\t", "'quoted'", "ünï", "-n", "word/x".replace("/", "_")];

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "scripts-"));
  mkdirSync(join(root, "work/inner"), { recursive: true });
  for (const name of awkward) writeFileSync(join(root, "work", name), name);
  writeFileSync(join(outside, "secret"), "secret");
  symlinkSync(outside, join(root, "work/way-out"));
  symlinkSync(join(outside, "secret"), join(root, "work/direct"));
});
afterAll(() => {
  rmSync(root, { recursive: true });
  rmSync(outside, { recursive: true });
});

const run = (script: string, ...args: string[]) => spawnSync("sh", ["-c", script, "sh", root, ...args], { encoding: "buffer" });

describe("a listing", () => {
  // Without GNU find the same records come from stat.
  test.each([
    ["of find", listScript],
    ["of stat", listScript.replace("if find / ", "if false ")],
  ])("%s holds every name as it is", (_name, script) => {
    const word = "b6c2";
    const entries = parseListing(execFileSync("sh", ["-c", script, "sh", root, "work", word]), word, 100);
    expect(entries.map((entry) => entry.path)).toEqual([...awkward, "inner", "way-out", "direct"].map((name) => `work/${name}`).sort());
    expect(entries.find((entry) => entry.path === "work/new\nline")).toMatchObject({ kind: "file", bytes: 8, mode: 0o644, links: 1 });
    expect(entries.find((entry) => entry.path === "work/inner")).toMatchObject({ kind: "directory", bytes: 0 });
    expect(entries.find((entry) => entry.path === "work/way-out")).toMatchObject({ kind: "link" });
  });

  test("that was cut off loses its last record", () => {
    const line = (name: string): string => `w/f/1/644/1/1.5 7/./work/${name}\n`;
    const cut = Buffer.from(line("one") + line("two")).subarray(0, -4);
    expect(parseListing(cut, "w", 100).map((entry) => entry.path)).toEqual(["work/one"]);
    expect(parseListing(Buffer.from(line("b") + line("a")), "w", 1)).toHaveLength(1);
  });
});

test.each([
  ["a file", "work/a b", 0],
  ["a folder", "work/inner", scriptExit.missing],
  ["nothing", "work/none", scriptExit.missing],
  ["a link", "work/direct", scriptExit.outside],
  ["what stands behind a link", "work/way-out/secret", scriptExit.outside],
])("reading and checking %s", (_name, path, code) => {
  expect(run(readScript, path, "100").status).toBe(code);
  expect(run(checkFileScript, path, "100").status).toBe(code);
});

test("checking tells a file that is too long", () => {
  expect(run(checkFileScript, "work/a b", "2").status).toBe(scriptExit.tooLarge);
});

describe("short writes", () => {
  const kinds = (path: string): string => execFileSync("stat", ["-c", "%F %a", join(root, path)], { encoding: "utf8" }).trim();

  test("make folders, links and files with any byte and mode", () => {
    const put = run(
      putScript,
      "folder",
      "put/empty",
      "",
      "",
      "link",
      "put/link",
      "../work",
      "",
      "file",
      "put/deep/file",
      "750",
      "\\000\\012\\377",
    );
    expect([put.status, put.stderr.toString()]).toEqual([0, ""]);
    expect([kinds("put/empty"), kinds("put/link"), kinds("put/deep/file")]).toEqual([
      "directory 775",
      "symbolic link 777",
      "regular file 750",
    ]);
    expect(readFileSync(join(root, "put/deep/file"))).toEqual(Buffer.from([0, 10, 255]));
  });

  test("replace a link and write through none", () => {
    symlinkSync(outside, join(root, "work/replaced"));
    expect(run(putScript, "file", "work/replaced", "644", "\\101").status).toBe(0);
    expect(readFileSync(join(root, "work/replaced"), "utf8")).toBe("A");
    expect(run(putScript, "file", "work/way-out/planted", "644", "\\101").status).toBe(scriptExit.outside);
    expect(run(putScript, "folder", "work/way-out", "", "").status).toBe(scriptExit.outside);
    expect(run(putScript, "file", "work/inner", "644", "\\101").status).toBe(1);
    rmSync(join(root, "work/replaced"));
  });
});

test("removing follows no link", () => {
  expect(run(removeScript, "work/way-out/secret").status).toBe(scriptExit.outside);
  expect(run(removeScript, "work/way-out").status).toBe(0);
  expect(execFileSync("cat", [join(outside, "secret")], { encoding: "utf8" })).toBe("secret");
});
