import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { namedPipes } from "./named-pipes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillwright-pipes-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}

test("programs started at the same time, and one after another, each have their own pipes", async (context) => {
  if (process.platform !== "linux") context.skip("pipes of this kind are used on Linux");
  const pipes = namedPipes(folder);
  const run = async (word: string): Promise<string> => {
    const [out, err] = await pipes.outputs();
    spawn("sh", ["-c", `echo ${word} > /dev/stdout; echo ${word} > /dev/stderr`], { stdio: ["ignore", out.writer, err.writer] });
    for (const pipe of [out, err]) pipe.handOver();
    return (await Promise.all([textOf(out.reader), textOf(err.reader)])).join("");
  };
  expect(await run("first")).toBe("first\nfirst\n");
  const words = Array.from({ length: 8 }, (_, index) => `word${index}`);
  expect(await Promise.all(words.map(run))).toEqual(words.map((word) => `${word}\n${word}\n`));
  for (const word of words) expect(await run(word)).toBe(`${word}\n${word}\n`);
  expect(readdirSync(folder).length).toBeLessThanOrEqual(18);
});

test("a pipe whose writing end somebody still holds is never used again", async (context) => {
  if (process.platform !== "linux") context.skip("pipes of this kind are used on Linux");
  const pipes = namedPipes(folder);
  const [out, err] = await pipes.outputs();
  const before = readdirSync(folder);
  for (const pipe of [out, err]) {
    const closed = new Promise((resolve) => pipe.reader.once("close", resolve));
    pipe.reader.destroy();
    await closed;
  }
  expect(readdirSync(folder)).toEqual([]);
  await pipes.outputs();
  expect(readdirSync(folder)).not.toEqual(before);
});

test("an input is read from its beginning and leaves no file", async () => {
  const descriptor = namedPipes(folder).input("typed");
  const child = spawn("sh", ["-c", "cat; cat /dev/stdin"], { stdio: [descriptor, "pipe", "inherit"] });
  expect(await textOf(child.stdout as Readable)).toContain("typed");
  expect(readdirSync(folder)).toEqual([]);
});
