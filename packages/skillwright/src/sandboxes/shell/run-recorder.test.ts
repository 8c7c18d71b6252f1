import { expect, test } from "vitest";
import { type RunRecorderOptions, recordedProcess, runRecorder } from "./run-recorder.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function record(options: Partial<RunRecorderOptions> = {}) {
  let ends = 0;
  const recorder = runRecorder({
    timeoutMs: Number.POSITIVE_INFINITY,
    maxOutputBytes: 1_000,
    maxTotalOutputBytes: 1_000,
    end: () => {
      ends++;
    },
    ...options,
  });
  return { recorder, ends: () => ends };
}

test("a run that ends of itself is told as the sandbox saw it", async () => {
  const { recorder, ends } = record();
  recorder.push("stdout", bytes("out"));
  recorder.push("stderr", bytes("err"));
  recorder.settle({ exitCode: 3, reason: "exited" });
  recorder.push("stdout", bytes("too late"));
  expect(await recorder.result).toMatchObject({ exitCode: 3, reason: "exited", stdout: "out", stderr: "err" });
  expect(ends()).toBe(0);
});

test("the first reason to end a run stays, whatever its end looks like", async () => {
  const { recorder, ends } = record();
  recorder.stop("timeout");
  recorder.stop("aborted");
  recorder.settle({ exitCode: 0, reason: "exited" });
  expect(await recorder.result).toMatchObject({ exitCode: null, reason: "timeout" });
  expect(ends()).toBe(1);
});

test("an answer comes although the end does not", async () => {
  const { recorder } = record({ timeoutMs: 1 });
  expect(await recorder.result).toMatchObject({ exitCode: null, reason: "timeout" });
});

test("too much output ends a run, and what came before is kept", async () => {
  const { recorder, ends } = record({ maxTotalOutputBytes: 4 });
  recorder.push("stdout", bytes("12345"));
  recorder.push("stdout", bytes("more"));
  recorder.settle({ exitCode: 0, reason: "exited" });
  expect(await recorder.result).toMatchObject({ reason: "output-limit", stdout: "12345" });
  expect(ends()).toBe(1);
});

test("a listener that throws ends the run, and its error is the answer", async () => {
  const { recorder, ends } = record({
    onOutput: () => {
      throw new Error("listener");
    },
  });
  recorder.push("stdout", bytes("x"));
  recorder.settle({ exitCode: 0, reason: "exited" });
  await expect(recorder.result).rejects.toThrow("listener");
  expect(ends()).toBe(1);
});

test("a signal that was given before the start ends the run", async () => {
  const { recorder } = record({ signal: AbortSignal.abort() });
  await Promise.resolve();
  recorder.settle({ exitCode: 0, reason: "exited" });
  expect(await recorder.result).toMatchObject({ reason: "aborted" });
});

test("a program whose start fails rejects, and its input is no fault", async () => {
  const { recorder } = record();
  const process = recordedProcess(recorder, Promise.reject(new Error("no start")));
  await process.write("nobody reads this");
  await process.closeStdin();
  await expect(process.exited).rejects.toThrow("no start");
});
