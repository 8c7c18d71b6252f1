import { createServer } from "node:http";
import { defaultLimits, type SandboxPolicy, type Workspace } from "skillwright";
import { srtSandbox } from "skillwright/sandboxes/srt";
import { registerSandboxContract } from "skillwright/testing";
import { afterEach, beforeAll, describe, expect, test } from "vitest";

const sandbox = srtSandbox();
let missing: string | undefined;

beforeAll(async () => {
  const probe = await sandbox.probe();
  missing = probe.ok ? undefined : `${probe.reason} ${probe.hint}`;
});

describe("the contract", () => {
  registerSandboxContract((name, run) => {
    test(name, async (context) => {
      if (missing !== undefined) context.skip(missing);
      await run();
    });
  }, sandbox);
});

describe("the network of srtSandbox", () => {
  const opened: Workspace[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((workspace) => workspace.close()));
  });

  /** Asks a server of this machine through whatever proxy a program was told of. */
  const ask = `
import os, sys, urllib.request
proxy = os.environ.get("http_proxy")
handler = urllib.request.ProxyHandler({"http": proxy} if proxy else {})
urllib.request.getproxies = lambda: {}
urllib.request.proxy_bypass = lambda host: False
try:
    print(urllib.request.build_opener(handler).open(sys.argv[1], timeout=10).read().decode())
except Exception as error:
    print("refused:", error)
`;

  const openWith = async (network: SandboxPolicy["network"]): Promise<Workspace> => {
    const workspace = await sandbox.open({ sessionId: crypto.randomUUID(), limits: defaultLimits, policy: { network } });
    opened.push(workspace);
    return workspace;
  };

  test("reaches the hosts of each session's own list, and no other", async (context) => {
    if (missing !== undefined) context.skip(missing);
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end("answered");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    try {
      const [open, other, none] = await Promise.all([openWith({ allow: [host] }), openWith({ allow: ["example.org"] }), openWith("none")]);
      const [allowed, unlisted, closed] = await Promise.all(
        [open, other, none].map((workspace) => workspace.run(["python3", "-c", ask, `http://${host}/`])),
      );
      expect(allowed?.stdout).toBe("answered\n");
      expect(unlisted?.stdout).toMatch(/^refused:/);
      expect(closed?.stdout).toMatch(/^refused:/);
      expect(requests).toBe(1);
    } finally {
      server.close();
    }
  });

  test("shows a run without network no proxy", async (context) => {
    if (missing !== undefined) context.skip(missing);
    const workspace = await openWith("none");
    const { stdout } = await workspace.run(["env"], { env: { GREETING: "hello" } });
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.sort()).toEqual(["GREETING", "HOME", "LANG", "PATH", "TMPDIR"]);
  });
});
