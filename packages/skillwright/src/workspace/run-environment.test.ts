import { expect, test } from "vitest";
import { refuseVariable, runEnvironment } from "./run-environment.ts";

test("later variables win: the workspace's own, passed ones, grants", () => {
  expect(runEnvironment({ A: "own", B: "own" }, { B: "passed", C: "passed" }, { C: "granted" })).toEqual({
    A: "own",
    B: "passed",
    C: "granted",
  });
});

test.each([
  ["LD_PRELOAD"],
  ["LD_LIBRARY_PATH"],
  ["DYLD_INSERT_LIBRARIES"],
  ["NODE_OPTIONS"],
  ["BASH_ENV"],
  ["BASH_FUNC_ls%%"],
  ["ENV"],
  ["SHELLOPTS"],
  ["PS4"],
  ["IFS"],
  ["PYTHONSTARTUP"],
  ["PYTHONPATH"],
  ["PERL5OPT"],
  ["PERL5LIB"],
  ["RUBYOPT"],
  ["JAVA_TOOL_OPTIONS"],
  ["GIT_SSH_COMMAND"],
  ["GIT_CONFIG_COUNT"],
  ["LESSOPEN"],
  ["GCONV_PATH"],
  ["GLIBC_TUNABLES"],
  ["OPENSSL_CONF"],
  ["PATH"],
  ["HOME"],
  ["OUTPUT_DIR"],
  ["SKILL_DIR"],
  ["1ST"],
  ["A B"],
  [""],
  ["__proto__x-y"],
])("%s is refused, passed or granted", (name) => {
  expect(() => runEnvironment({}, { [name]: "x" }, undefined)).toThrow(/cannot be passed to a run/);
  expect(() => runEnvironment({}, undefined, { [name]: "x" })).toThrow(/cannot be granted to a run/);
});

test.each([
  ["API_KEY"],
  ["LANGUAGE"],
  ["LC_ALL"],
  ["TZ"],
  ["http_proxy"],
  ["NODE_ENV"],
  ["PYTHONUNBUFFERED"],
  ["GITHUB_TOKEN"],
  ["_private"],
])("%s is let through", (name) => {
  expect(refuseVariable(name, "value")).toBeUndefined();
});

test("a value with NUL is refused, and the fault never shows a value", () => {
  expect(() => runEnvironment({}, undefined, { API_KEY: "secret\0value" })).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining("secret") }),
  );
});
