import type { Experimental_SandboxSession as AiSession } from "ai";
import { defaultLimits, type Sandbox, type Workspace } from "skillwright";
import { aiSandbox, toAiSandbox } from "skillwright/sandboxes/ai-sandbox";
import { localSandbox } from "skillwright/sandboxes/local";
import { registerSandboxContract } from "skillwright/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let workspace: Workspace;
let session: AiSession;

beforeAll(async () => {
  workspace = await localSandbox().open({ sessionId: "ai", limits: defaultLimits, policy: { network: "none" } });
  session = toAiSandbox(workspace);
});
afterAll(() => workspace.close());

describe("a workspace that became a session and is a sandbox again keeps the contract", () => {
  // The session is made before the first test, and read when a workspace is opened.
  const sandbox = (): Sandbox => aiSandbox(session, { promises: { interactive: true } });
  const here: Sandbox = { ...aiSandbox({} as AiSession, { promises: { interactive: true } }), open: (request) => sandbox().open(request) };
  registerSandboxContract(test, here);
});

describe("toAiSandbox", () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);

  test("keeps files under relative and absolute paths, which commands see the same", async () => {
    await session.writeTextFile({ path: "notes/a.txt", content: "one\ntwo\nthree\n" });
    expect(await session.readTextFile({ path: `${workspace.root}/work/notes/a.txt` })).toBe("one\ntwo\nthree\n");
    expect(await session.run({ command: "cat a.txt", workingDirectory: "notes" })).toEqual({
      exitCode: 0,
      stdout: "one\ntwo\nthree\n",
      stderr: "",
    });
  });

  test.each([
    ["from a line", { startLine: 2 }, "two\nthree\n"],
    ["to a line", { endLine: 1 }, "one\n"],
    ["past the end", { startLine: 3, endLine: 99 }, "three\n"],
  ])("reads text %s", async (_name, range, expected) => {
    await session.writeTextFile({ path: "lines", content: "one\ntwo\nthree\n" });
    expect(await session.readTextFile({ path: "lines", ...range })).toBe(expected);
  });

  test("streams bytes in and out", async () => {
    const content = new Blob([text("streamed")]).stream();
    await session.writeFile({ path: "streamed", content });
    const stream = await session.readFile({ path: "streamed" });
    expect(stream && (await new Response(stream).text())).toBe("streamed");
  });

  test("says what is there, and null for what is not", async () => {
    await session.writeBinaryFile({ path: "kinds/file", content: text("12345") });
    await session.run({ command: "mkdir -p kinds/folder; ln -s file kinds/link; ln -s nowhere kinds/gone; touch 'kinds/a b'" });
    expect(await session.stat({ path: "kinds/file" })).toEqual({ type: "file", size: 5 });
    expect(await session.stat({ path: "kinds/link" })).toEqual({ type: "file", size: 5 });
    expect(await session.stat({ path: "kinds/folder" })).toMatchObject({ type: "directory" });
    const entries = await session.listDirectory({ path: "kinds" });
    expect(entries?.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: "a b", type: "file" },
      { name: "file", type: "file" },
      { name: "folder", type: "directory" },
      { name: "gone", type: "symlink" },
      { name: "link", type: "symlink" },
    ]);
    expect(await session.stat({ path: "kinds/none" })).toBeNull();
    expect(await session.listDirectory({ path: "none" })).toBeNull();
    expect(await session.readBinaryFile({ path: "none" })).toBeNull();
    await expect(session.listDirectory({ path: "kinds/file" })).rejects.toThrow(/no folder/);
  });

  test("deletes files and links, and no folder", async () => {
    await session.writeBinaryFile({ path: "gone/file", content: text("x") });
    expect(await session.deleteFile({ path: "gone/file" })).toBe(true);
    expect(await session.deleteFile({ path: "gone/file" })).toBe(false);
    await expect(session.deleteFile({ path: "gone" })).rejects.toThrow(/folder/);
  });

  test("keeps to the workspace", async () => {
    await expect(session.readBinaryFile({ path: "/etc/passwd" })).rejects.toMatchObject({ code: "path-outside-root" });
    await expect(session.writeTextFile({ path: "../../x", content: "x" })).rejects.toMatchObject({ code: "path-outside-root" });
  });

  test("tells how a command ended", async () => {
    expect(await session.run({ command: "echo out; echo err >&2; exit 3", env: { A: "b" } })).toEqual({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
    await expect(session.run({ command: "sleep 60", abortSignal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });

  test("spawns a program that is written to, and one that is killed", async () => {
    const cat = await session.spawn({ command: "cat", stdin: true });
    const writer = cat.stdin.getWriter();
    await writer.write(text("over"));
    await writer.close();
    expect(await new Response(cat.stdout).text()).toBe("over");
    expect(await cat.wait()).toEqual({ exitCode: 0 });
    const sleeping = await session.spawn({ command: "sleep 60" });
    expect("stdin" in sleeping).toBe(false);
    await sleeping.kill();
    expect((await sleeping.wait()).exitCode).not.toBe(0);
  });
});
