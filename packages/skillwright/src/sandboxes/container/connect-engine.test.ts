import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectEngine } from "./connect-engine.ts";

let folder: string;
let server: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-"));
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function engineThatSays(version: object, address: string | number): Promise<Server> {
  server = createServer((_request, response) => response.setHeader("content-type", "application/json").end(JSON.stringify(version)));
  await new Promise<void>((resolve) => server?.listen(address, resolve));
  return server;
}

test.each([
  ["Docker", [{ Name: "Engine" }], "Docker 1.2"],
  ["Podman", [{ Name: "Podman Engine" }], "Podman 1.2"],
])("%s is known by its components", async (_name, Components, expected) => {
  const socket = join(folder, "engine.sock");
  await engineThatSays({ Version: "1.2", Components }, socket);
  expect(await connectEngine(socket)).toMatchObject({ name: expected, address: socket });
  expect(await connectEngine(`unix://${socket}`)).toMatchObject({ name: expected });
});

test("an engine is reached by host and port", async () => {
  const listening = (await engineThatSays({ Version: "1.2" }, 0)).address();
  const port = typeof listening === "object" ? listening?.port : undefined;
  expect(await connectEngine(`tcp://127.0.0.1:${port}`)).toMatchObject({ name: "Docker 1.2" });
});

test("an address where nobody answers is said, with what to do", async () => {
  const silent = join(folder, "none.sock");
  await expect(connectEngine(silent)).rejects.toMatchObject({
    code: "sandbox-unavailable",
    message: expect.stringContaining(silent),
    hint: expect.stringContaining("DOCKER_HOST"),
  });
});
