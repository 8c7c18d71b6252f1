import { expect, test } from "vitest";
import { hostIdentity, isGoneHost } from "./host-identity.ts";

const [table, pid, startedAt] = hostIdentity().split("/");

test.each([
  ["this process", `${table}/${pid}/${startedAt}`, false],
  ["an earlier process of the same number", `${table}/${pid}/1${startedAt}`, process.platform === "linux"],
  ["a number that no process has", `${table}/4194999/1`, true],
  ["another machine", `elsewhere/${pid}/${startedAt}`, false],
  ["a label that is none", "", false],
])("%s", (_name, identity, gone) => {
  expect(isGoneHost(identity)).toBe(gone);
});
