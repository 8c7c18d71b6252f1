import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
  const names = ["a", "b", "..", ".", "x", ""];
  const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const target = fc.constantFrom("..", "../..", "../outside", "../other", "/etc", "/etc/passwd", "a", "b/x", ".", `${tmpdir()}`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(path, target), { maxLength: 6 }),
      fc.array(path, { minLength: 1, maxLength: 6 }),
      async (links, paths) => {
        rmSync(root, { recursive: true, force: true });
        mkdirSync(join(root, "a", "b"), { recursive: true });
        for (const [place, to] of links) {
          const inside = join(root, place);
          if (!inside.startsWith(`${root}/`) || inside === `${root}/`) continue;
          try {
            if (!`${realpathSync(dirname(inside))}/`.startsWith(`${root}/`)) continue;
            rmSync(inside, { recursive: true, force: true });
            symlinkSync(to, inside);
          } catch {
            // No folder to stand in.
          }
        }
        for (const named of paths) {
          const reading = await files.read(named, { maxBytes: 100_000 }).catch((error: unknown) => error);
          if (reading instanceof Uint8Array) expect(new TextDecoder().decode(reading)).toBe("written");
          else expect(SkillError.is(reading)).toBe(true);
          for (const action of [
            () => files.writeFiles([{ path: named, data: bytes("written") }]),
            () => files.writeFiles([{ path: `${named}/` }]),
            () => files.remove(named),
          ]) {
            const fault = await action().catch((error: unknown) => error);
            if (fault !== undefined) expect(SkillError.is(fault)).toBe(true);
          }
          const listed = await files.list(named).catch((error: unknown) => error);
          if (Array.isArray(listed)) for (const entry of listed) expect(entry.path).not.toMatch(/outside|passwd|^\.\.|\/\.\./);
        }
        expect(readFileSync(join(top, "outside"), "utf8")).toBe("outside");
        expect(readdirSync(top).sort()).toEqual(["other", "outside", "root"]);
        expect(readdirSync(join(top, "other"))).toEqual([]);
      },
    ),
    { numRuns: 150 },
  );
});

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
