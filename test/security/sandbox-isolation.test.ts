import { readFileSync } from "node:fs";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bubblewrapSandbox } from "skillwright/sandboxes/bubblewrap";
import { localSandbox } from "skillwright/sandboxes/local";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultLimits } from "../../packages/skillwright/src/core/index.ts";
import type { RunOptions, RunResult, Workspace } from "../../packages/skillwright/src/workspace/index.ts";
import { processesWith, runInHost, until } from "./host-process.ts";

const sandbox = bubblewrapSandbox();

describe("a script in bubblewrap", () => {
  let workspace: Workspace;
  let folder: string;
  const sh = (line: string, options: RunOptions = {}): Promise<RunResult> => workspace.run(["sh", "-c", line], options);
  const python = (code: string): Promise<RunResult> => workspace.run(["/usr/bin/python3", "-c", code]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "skillwright-security-"));
  });
  beforeEach(async (context) => {
    const probe = await sandbox.probe();
    if (!probe.ok) context.skip(probe.reason);
    workspace = await sandbox.open({
      sessionId: "s",
      limits: { ...defaultLimits, maxMemoryBytes: 256 * 1024 * 1024 },
      policy: { network: "none" },
    });
    return () => workspace.close();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("finds nothing below /proc that it could write: no kernel setting, no other process", async () => {
    const result = await sh(
      "for file in /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do test -w $file && echo writable $file; done; find /proc -path '/proc/[0-9]*' -prune -o -type f -writable -print 2>/dev/null; true",
    );
    expect(result.stdout).toBe("");
  });

  test("finds no place to write but its workspace, /tmp and shared memory", async () => {
    const result = await sh(
      "find / -xdev -type d -writable 2>/dev/null; for d in / /etc /usr /dev /opt /proc /workspace /sys /var /home /root; do touch $d/x 2>/dev/null && echo wrote $d; done; true",
    );
    expect(result.stdout.split("\n").filter((line) => line.startsWith("wrote"))).toEqual([]);
  });

  test("is nobody on the host, has no capabilities, gains none, and is filtered", async () => {
    const status = (await sh("cat /proc/self/status")).stdout;
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    if (process.arch === "x64" || process.arch === "arm64") expect(status).toMatch(/^Seccomp:\t2$/m);

    const mark = `mark-${crypto.randomUUID()}`;
    let up: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      up = resolve;
    });
    const running = sh(`echo up; sleep 300; : ${mark}`, { onOutput: () => up() });
    await begun;
    const outside = processesWith(mark).map((pid) => readFileSync(`/proc/${pid}/status`, "utf8"));
    expect(outside.length).toBeGreaterThan(0);
    for (const seen of outside) expect(seen).not.toMatch(/^Uid:.*\t0\b/m);
    await workspace.close();
    await running;
  });

  test("sees only its own processes", async () => {
    const result = await sh("ls /proc | grep -c '^[0-9]'");
    expect(Number(result.stdout)).toBeLessThan(8);
  });

  test.each([
    ["a user namespace", "libc.unshare(0x10000000)", 1],
    ["a mount namespace", "libc.unshare(0x00020000)", 1],
    ["a mount", "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)", 1],
    ["a trace", "libc.ptrace(0, 0, 0, 0)", 1],
    ["the kernel's keys", "libc.syscall(CALLS['keyctl'], 0, -3, 0)", 1],
    ["an io_uring", "libc.syscall(425, 1, 0)", 1],
    ["a BPF program", "libc.syscall(CALLS['bpf'], 0, 0, 0)", 1],
    ["a userfaultfd", "libc.syscall(CALLS['userfaultfd'], 0)", 1],
    ["clone3, whose flags a filter cannot see", "libc.syscall(435, 0, 0)", 38],
    ["a clone with a user namespace", "libc.syscall(CALLS['clone'], 0x10000000 | 17, 0, 0, 0, 0)", 1],
    ["input pushed into a terminal", "libc.ioctl(0, 0x5412, b'x')", 1],
    ["a vsock", "libc.socket(40, 1, 0)", 97],
    ["a raw packet socket", "libc.socket(17, 3, 0)", 97],
    ["another process's memory", "libc.process_vm_readv(1, 0, 0, 0, 0, 0)", 1],
    ["the root", "libc.chroot(b'/tmp')", 1],
  ])("is refused %s", async (_what, call, errno) => {
    const numbers =
      process.arch === "arm64"
        ? "{'keyctl': 219, 'bpf': 280, 'userfaultfd': 282, 'clone': 220}"
        : "{'keyctl': 250, 'bpf': 321, 'userfaultfd': 323, 'clone': 56}";
    const result = await python(
      `import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nCALLS = ${numbers}\nanswer = ${call}\nprint(answer, ctypes.get_errno())`,
    );
    expect(result).toMatchObject({ stdout: `-1 ${errno}\n` });
  });

  test("reaches no listener of the host: TCP, a named socket, an abstract socket", async () => {
    const named = join(folder, "socket");
    const abstract = `\0skillwright-${crypto.randomUUID()}`;
    let connections = 0;
    const servers = [createServer(() => connections++), createServer(() => connections++), createServer(() => connections++)] as const;
    await new Promise<void>((resolve) => servers[0].listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => servers[1].listen(named, resolve));
    await new Promise<void>((resolve) => servers[2].listen(abstract, resolve));
    const address = servers[0].address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const result = await python(
      `import socket\nfor family, place in ((socket.AF_INET, ("127.0.0.1", ${port})), (socket.AF_UNIX, ${JSON.stringify(named)}), (socket.AF_UNIX, ${JSON.stringify(abstract).replace("\\u0000", "\\0")})):\n  try:\n    socket.socket(family).connect(place); print("connected")\n  except OSError as error: print("refused")`,
    );
    expect(result.stdout).toBe("refused\nrefused\nrefused\n");
    expect(connections).toBe(0);
    for (const server of servers) server.close();
  });

  test("is ended when all its processes together take too much memory", async (context) => {
    if (!sandbox.promises.memoryLimited) context.skip("no control group may be made here");
    const result = await sh(
      "for i in 1 2 3 4 5 6; do python3 -c 'x = b\"x\" * 90_000_000; import time; time.sleep(20)' & done; wait; exit 1",
    );
    expect(result).toMatchObject({ reason: "memory-limit" });
  });

  test("cannot take more memory in one process than a run may", async () => {
    const result = await sh("python3 -c 'x = b\"x\" * 400_000_000; print(len(x))'");
    expect(result.stdout).toBe("");
    expect(["memory-limit", "exited", "signal"]).toContain(result.reason);
  });

  test("has WebAssembly and the Node that runs this", async () => {
    const result = await workspace.run([
      "node",
      "-e",
      "new WebAssembly.Memory({ initial: 1, maximum: 65536 }); console.log(process.version)",
    ]);
    expect(result).toMatchObject({ exitCode: 0, stdout: `${process.version}\n` });
  });

  test("that prints ten gigabytes is ended, the host stays awake, and head and tail are there", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const result = await sh("echo begin; head -c 10000000000 /dev/zero");
    clearInterval(timer);
    expect(result).toMatchObject({ reason: "output-limit", exitCode: null });
    expect(result.stdout.startsWith("begin\n")).toBe(true);
    expect(ticks).toBeGreaterThan(5);
  });

  test("that prints five megabytes of characters of many bytes is told whole characters", async () => {
    const result = await workspace.run(["python3", "-c", "print('日本語🎉' * 400_000, end='')"]);
    expect(result).toMatchObject({ reason: "exited", exitCode: 0 });
    expect(result.stdout).not.toContain("\ufffd");
    expect(result.truncated.stdout).toBeGreaterThan(5_200_000 - 70_000);
  });

  test("that fills the disk is ended", async () => {
    const small = await sandbox.open({
      sessionId: "s",
      limits: { ...defaultLimits, maxWorkspaceBytes: 20 * 1024 * 1024, maxFileBytes: 4 * 1024 * 1024 },
      policy: { network: "none" },
    });
    const result = await small.run(["sh", "-c", "i=0; while :; do head -c 1000000 /dev/zero > /tmp/f$i; i=$((i+1)); sleep 0.02; done"]);
    expect(result.reason).toBe("disk-limit");
    await small.close();
  });

  test("that writes one file beyond its size is told so", async () => {
    const small = await sandbox.open({
      sessionId: "s",
      limits: { ...defaultLimits, maxFileBytes: 1_000_000 },
      policy: { network: "none" },
    });
    const result = await small.run(["dd", "if=/dev/zero", "of=big", "bs=1M", "count=50"]);
    expect(result).toMatchObject({ reason: "disk-limit", exitCode: null });
    await small.close();
  });

  test("that burns its CPU time is ended as out of time", async () => {
    const small = await sandbox.open({ sessionId: "s", limits: { ...defaultLimits, runCpuMs: 1_000 }, policy: { network: "none" } });
    expect((await small.run(["sh", "-c", "while :; do :; done"])).reason).toBe("timeout");
    await small.close();
  });

  test("leaves no process, also when it is ended in the middle", async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    const stay = `(setsid sh -c 'sleep 300; : ${mark}' &); (env -i setsid nohup sh -c 'sleep 300; : ${mark}' >/dev/null 2>&1 &); sh -c 'trap "" TERM HUP INT; sleep 300; : ${mark}' &`;
    await sh(`${stay} exit 0`);
    expect(processesWith(mark)).toEqual([]);
    await sh(`${stay} sleep 300`, { timeoutMs: 500 });
    expect(processesWith(mark)).toEqual([]);
  });

  test("can open its streams by name", async () => {
    const result = await sh("echo one > /dev/stdout; echo two > /dev/stderr; cat /dev/stdin", { stdin: "three\n" });
    expect(result).toMatchObject({ stdout: "one\nthree\n", stderr: "two\n", exitCode: 0 });
  });

  test("gets no descriptor that the host itself was given", async () => {
    const secret = `secret-${crypto.randomUUID()}`;
    await writeFile(join(folder, "open"), secret);
    const handle = await open(join(folder, "open"), "r");
    const look = "cat /proc/self/fd/[0-9]* 2>/dev/null; ls -l /proc/self/fd";
    const stdio = [
      "ignore",
      "pipe",
      "pipe",
      "ignore",
      "ignore",
      "ignore",
      "ignore",
      "ignore",
      handle.fd,
      "ignore",
      "ignore",
      handle.fd,
    ] as const;
    for (const name of ["bubblewrap", "local"] as const) {
      const result = await runInHost({ sandbox: name, argv: ["sh", "-c", look] }, { stdio: [...stdio] });
      expect(result.stdout).not.toContain(secret);
      expect(result.stdout).not.toContain(folder);
    }
    await handle.close();
  });

  test("sees no secret of the host's environment", async () => {
    const secret = `secret-${crypto.randomUUID()}`;
    for (const name of ["bubblewrap", "virtual"] as const) {
      const result = await runInHost(
        { sandbox: name, argv: ["sh", "-c", "env; cat /proc/*/environ 2>/dev/null; cat /proc/*/cmdline 2>/dev/null; true"] },
        { env: { ...process.env, OPENAI_API_KEY: secret } },
      );
      expect(result.exitCode).toBe(0);
      expect(JSON.stringify(result)).not.toContain(secret);
    }
  });

  test("is granted a secret that no command line shows, on the host or inside", async () => {
    const secret = `secret-${crypto.randomUUID()}`;
    let seen = "";
    const running = sh("echo up; cat /proc/*/cmdline; sleep 300", {
      env: { GRANTED: secret },
      timeoutMs: 10_000,
      onOutput: (_stream, chunk) => (seen += new TextDecoder().decode(chunk)),
    });
    await until(() => seen.includes("up"));
    expect(processesWith(secret)).toEqual([]);
    await workspace.close();
    await running;
    expect(seen).not.toContain(secret);
    workspace = await sandbox.open({ sessionId: "s", limits: defaultLimits, policy: { network: "none" } });
  });

  test("meets no other workspace, and no process of one", async () => {
    const name = `private-${crypto.randomUUID()}`;
    const other = await sandbox.open({ sessionId: "t", limits: defaultLimits, policy: { network: "none" } });
    await other.writeFiles([{ path: `work/${name}`, data: new TextEncoder().encode("private") }]);
    const running = other.run(["sleep", "300"]);
    const result = await sh(`ls / /tmp /workspace; find / -name ${name} 2>/dev/null;`);
    expect(result.stdout).not.toContain(name);
    await other.close();
    expect((await running).reason).toBe("aborted");
  });
});

test("local ends what it can find, and hides nothing: its promises say so", async () => {
  const local = localSandbox();
  const kept = Object.entries(local.promises).filter(([, value]) => value === true);
  expect(kept.map(([name]) => name).filter((name) => name !== "interactive" && name !== "terminal")).toEqual([]);
  const workspace = await local.open({ sessionId: "s", limits: defaultLimits, policy: { network: "none" } });
  const mark = `mark-${crypto.randomUUID()}`;
  const orphans = `(setsid sh -c 'sleep 300; : ${mark}' >/dev/null 2>&1 &); sh -c 'trap "" TERM; sleep 300; : ${mark}' &`;
  await workspace.run(["sh", "-c", `${orphans} exit 0`]);
  await until(() => processesWith(mark).length === 0);
  const result = await workspace.run(["sh", "-c", `trap "" TERM; ${orphans} sleep 300`], { timeoutMs: 300 });
  expect(result.reason).toBe("timeout");
  await until(() => processesWith(mark).length === 0);
  await workspace.close();
});
