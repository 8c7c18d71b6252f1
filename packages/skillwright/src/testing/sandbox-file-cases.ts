import assert from "node:assert/strict";
import { SkillError, type SkillErrorCode } from "../core/index.ts";
import type { Workspace } from "../workspace/index.ts";
import type { SandboxCase } from "./sandbox-contract.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The file half of the contract of sandboxes. */
export const sandboxFileCases: readonly SandboxCase[] = [
  {
    name: "gives back the bytes of a file that was written",
    run: async ({ open }) => {
      const workspace = await open();
      const data = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256);
      await workspace.writeFiles([{ path: "work/deep/er/data.bin", data }]);
      assert.deepEqual(plain(await workspace.read("work/deep/er/data.bin", { maxBytes: 200_000 })), data);
    },
  },
  {
    name: "replaces a file that is there, and writes empty ones",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([{ path: "work/a", data: bytes("long text") }]);
      await workspace.writeFiles([{ path: "work/a", data: bytes("new") }, { path: "work/empty" }]);
      assert.equal(await textOf(workspace, "work/a"), "new");
      assert.equal(await textOf(workspace, "work/empty"), "");
    },
  },
  {
    name: "makes an empty folder for a path that ends in a slash, and leaves one that is there",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([{ path: "work/folder/" }, { path: "work/folder/a", data: bytes("a") }]);
      await workspace.writeFiles([{ path: "work/folder/" }]);
      assert.deepEqual(
        (await workspace.list("work")).map(({ path, kind }) => [path, kind]),
        [
          ["work/folder", "directory"],
          ["work/folder/a", "file"],
        ],
      );
    },
  },
  {
    name: "keeps whether a file is executable",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([
        { path: "work/plain", data: bytes("x"), mode: 0o644 },
        { path: "work/tool", data: bytes("x"), mode: 0o755 },
      ]);
      const entries = await workspace.list("work");
      assert.deepEqual(
        entries.map((entry) => (entry.mode & 0o100) !== 0),
        [false, true],
      );
    },
  },
  {
    name: "keeps names with spaces, quotes, line ends and letters of any script",
    run: async ({ open }) => {
      const workspace = await open();
      const names = ["a b", "it's", '"q"', "-n", "日本語 résumé", "$HOME", "a\tb"];
      await workspace.writeFiles(names.map((name) => ({ path: `work/${name}`, data: bytes(name) })));
      for (const name of names) assert.equal(await textOf(workspace, `work/${name}`), name);
      assert.deepEqual((await workspace.list("work")).map((entry) => entry.path).sort(), names.map((name) => `work/${name}`).sort());
    },
  },
  {
    name: "lists what is below a folder, sorted, with its size; nothing where there is no folder",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([
        { path: "work/b/two", data: bytes("22") },
        { path: "work/a", data: bytes("1") },
      ]);
      assert.deepEqual(
        (await workspace.list("work")).map(({ path, kind, bytes: size }) => [path, kind, size]),
        [
          ["work/a", "file", 1],
          ["work/b", "directory", 0],
          ["work/b/two", "file", 2],
        ],
      );
      assert.deepEqual(await workspace.list("work/none"), []);
    },
  },
  {
    name: "lists no more entries than asked for",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles(Array.from({ length: 20 }, (_, index) => ({ path: `work/${index}`, data: bytes("x") })));
      assert.equal((await workspace.list("work", { maxEntries: 5 })).length, 5);
    },
  },
  {
    name: "changes the stamp of a file whose content changed, and of no other",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([
        { path: "work/a", data: bytes("old") },
        { path: "work/b", data: bytes("old") },
      ]);
      const before = await stamps(workspace);
      await workspace.writeFiles([{ path: "work/a", data: bytes("new") }]);
      const after = await stamps(workspace);
      assert.notEqual(after.get("work/a"), before.get("work/a"));
      assert.equal(after.get("work/b"), before.get("work/b"));
    },
  },
  {
    name: "removes files and folders; what is not there is no fault",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([{ path: "work/f/a", data: bytes("a") }, { path: "work/f/g/b" }, { path: "work/c" }]);
      await workspace.remove("work/f");
      await workspace.remove("work/c");
      await workspace.remove("work/none");
      assert.deepEqual(await workspace.list("work"), []);
    },
  },
  {
    name: "says file-not-found for what is no file",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([{ path: "work/folder/" }]);
      for (const path of ["work/none", "none/none", "work/folder"])
        await rejects(workspace.read(path, { maxBytes: 10 }), ["file-not-found"]);
    },
  },
  {
    name: "says limit-exceeded for a file that is larger than asked for",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([{ path: "work/a", data: bytes("12345") }]);
      await rejects(workspace.read("work/a", { maxBytes: 4 }), ["limit-exceeded"]);
      assert.equal(await textOf(workspace, "work/a"), "12345");
    },
  },
  {
    name: "refuses paths that lead outside, for reading, writing, listing and removing",
    run: async ({ open }) => {
      const workspace = await open();
      for (const path of ["../x", "work/../../x", "/etc/passwd", "work/\0x", "..\\x", ".."]) {
        await rejects(workspace.read(path, { maxBytes: 10 }), ["path-outside-root"]);
        await rejects(workspace.writeFiles([{ path, data: bytes("x") }]), ["path-outside-root"]);
        await rejects(workspace.list(path), ["path-outside-root"]);
        await rejects(workspace.remove(path), ["path-outside-root"]);
      }
    },
  },
  {
    name: "names links and never follows them",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([
        { path: "work/real/a", data: bytes("a") },
        { path: "work/file", link: "real/a" },
        { path: "work/folder", link: "real" },
        { path: "work/gone", link: "nowhere" },
      ]);
      const kinds = (await workspace.list("work")).map(({ path, kind }) => [path, kind]);
      assert.deepEqual(kinds, [
        ["work/file", "link"],
        ["work/folder", "link"],
        ["work/gone", "link"],
        ["work/real", "directory"],
        ["work/real/a", "file"],
      ]);
      const codes: readonly SkillErrorCode[] = ["path-outside-root", "file-not-found"];
      await rejects(workspace.read("work/file", { maxBytes: 10 }), codes);
      await rejects(workspace.read("work/folder/a", { maxBytes: 10 }), codes);
      await rejects(workspace.writeFiles([{ path: "work/folder/b", data: bytes("b") }]), codes);
      assert.deepEqual(
        (await workspace.list("work/real")).map((entry) => entry.path),
        ["work/real/a"],
      );
    },
  },
  {
    name: "replaces a link by a file instead of writing through it, and removes the link alone",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([
        { path: "work/real/a", data: bytes("a") },
        { path: "work/one", link: "real/a" },
        { path: "work/two", link: "real" },
      ]);
      await workspace.writeFiles([{ path: "work/one", data: bytes("new") }]);
      await workspace.remove("work/two");
      assert.equal(await textOf(workspace, "work/real/a"), "a");
      assert.equal(await textOf(workspace, "work/one"), "new");
    },
  },
  {
    name: "is not led out by links that a run plants",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run([
        "sh",
        "-c",
        "ln -s /etc etc; ln -s /etc/passwd passwd; mkdir real target; echo kept > target/kept; ln -s ../target real/aside; ln -s target whole",
      ]);
      assert.equal(result.reason, "exited");
      const codes: readonly SkillErrorCode[] = ["path-outside-root", "file-not-found"];
      for (const path of ["work/etc/passwd", "work/passwd", "work/real/aside/kept"])
        await rejects(workspace.read(path, { maxBytes: 100_000 }), codes);
      for (const path of ["work/etc/skillwright-contract", "work/real/aside/new"])
        await rejects(workspace.writeFiles([{ path, data: bytes("x") }]), codes);
      // Links that are removed lead into the workspace alone: where they are followed, nothing else is lost.
      await workspace.remove("work/whole");
      await workspace.remove("work/real");
      assert.deepEqual(
        (await workspace.list("work")).map((entry) => entry.path),
        ["work/etc", "work/passwd", "work/target", "work/target/kept"],
      );
    },
  },
  {
    name: "keeps two workspaces apart",
    run: async ({ open }) => {
      const [first, second] = [await open(), await open()];
      await first.writeFiles([{ path: "work/mine", data: bytes("1") }]);
      assert.deepEqual(await second.list("work"), []);
      assert.match((await second.run(["sh", "-c", "ls"])).stdout, /^$/);
    },
  },
];

function plain(data: Uint8Array): Uint8Array {
  return new Uint8Array(data);
}

async function textOf(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder().decode(await workspace.read(path, { maxBytes: 1_000_000 }));
}

async function stamps(workspace: Workspace): Promise<Map<string, string>> {
  return new Map((await workspace.list("work")).map((entry) => [entry.path, entry.stamp]));
}

async function rejects(promise: Promise<unknown>, codes: readonly SkillErrorCode[]): Promise<void> {
  await assert.rejects(promise, (error) => SkillError.is(error) && codes.includes(error.code), `expected one of ${codes.join(", ")}`);
}
