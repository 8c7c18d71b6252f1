/** A host process for the tests that kill one: opens a container, runs something long in it, and says so. */
import { defaultLimits } from "../../packages/skillwright/src/core/index.ts";
import { hostIdentity } from "../../packages/skillwright/src/sandboxes/container/host-identity.ts";
import { containerSandbox } from "../../packages/skillwright/src/sandboxes/container.ts";

const [socket = "", image = "", sessionId = "", mode = "run", runtime = ""] = process.argv.slice(2);

if (mode === "label") {
  process.stdout.write(`label ${hostIdentity()}\n`);
  setInterval(() => undefined, 1_000);
} else {
  const sandbox = containerSandbox({ socket, image, ...(runtime !== "" && { runtime }) });
  const workspace = await sandbox.open({ sessionId, limits: defaultLimits, policy: { network: "none" } });
  await workspace.run(["sh", "-c", "setsid sleep 600 & echo started; sleep 600"], {
    onOutput: () => process.stdout.write("running\n"),
  });
}
