import { expect, test } from "vitest";
import { type SandboxArguments, sandboxArguments } from "./sandbox-arguments.ts";

const run: SandboxArguments = {
  hostRoot: "/h/root",
  folders: ["skills", "work", ".home"],
  readOnly: ["skills", "work/kept"],
  mounts: [{ hostPath: "/data", path: "shared", readOnly: true }],
  etc: "/h/etc",
  temporary: "/h/tmp",
  sharedMemoryBytes: 1024,
  env: { A: "1" },
  cwd: "work",
  descriptors: { seccomp: 3, status: 4, block: 6 },
  system: [{ path: "/bin", link: "usr/bin" }, { path: "/lib" }],
};

const at = (args: readonly string[], ...words: readonly string[]): number =>
  args.findIndex((_, index) => words.every((word, offset) => args[index + offset] === word));

test("every namespace is its own, nothing is kept, and the environment is empty but for what is set", () => {
  const args = sandboxArguments(run);
  for (const option of [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-ipc",
    "--unshare-uts",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
  ]) {
    expect(args).toContain(option);
  }
  expect(at(args, "--cap-drop", "ALL")).toBeGreaterThan(-1);
  expect(args).not.toContain("--share-net");
  expect(at(args, "--clearenv")).toBeLessThan(at(args, "--setenv", "A", "1"));
});

test("the root of the workspace is read-only, its folders are writable, those named are not", () => {
  const args = sandboxArguments(run);
  const root = at(args, "--ro-bind", "/h/root", "/workspace");
  expect(root).toBeGreaterThan(-1);
  expect(at(args, "--bind", "/h/root/work", "/workspace/work")).toBeGreaterThan(root);
  expect(at(args, "--bind", "/h/root/skills", "/workspace/skills")).toBe(-1);
  expect(at(args, "--ro-bind", "/h/root/work/kept", "/workspace/work/kept")).toBeGreaterThan(
    at(args, "--bind", "/h/root/work", "/workspace/work"),
  );
  expect(at(args, "--ro-bind", "/data", "/workspace/shared")).toBeGreaterThan(root);
});

test("the folders of the system are links where the host has links, and read-only where it has folders", () => {
  const args = sandboxArguments(run);
  expect(at(args, "--symlink", "usr/bin", "/bin")).toBeGreaterThan(-1);
  expect(at(args, "--ro-bind", "/lib", "/lib")).toBeGreaterThan(-1);
});

test("what is remounted read-only comes after everything that is placed below it", () => {
  const args = sandboxArguments(run);
  const last = Math.max(
    args.lastIndexOf("--bind"),
    args.lastIndexOf("--ro-bind"),
    args.lastIndexOf("--tmpfs"),
    args.lastIndexOf("--symlink"),
  );
  for (const path of ["/proc", "/dev", "/"]) expect(at(args, "--remount-ro", path)).toBeGreaterThan(last);
});

test("nothing that is not needed is passed", () => {
  const args = sandboxArguments({ ...run, descriptors: { status: 4 }, mounts: [], readOnly: [] });
  expect(args).not.toContain("--seccomp");
  expect(args).not.toContain("--block-fd");
  expect(at(args, "--bind", "/h/root/skills", "/workspace/skills")).toBeGreaterThan(-1);
});
