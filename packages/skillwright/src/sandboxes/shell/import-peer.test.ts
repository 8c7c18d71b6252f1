import { expect, test } from "vitest";
import { importPeer } from "./import-peer.ts";

test("a package that is missing is named with the command that installs it", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  await expect(importPeer("some-engine", () => Promise.reject(missing))).rejects.toMatchObject({
    code: "peer-missing",
    hint: "Run: npm install some-engine",
  });
});

test("a package that is broken fails as it does", async () => {
  await expect(importPeer("some-engine", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});
