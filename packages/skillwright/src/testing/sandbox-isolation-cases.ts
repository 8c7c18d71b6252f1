import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SkillError } from "../core/index.ts";
import type { Workspace } from "../workspace/index.ts";
import type { SandboxCase } from "./sandbox-contract.ts";

const encoder = new TextEncoder();

/** What stands between programs and the host: each case is owed by the sandboxes that promise it. */
export const sandboxIsolationCases: readonly SandboxCase[] = [
  {
    name: "lets programs write nowhere outside",
    requires: (promises) => promises.writesConfined,
    run: async ({ open }) => {
      const workspace = await open();
      await withHostFolder(async (folder) => {
        await writeFile(join(folder, "kept"), "kept", { mode: 0o666 });
        const targets = [
          `${folder}/new`,
          `${folder}/kept`,
          "/etc/skillwright-contract",
          "/usr/skillwright-contract",
          "/var/tmp/skillwright-contract",
        ];
        for (const target of targets) await workspace.run(["sh", "-c", 'mkdir -p "$(dirname "$1")"; echo escaped > "$1"', "sh", target]);
        for (const target of [`${folder}/new`, "/etc/skillwright-contract", "/usr/skillwright-contract", "/var/tmp/skillwright-contract"]) {
          await assert.rejects(stat(target), `${target} was written`);
        }
        assert.equal(await readFile(join(folder, "kept"), "utf8"), "kept");
      });
    },
  },
  {
    name: "lets programs read no file of the host",
    requires: (promises) => promises.readsConfined,
    run: async ({ open }) => {
      const workspace = await open();
      await withHostFolder(async (folder) => {
        const secret = crypto.randomUUID();
        await writeFile(join(folder, "secret"), secret, { mode: 0o644 });
        const result = await workspace.run([
          "sh",
          "-c",
          'cat "$1" /etc/shadow ~/.ssh/* /root/.ssh/* /proc/1/environ 2>/dev/null',
          "sh",
          `${folder}/secret`,
        ]);
        assert.ok(!result.stdout.includes(secret), "a host file was read");
        assert.ok(!/^root:/m.test(result.stdout), "/etc/shadow was read");
      });
    },
  },
  {
    name: "gives programs no network, not even the host's own",
    requires: (promises) => promises.network === "none",
    run: async ({ open }) => {
      const workspace = await open();
      assert.equal(await connectionsFrom(workspace), 0);
    },
  },
  {
    name: "lets programs only read the folders named read-only",
    requires: (promises) => promises.skillsReadOnly,
    run: async ({ open }) => {
      const workspace = await open({ readOnly: ["skills", "work/kept"] });
      await workspace.writeFiles([
        { path: "skills/a/file", data: encoder.encode("original") },
        { path: "work/kept/file", data: encoder.encode("original") },
        { path: "work/link", link: "../skills/a" },
      ]);
      const attacks = [
        "echo changed > ../skills/a/file",
        "echo changed >> ../skills/a/file",
        "echo changed > link/file",
        "rm -rf ../skills/a",
        "rm -rf ../skills",
        "mv ../skills ../moved",
        "touch ../skills/new",
        "mkdir ../skills/b",
        "chmod 777 ../skills/a/file",
        "ln ../skills/a/file second; echo changed > second",
        "echo changed > kept/file",
        "mv kept moved",
      ];
      for (const attack of attacks) await workspace.run(["sh", "-c", attack]);
      for (const path of ["skills/a/file", "work/kept/file"]) {
        assert.equal(new TextDecoder().decode(await workspace.read(path, { maxBytes: 100 })), "original");
      }
      assert.deepEqual(
        (await workspace.list("skills")).map((entry) => entry.path),
        ["skills/a", "skills/a/file"],
      );
      assert.equal((await workspace.run(["cat", "../skills/a/file"])).stdout, "original");
      await workspace.writeFiles([{ path: "skills/a/file", data: encoder.encode("by the host") }]);
      const changed = await workspace.run(["cat", "../skills/a/file"]);
      assert.equal(changed.stdout, "by the host", `it ended with ${JSON.stringify(changed)}`);
    },
  },
  {
    name: "ends a program that takes more memory than it may",
    requires: (promises) => promises.memoryLimited,
    run: async ({ open }) => {
      const workspace = await open({ limits: { maxMemoryBytes: 64 * 1024 * 1024 } });
      const result = await workspace.run(["sh", "-c", "s=0123456789abcdef; while :; do s=$s$s; done"], { timeoutMs: 15_000 });
      assert.ok(
        result.reason === "memory-limit" || ((result.reason === "exited" || result.reason === "signal") && result.exitCode !== 0),
        `ended with ${result.reason}`,
      );
      assert.equal((await workspace.run(["sh", "-c", "echo on"])).stdout, "on\n");
    },
  },
  {
    name: "stops a program from starting more processes than it may",
    requires: (promises) => promises.processesLimited,
    run: async ({ open }) => {
      const workspace = await open({ limits: { maxProcesses: 24 } });
      const fork = "i=0; while [ $i -lt 200 ]; do sleep 20 & i=$((i+1)); done; echo all started";
      const result = await workspace.run(["sh", "-c", fork], { timeoutMs: 15_000 });
      assert.ok(!result.stdout.includes("all started") || result.stderr !== "", "200 processes were started");
      assert.equal((await workspace.run(["sh", "-c", "echo on"])).stdout, "on\n");
    },
  },
  {
    name: "ends a fork bomb with its time, and goes on working",
    requires: (promises) => promises.processesLimited && promises.treeKilled,
    run: async ({ open }) => {
      const workspace = await open({ limits: { maxProcesses: 40 } });
      const result = await workspace.run(["sh", "-c", "bomb() { bomb | bomb & }; bomb; sleep 30"], { timeoutMs: 2_000 });
      assert.notEqual(result.reason, "start-failed");
      assert.ok(result.durationMs < 15_000);
      assert.equal((await workspace.run(["sh", "-c", "echo on"])).stdout, "on\n");
    },
  },
  {
    name: "lets no file grow larger than it may",
    requires: (promises) => promises.fileSizeLimited,
    run: async ({ open }) => {
      const workspace = await open({ limits: { maxFileBytes: 1024 * 1024 } });
      await workspace.run(
        ["sh", "-c", "s=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do s=$s$s; done; printf %s $s > big"],
        { timeoutMs: 15_000 },
      );
      const big = (await workspace.list("work")).find((entry) => entry.path === "work/big");
      assert.ok((big?.bytes ?? 0) <= 1024 * 1024, `it grew to ${big?.bytes} bytes`);
    },
  },
  {
    name: "lets programs fill the workspace no further than they may",
    requires: (promises) => promises.workspaceSizeLimited,
    run: async ({ open }) => {
      const workspace = await open({ limits: { maxWorkspaceBytes: 8 * 1024 * 1024, maxFileBytes: 4 * 1024 * 1024 } });
      const fill =
        "s=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do s=$s$s; done; i=0; while [ $i -lt 500 ]; do printf %s $s > f$i || exit 9; i=$((i+1)); done; echo filled";
      await workspace.run(["sh", "-c", fill], { timeoutMs: 15_000 });
      const total = (await workspace.list("work")).reduce((sum, entry) => sum + entry.bytes, 0);
      assert.ok(total < 100 * 1024 * 1024, `it grew to ${total} bytes`);
    },
  },
  {
    name: "leaves no process of a run behind, whatever it does to stay",
    requires: (promises) => promises.treeKilled,
    run: async ({ open }) => {
      const workspace = await open();
      const beat = "while :; do echo beat >> beats; sleep 0.05; done";
      const stay = `sh -c '${beat}' & (setsid sh -c '${beat}' &) 2>/dev/null; (env -i setsid nohup sh -c '${beat}' >/dev/null 2>&1 &) 2>/dev/null; sleep 0.3; echo done`;
      for (const timeoutMs of [5_000, 400]) {
        const result = await workspace.run(["sh", "-c", timeoutMs === 400 ? `${stay}; sleep 60` : stay], { timeoutMs });
        assert.ok(result.durationMs < 15_000);
        await unchanged(workspace, "work/beats");
      }
    },
  },
  {
    name: "gives the answer although a program in the background still holds its output",
    requires: (_promises, sandbox) => sandbox.isolation !== "interpreter",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["sh", "-c", "sleep 60 & echo done"]);
      assert.deepEqual([result.reason, result.exitCode, result.stdout], ["exited", 0, "done\n"]);
      assert.ok(result.durationMs < 10_000, `it took ${result.durationMs} ms`);
    },
  },
  {
    name: "shows a mounted folder of the host and writes to it only where allowed, or refuses to mount it",
    requires: (promises) => promises.writesConfined,
    run: async ({ open }) => {
      await withHostFolder(async (folder) => {
        await writeFile(join(folder, "file"), "from the host");
        const workspace = await open({ mounts: [{ hostPath: folder, path: "shared", readOnly: true }] }).catch(unlessRefused);
        if (workspace === undefined) return;
        assert.equal((await workspace.run(["cat", "../shared/file"])).stdout, "from the host");
        await workspace.run(["sh", "-c", "echo changed > ../shared/file; echo new > ../shared/new"]);
        assert.equal(await readFile(join(folder, "file"), "utf8"), "from the host");
        await assert.rejects(stat(join(folder, "new")));
      });
    },
  },
];

/** A sandbox on another machine says that it cannot show a folder of this one. */
function unlessRefused(error: unknown): undefined {
  if (!SkillError.is(error, "configuration-invalid")) throw error;
}

async function withHostFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "skillwright-contract-"));
  try {
    // Anybody may enter and read: only the sandbox stands in between.
    await chmod(folder, 0o777);
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tries what clients a sandbox has on a listener of the host, and counts who came. */
async function connectionsFrom(workspace: Workspace): Promise<number> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  try {
    for (const line of [
      `exec 3<>/dev/tcp/127.0.0.1/${port}`,
      `python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port}), 2)'`,
      `wget -q -T 2 -O - http://127.0.0.1:${port}/`,
      `curl -s -m 2 http://127.0.0.1:${port}/`,
    ]) {
      await workspace.run(["bash", "-c", line], { timeoutMs: 10_000 });
      await workspace.run(["sh", "-c", line], { timeoutMs: 10_000 });
    }
  } finally {
    server.close();
  }
  return count;
}

/** Nothing writes to a file any more. */
async function unchanged(workspace: Workspace, path: string): Promise<void> {
  const size = async (): Promise<number> => (await workspace.list("work")).find((entry) => entry.path === path)?.bytes ?? 0;
  const before = await size();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(await size(), before, "a process still writes");
}
