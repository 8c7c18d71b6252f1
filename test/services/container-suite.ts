import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import Docker from "dockerode";
import { defaultLimits, type Limits, type Workspace } from "skillwright";
import { containerSandbox } from "skillwright/sandboxes/container";
import { registerSandboxContract } from "skillwright/testing";
import { afterEach, describe, expect, test } from "vitest";
import type { ContainerEngine } from "./container-engines.ts";

const megabyte = 1024 * 1024;

/** The contract and what containers add to it, on one engine. */
export function containerSuite(engine: ContainerEngine): void {
  const { socket, image, runtime } = engine;
  if (socket === undefined) {
    test(`${engine.name}`, (context) => context.skip(engine.missing));
    return;
  }
  const sandbox = containerSandbox({ socket, image, ...(runtime !== undefined && { runtime }) });
  const docker = new Docker({ socketPath: socket });
  const opened: Workspace[] = [];
  const open = async (limits: Partial<Limits> = {}, sessionId: string = crypto.randomUUID()): Promise<Workspace> => {
    const workspace = await sandbox.open({
      sessionId,
      limits: { ...defaultLimits, runTimeoutMs: 30_000, maxMemoryBytes: 256 * megabyte, ...limits },
      policy: { network: "none" },
      readOnly: ["skills"],
    });
    opened.push(workspace);
    return workspace;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((workspace) => workspace.close()));
  });

  describe(`the contract on ${engine.name}`, () => registerSandboxContract(test, sandbox));

  describe(`containers of ${engine.name}`, () => {
    test("say what they are when probed", async () => {
      expect(await sandbox.probe()).toMatchObject({ ok: true, detail: expect.stringContaining(image) });
    });

    test("give a program no rights", async () => {
      const workspace = await open();
      const { stdout } = await workspace.run(["sh", "-c", "id -u; cat /proc/self/status; touch /x /bin/x; mount -t tmpfs none /mnt 2>&1"]);
      expect(Number(stdout.split("\n")[0])).toBeGreaterThan(0);
      for (const set of ["CapPrm", "CapEff", "CapBnd"]) expect(stdout).toMatch(new RegExp(`${set}:\\s0000000000000000`));
      if (runtime === undefined) expect(stdout).toMatch(/NoNewPrivs:\s1/);
      expect((await workspace.run(["sh", "-c", "ls /x /bin/x"])).exitCode).not.toBe(0);
    });

    test("end one run and leave another that runs at the same time", async () => {
      const workspace = await open();
      const [kept, ended] = await Promise.all([
        workspace.run(["sh", "-c", "i=0; while [ $i -lt 20 ]; do sleep 0.1; i=$((i+1)); done; echo whole"]),
        workspace.run(["sh", "-c", "sleep 60"], { timeoutMs: 300 }),
      ]);
      expect([kept.stdout, ended.reason]).toEqual(["whole\n", "timeout"]);
    });

    test("let later runs use what runs at the same time wrote for themselves", async () => {
      const workspace = await open();
      await Promise.all(
        ["a", "b"].map((name) => workspace.run(["sh", "-c", `umask 077; mkdir ${name}; echo ${name} > ${name}/f; sleep 0.5`])),
      );
      const { stdout, stderr } = await workspace.run(["sh", "-c", "cat a/f b/f; echo more >> b/f; rm -r a b; ls"]);
      expect([stdout, stderr]).toEqual(["a\nb\n", ""]);
    });

    test("end what a program leaves behind that ends its own keeper", async () => {
      const workspace = await open();
      await workspace.run(["sh", "-c", "setsid sh -c 'while :; do echo beat >> beats; sleep 0.05; done' & kill -9 $PPID; sleep 60"]);
      const { stdout } = await workspace.run(["sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"]);
      expect(stdout).not.toContain("beats");
    });

    test("say memory-limit, and go on", async (context) => {
      if (!sandbox.promises.memoryLimited) return context.skip(`${engine.name} promises no memory limit`);
      const workspace = await open({ maxMemoryBytes: 64 * megabyte });
      const result = await workspace.run(["python3", "-c", "x = bytearray(500 * 1024 * 1024)"]);
      expect(result.reason).toBe("memory-limit");
      expect((await workspace.run(["echo", "on"])).stdout).toBe("on\n");
    });

    test("say timeout for processor time that is used up", async () => {
      const workspace = await open({ runCpuMs: 1_000 });
      expect((await workspace.run(["sh", "-c", "while :; do :; done"])).reason).toBe("timeout");
    });

    test("offer a terminal", async () => {
      const workspace = await open();
      let heard: () => void = () => undefined;
      const terminal = new Promise<void>((resolve) => {
        heard = resolve;
      });
      const process = await workspace.start?.(["sh", "-c", "[ -t 0 ] && [ -t 1 ] && echo terminal; read word; echo got $word"], {
        terminal: true,
        onOutput: (_stream, chunk) => {
          if (Buffer.from(chunk).toString().includes("terminal")) heard();
        },
      });
      await terminal;
      await process?.write("this\n");
      expect((await process?.exited)?.stdout).toContain("got this");
    });

    test("are gone when their process is killed in the middle of a run", async () => {
      const sessionId = crypto.randomUUID();
      const host = startHost(engine, sessionId);
      try {
        await host.says("running");
        expect(await containersOf(docker, sessionId)).toBe(1);
        host.child.kill("SIGKILL");
        await expect.poll(() => containersOf(docker, sessionId), { timeout: 60_000, interval: 100 }).toBe(0);
      } finally {
        host.child.kill("SIGKILL");
      }
    });

    test("of processes that are gone are removed by the next start", async () => {
      const sessionId = crypto.randomUUID();
      const other = startHost(engine, sessionId, "label");
      const label = (await other.says("label")).slice("label ".length);
      other.child.kill("SIGKILL");
      await new Promise((resolve) => other.child.once("close", resolve));
      await docker.createContainer({
        Image: image,
        Cmd: ["true"],
        Labels: { "skillwright.host": label, "skillwright.session": sessionId },
      });
      expect(await containersOf(docker, sessionId)).toBe(1);
      await containerSandbox({ socket, image, ...(runtime !== undefined && { runtime }) }).probe();
      expect(await containersOf(docker, sessionId)).toBe(0);
    });

    test("of an image that the engine lacks say how to get it", async () => {
      const missing = containerSandbox({ socket, image: "skillwright-test:none" });
      expect(await missing.probe()).toMatchObject({ ok: false, hint: expect.stringContaining("docker pull skillwright-test:none") });
    });

    test("are not offered with a network", async () => {
      const request = { sessionId: "network", limits: defaultLimits, policy: { network: { allow: ["example.org"] } } } as const;
      await expect(sandbox.open(request)).rejects.toMatchObject({ code: "configuration-invalid" });
    });

    test("are made from a folder, once for each content", async (context) => {
      if (runtime !== undefined) return context.skip("images are the engine's, not the runtime's");
      const folder = mkdtempSync(join(tmpdir(), "skillwright-build-"));
      try {
        writeFileSync(join(folder, "Dockerfile"), "FROM skillwright-test:busybox\nCOPY greeting /greeting\n");
        writeFileSync(join(folder, "greeting"), `hello ${crypto.randomUUID()}`);
        const built = containerSandbox({ socket, build: folder });
        const workspace = await built.open({ sessionId: "build", limits: defaultLimits, policy: { network: "none" } });
        opened.push(workspace);
        expect((await workspace.run(["cat", "/greeting"])).stdout).toMatch(/^hello /);
        writeFileSync(join(folder, "Dockerfile"), "FROM skillwright-test:busybox\nNONSENSE\n");
        const broken = await containerSandbox({ socket, build: folder }).probe();
        expect(broken).toMatchObject({ ok: false, reason: expect.stringMatching(/could not be built/) });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
}

async function containersOf(docker: Docker, sessionId: string): Promise<number> {
  return (await docker.listContainers({ all: true, filters: { label: [`skillwright.session=${sessionId}`] } })).length;
}

/** Another process that opens a workspace and runs something long in it. */
function startHost(
  engine: ContainerEngine,
  sessionId: string,
  mode = "run",
): { readonly child: ChildProcess; says(word: string): Promise<string> } {
  const script = fileURLToPath(new URL("./container-host.ts", import.meta.url));
  const child = spawn(process.execPath, [script, engine.socket ?? "", engine.image, sessionId, mode, engine.runtime ?? ""], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  return {
    child,
    says: (word) =>
      new Promise((resolve, reject) => {
        lines.on("line", (line) => {
          if (line.startsWith(word)) resolve(line);
        });
        child.once("exit", () => reject(new Error(`the process ended before it said ${word}`)));
      }),
  };
}
