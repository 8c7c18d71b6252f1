import { defaultLimits, type Sandbox, type Workspace } from "skillwright";
import { bubblewrapSandbox } from "skillwright/sandboxes/bubblewrap";
import { type DaytonaClient, daytonaSandbox, type E2bClient, e2bSandbox } from "skillwright/sandboxes/remote";
import { registerSandboxContract } from "skillwright/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daytonaServer } from "./daytona-server.ts";
import { e2bServer } from "./e2b-server.ts";

// Both services are played by a workspace of bubblewrap: a machine of its own, as far as programs can tell.
const machine = bubblewrapSandbox();
const probe = await machine.probe();
let workspace: Workspace;
let e2b: E2bClient;
let daytona: DaytonaClient & { readonly commands: readonly string[] };

beforeAll(async () => {
  if (!probe.ok) return;
  workspace = await machine.open({ sessionId: "remote", limits: { ...defaultLimits, maxProcesses: 400 }, policy: { network: "none" } });
  e2b = e2bServer(workspace);
  daytona = daytonaServer(workspace);
});
afterAll(() => workspace?.close());

/** The sandbox of a service that is there only when the tests run. */
function later(shape: Sandbox, make: () => Sandbox): Sandbox {
  return { ...shape, open: (request) => make().open(request) };
}

const directory = "/workspace/work";
const suites: readonly (readonly [string, Sandbox])[] = [
  ["e2b", later(e2bSandbox({} as E2bClient), () => e2bSandbox(e2b, { directory }))],
  ["daytona", later(daytonaSandbox({ process: {}, fs: {} } as DaytonaClient), () => daytonaSandbox(daytona, { directory }))],
];

describe.each(suites)("%s keeps the contract of sandboxes", (_name, sandbox) => {
  registerSandboxContract((name, run) => {
    test(name, async (context) => {
      if (!probe.ok) context.skip(probe.reason);
      await run();
    });
  }, sandbox);
});

test("daytonaSandbox leaves no value of a variable in a command's text", async (context) => {
  if (!probe.ok) context.skip(probe.reason);
  const opened = await daytonaSandbox(daytona, { directory }).open({ sessionId: "s", limits: defaultLimits, policy: { network: "none" } });
  const { stdout } = await opened.run(["sh", "-c", 'printf %s "$TOKEN"; ls -A ..'], { env: { TOKEN: "it's $unique" } });
  expect(stdout).toBe("it's $uniquework\n");
  expect(daytona.commands.join("\n")).not.toContain("$unique");
  await opened.close();
});
