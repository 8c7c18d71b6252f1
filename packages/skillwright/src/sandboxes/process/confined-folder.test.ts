import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SkillError } from "../../core/index.ts";
import { confinedFolder, type FolderAccess } from "./confined-folder.ts";
import { removeFolder } from "./remove-tree.ts";

let top: string;
let root: string;
let files: FolderAccess;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "skillwright-confined-")));
  root = join(top, "root");
  mkdirSync(root);
  writeFileSync(join(top, "outside"), "outside");
  mkdirSync(join(top, "other"));
  files = confinedFolder(root);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

test("whatever a hostile program plants, no call reads, writes, lists or removes outside", async () => {
  const outer = join(top, "outer");
  mkdirSync(join(outer, "other"), { recursive: true });
  writeFileSync(join(outer, "outside"), "outside");
  const part = fc.constantFrom("a", "b", "..", ".", "x", "");
  const named = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  // Where a link is planted, one folder and one plain name; where it leads, never further than the test's own folder.
  const link = fc.record({
    folder: fc.constantFrom("", "a", "a/b"),
    name: fc.constantFrom("a", "b", "x"),
    to: fc.constantFrom("..", "../outside", "../other", "a", "b/x", "."),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(link, { maxLength: 6 }), fc.array(named, { minLength: 1, maxLength: 6 }), async (links, paths) => {
      const inner = mkdtempSync(join(outer, "run-"));
      mkdirSync(join(inner, "a", "b"), { recursive: true });
      for (const { folder, name, to } of links) plantLink(inner, folder, name, to);
      const confined = confinedFolder(inner);
      for (const path of paths) {
        const reading = await confined.read(path, { maxBytes: 100_000 }).catch((error: unknown) => error);
        if (reading instanceof Uint8Array) expect(new TextDecoder().decode(reading)).toBe("written");
        else expect(SkillError.is(reading)).toBe(true);
        for (const action of [
          () => confined.writeFiles([{ path, data: bytes("written") }]),
          () => confined.writeFiles([{ path: `${path}/` }]),
          () => confined.remove(path),
        ]) {
          const fault = await action().catch((error: unknown) => error);
          if (fault !== undefined) expect(SkillError.is(fault)).toBe(true);
        }
        const listed = await confined.list(path).catch((error: unknown) => error);
        if (Array.isArray(listed)) for (const entry of listed) expect(entry.path).not.toMatch(/outside|^\.\.|\/\.\./);
      }
      expect(readdirSync(outer).filter((name) => !name.startsWith("run-"))).toEqual(["other", "outside"]);
      expect(readFileSync(join(outer, "outside"), "utf8")).toBe("outside");
      expect(readdirSync(join(outer, "other"))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

/** Puts a link where nothing but a link stands, in a folder that is reached through no link; removes nothing else. */
function plantLink(inner: string, folder: string, name: string, to: string): void {
  const parent = join(inner, folder);
  if (!existsSync(parent) || realpathSync(parent) !== parent) return;
  const place = join(parent, name);
  const there = lstatSync(place, { throwIfNoEntry: false });
  if (there !== undefined && !there.isSymbolicLink()) return;
  if (there !== undefined) unlinkSync(place);
  symlinkSync(to, place);
}

test("files that are no files are refused at once: a FIFO that nobody writes to, a device", async () => {
  execFileSync("mkfifo", [join(root, "fifo")]);
  await expect(files.read("fifo", { maxBytes: 10 })).rejects.toMatchObject({ code: "file-not-found" });
  const [entry] = await files.list(".");
  expect(entry).toMatchObject({ path: "fifo", kind: "other" });
});

test("a file of a terabyte that takes no disk is refused without reading it", async () => {
  writeFileSync(join(root, "sparse"), "");
  truncateSync(join(root, "sparse"), 2 ** 40);
  await expect(files.read("sparse", { maxBytes: 1000 })).rejects.toMatchObject({ code: "limit-exceeded", data: { bytes: 2 ** 40 } });
});

test("a listing says how many names a file has", async () => {
  writeFileSync(join(root, "one"), "x");
  linkSync(join(root, "one"), join(root, "two"));
  expect((await files.list(".")).map((entry) => entry.links)).toEqual([2, 2]);
});

test("a large folder is listed in part, and in pieces", async () => {
  await files.writeFiles(Array.from({ length: 700 }, (_, index) => ({ path: `many/${index}` })));
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  expect(await files.list("many")).toHaveLength(700);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  expect(await files.list("many", { maxEntries: 10 })).toHaveLength(10);
});

test("no half-written and no temporary file is left", async () => {
  await files.writeFiles([{ path: "a/b", data: bytes("x") }, { path: "c/" }]);
  await expect(files.writeFiles([{ path: "a", data: bytes("y") }])).rejects.toMatchObject({ code: "sandbox-failed" });
  expect((await files.list(".")).map((entry) => entry.path)).toEqual(["a", "a/b", "c"]);
});

test("writing stops when it is aborted", async () => {
  await expect(files.writeFiles([{ path: "a" }], { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  expect(existsSync(join(root, "a"))).toBe(false);
});

test("folders of any depth, mode and name are removed, and links in them alone", async () => {
  const code = `
import os
os.chdir(${JSON.stringify(root)})
os.mkdir("deep"); os.chdir("deep")
for index in range(600):
  os.mkdir("d" * 30); os.chdir("d" * 30)
open("bottom", "w").close()
os.chdir(${JSON.stringify(root)})
os.mkdir("locked"); open("locked/file", "w").close(); os.symlink(${JSON.stringify(top)}, "locked/link"); os.chmod("locked", 0)
os.mkdir(b"bytes\\xff\\xfe"); open(b"bytes\\xff\\xfe/na\\xc3me", "w").close()
`;
  execFileSync("python3", ["-c", code]);
  await removeFolder(root);
  expect(readdirSync(top).sort()).toEqual(["other", "outside"]);
});

test("mounted folders stand in for places in the workspace", async () => {
  writeFileSync(join(top, "other", "file"), "mounted");
  const mounted = confinedFolder(root, { mounts: [{ path: "shared", hostPath: join(top, "other"), readOnly: true }] });
  expect(new TextDecoder().decode(await mounted.read("shared/file", { maxBytes: 10 }))).toBe("mounted");
  expect((await mounted.list("shared")).map((entry) => entry.path)).toEqual(["shared/file"]);
  await expect(mounted.writeFiles([{ path: "shared/new" }])).rejects.toMatchObject({ code: "path-outside-root" });
  await expect(mounted.remove("shared/file")).rejects.toMatchObject({ code: "path-outside-root" });
});
