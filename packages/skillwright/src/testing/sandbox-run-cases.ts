import assert from "node:assert/strict";
import { SkillError } from "../core/index.ts";
import type { SandboxCase } from "./sandbox-contract.ts";

const encoder = new TextEncoder();

/** The run half of the contract of sandboxes: what a program is given and what its end is told as. */
export const sandboxRunCases: readonly SandboxCase[] = [
  {
    name: "answers with the exit code and both streams apart",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["sh", "-c", "echo out; echo err >&2; exit 3"]);
      assert.deepEqual([result.reason, result.exitCode, result.stdout, result.stderr], ["exited", 3, "out\n", "err\n"]);
      assert.deepEqual(result.truncated, { stdout: 0, stderr: 0 });
      assert.ok(result.durationMs >= 0);
    },
  },
  {
    name: "hands arguments over as they are",
    run: async ({ open }) => {
      const workspace = await open();
      const given = ["a b", "'", '"', "$HOME", "`id`", "a\nb", "é日", "-n", "*", ""];
      const result = await workspace.run(["sh", "-c", 'for argument in "$@"; do printf "<%s>" "$argument"; done', "sh", ...given]);
      assert.equal(result.stdout, given.map((argument) => `<${argument}>`).join(""));
    },
  },
  {
    name: "runs in work/ unless told otherwise, and in folders below the root",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([{ path: "work/deep/er/" }]);
      assert.equal((await workspace.run(["sh", "-c", "pwd"])).stdout.trim(), `${workspace.root}/work`);
      assert.equal((await workspace.run(["sh", "-c", "pwd"], { cwd: "work/deep/er" })).stdout.trim(), `${workspace.root}/work/deep/er`);
      assert.equal((await workspace.run(["sh", "-c", "pwd"], { cwd: "." })).stdout.trim(), workspace.root);
    },
  },
  {
    name: "gives a program the variables it is passed",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["sh", "-c", 'printf "%s|" "$GREETING"; test -n "$PATH" && printf path'], {
        env: { GREETING: "héllo $x" },
      });
      assert.equal(result.stdout, "héllo $x|path");
    },
  },
  {
    name: "gives a program nothing of the host's environment",
    run: async ({ open }) => {
      const secret = `secret-${crypto.randomUUID()}`;
      process.env.SKILLWRIGHT_CONTRACT_SECRET = secret;
      try {
        const workspace = await open();
        const result = await workspace.run(["sh", "-c", "env; set"]);
        assert.ok(!result.stdout.includes(secret), "the secret was visible");
      } finally {
        delete process.env.SKILLWRIGHT_CONTRACT_SECRET;
      }
    },
  },
  {
    name: "feeds stdin to the end, and gives an empty one otherwise",
    run: async ({ open }) => {
      const workspace = await open();
      assert.equal((await workspace.run(["cat"], { stdin: "über\n" })).stdout, "über\n");
      assert.equal((await workspace.run(["cat"], { stdin: encoder.encode("bytes") })).stdout, "bytes");
      const nothing = await workspace.run(["cat"]);
      assert.deepEqual([nothing.reason, nothing.stdout], ["exited", ""]);
    },
  },
  {
    name: "survives a program that does not read its stdin",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["true"], { stdin: "x".repeat(1_000_000) });
      assert.deepEqual([result.reason, result.exitCode], ["exited", 0]);
    },
  },
  {
    name: "says start-failed, with the reason, for a program that is not there",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["no-such-program-here"]);
      assert.deepEqual([result.reason, result.exitCode], ["start-failed", null]);
      assert.match(result.stderr, /no-such-program-here/);
    },
  },
  {
    name: "says start-failed for a working directory that is not there",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["true"], { cwd: "work/none" });
      assert.deepEqual([result.reason, result.exitCode], ["start-failed", null]);
      assert.match(result.stderr, /none/);
    },
  },
  {
    name: "keeps what runs write, for the host and for later runs",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([{ path: "work/in.txt", data: encoder.encode("one\n") }]);
      await workspace.run(["sh", "-c", "cat in.txt > out.txt; echo two >> out.txt; mkdir new; echo three > new/file"]);
      assert.equal((await workspace.run(["cat", "out.txt"])).stdout, "one\ntwo\n");
      assert.equal(new TextDecoder().decode(await workspace.read("work/new/file", { maxBytes: 100 })), "three\n");
    },
  },
  {
    name: "keeps head and tail of long output within the cap, says how much was cut, and breaks no character",
    run: async ({ open }) => {
      const workspace = await open();
      const text = `HEAD${"€".repeat(100_000)}TAIL`;
      await workspace.writeFiles([{ path: "work/long", data: encoder.encode(text) }]);
      const result = await workspace.run(["cat", "long"], { maxOutputBytes: 1_000 });
      assert.equal(result.reason, "exited");
      assert.ok(result.stdout.startsWith("HEAD€") && result.stdout.endsWith("€TAIL"), "head and tail are there");
      assert.ok(!result.stdout.includes("\ufffd"), "no character is broken");
      assert.ok(encoder.encode(result.stdout).length < 1_100);
      assert.ok(result.truncated.stdout > 298_000 && result.truncated.stderr === 0);
      assert.match(result.stdout, new RegExp(`${result.truncated.stdout} bytes cut`));
    },
  },
  {
    name: "tells output as it comes, all of it",
    run: async ({ open }) => {
      const workspace = await open();
      const seen = { stdout: "", stderr: "" };
      const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
      await workspace.run(["sh", "-c", "echo ä; echo err >&2; echo b"], {
        onOutput: (stream, chunk) => {
          seen[stream] += decoders[stream].decode(chunk, { stream: true });
        },
      });
      assert.deepEqual(seen, { stdout: "ä\nb\n", stderr: "err\n" });
    },
  },
  {
    name: "ends a program whose time is up",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["sh", "-c", "sleep 60"], { timeoutMs: 300 });
      assert.deepEqual([result.reason, result.exitCode], ["timeout", null]);
      assert.ok(result.durationMs < 15_000);
    },
  },
  {
    name: "keeps what a program printed and wrote before its time was up",
    requires: (_promises, sandbox) => sandbox.isolation !== "interpreter",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["sh", "-c", "echo before; echo kept > file; sleep 60; echo after"], { timeoutMs: 1_500 });
      assert.deepEqual([result.reason, result.stdout], ["timeout", "before\n"]);
      assert.equal((await workspace.run(["cat", "file"])).stdout, "kept\n");
    },
  },
  {
    name: "ends a program that ignores requests to end",
    requires: (_promises, sandbox) => sandbox.isolation !== "interpreter",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"], { timeoutMs: 500 });
      assert.equal(result.reason, "timeout");
      assert.ok(result.durationMs < 15_000);
    },
  },
  {
    name: "ends a program when the caller aborts, also before it begins",
    run: async ({ open }) => {
      const workspace = await open();
      const controller = new AbortController();
      const running = workspace.run(["sh", "-c", "sleep 60"], { signal: controller.signal });
      setTimeout(() => controller.abort(), 200);
      assert.deepEqual([(await running).reason, (await running).exitCode], ["aborted", null]);
      assert.equal((await workspace.run(["sh", "-c", "sleep 60"], { signal: AbortSignal.abort() })).reason, "aborted");
    },
  },
  {
    name: "goes on working after a run that was ended",
    run: async ({ open }) => {
      const workspace = await open();
      await workspace.writeFiles([{ path: "work/a", data: encoder.encode("still here") }]);
      await workspace.run(["sh", "-c", "while :; do :; done"], { timeoutMs: 300 });
      assert.equal((await workspace.run(["cat", "a"])).stdout, "still here");
    },
  },
  {
    name: "ends a program that floods its output",
    run: async ({ open }) => {
      const workspace = await open({ limits: { maxTotalOutputBytes: 300_000 } });
      const line = "0123456789".repeat(20);
      const result = await workspace.run(["sh", "-c", `while :; do echo ${line}; done`]);
      assert.deepEqual([result.reason, result.exitCode], ["output-limit", null]);
    },
  },
  {
    name: "says how a program ended that was killed by a signal",
    requires: (_promises, sandbox) => sandbox.isolation !== "interpreter",
    run: async ({ open }) => {
      const workspace = await open();
      const result = await workspace.run(["sh", "-c", "kill -9 $$"]);
      assert.deepEqual([result.reason, result.exitCode, result.signal], ["signal", 137, "SIGKILL"]);
    },
  },
  {
    name: "runs several programs at once",
    run: async ({ open }) => {
      const workspace = await open();
      const results = await Promise.all(
        ["a", "b", "c", "d", "e"].map((name) => workspace.run(["sh", "-c", `echo ${name} > ${name}; cat ${name}`])),
      );
      assert.deepEqual(
        results.map((result) => result.stdout),
        ["a\n", "b\n", "c\n", "d\n", "e\n"],
      );
    },
  },
  {
    name: "refuses runs once it is closed, ends what is running, and may be closed again",
    run: async ({ open }) => {
      const workspace = await open();
      const running = workspace.run(["sh", "-c", "sleep 60"]).catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await workspace.close();
      await workspace.close();
      const ended = await running;
      assert.ok(SkillError.is(ended) || (ended as { reason?: string }).reason === "aborted", "the running program was ended");
      await assert.rejects(workspace.run(["true"]), (error) => SkillError.is(error, "workspace-closed"));
    },
  },
  {
    name: "runs programs that are written to while they run",
    requires: (promises) => promises.interactive,
    run: async ({ open }) => {
      const workspace = await open();
      assert.ok(workspace.start, "start is there");
      let seen = "";
      let heard: () => void = () => undefined;
      const process = await workspace.start(["sh", "-c", "echo name?; read name; echo hello $name; cat"], {
        onOutput: (_stream, chunk) => {
          seen += new TextDecoder().decode(chunk);
          heard();
        },
      });
      const until = async (text: string): Promise<void> => {
        while (!seen.includes(text)) {
          await new Promise<void>((resolve) => {
            heard = resolve;
          });
        }
      };
      await until("name?");
      await process.write("Ada\n");
      await until("hello Ada");
      await process.write("rest");
      await process.closeStdin();
      const result = await process.exited;
      assert.deepEqual([result.reason, result.exitCode, result.stdout], ["exited", 0, "name?\nhello Ada\nrest"]);
    },
  },
  {
    name: "gives a program a terminal",
    requires: (promises) => promises.interactive && promises.terminal,
    run: async ({ open }) => {
      const workspace = await open();
      const process = await workspace.start?.(["sh", "-c", 'test -t 0 && test -t 1 && echo "terminal of $1"; exit 3', "sh", "it's mine"], {
        terminal: true,
      });
      const result = await process?.exited;
      assert.deepEqual([result?.reason, result?.exitCode], ["exited", 3]);
      assert.match(result?.stdout ?? "", /terminal of it's mine\r?\n/);
    },
  },
  {
    name: "ends a program that is written to when asked",
    requires: (promises) => promises.interactive,
    run: async ({ open }) => {
      const workspace = await open();
      const process = await workspace.start?.(["sh", "-c", "sleep 60"]);
      await process?.kill();
      assert.equal((await process?.exited)?.reason, "aborted");
      await process?.write("nobody reads this");
    },
  },
];
