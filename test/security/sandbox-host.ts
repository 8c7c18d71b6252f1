import { defaultLimits, type Limits } from "../../packages/skillwright/src/core/index.ts";
import { bubblewrapSandbox } from "../../packages/skillwright/src/sandboxes/bubblewrap.ts";
import { localSandbox } from "../../packages/skillwright/src/sandboxes/local.ts";
import { virtualSandbox } from "../../packages/skillwright/src/sandboxes/virtual.ts";

// A host in a process of its own, to be started as another user, with secrets around it, or to be killed. Takes a JSON request as its
// argument, runs one command and prints the result as the last line.

const request = JSON.parse(process.argv[2] ?? "{}") as {
  readonly sandbox: "bubblewrap" | "local" | "virtual";
  readonly argv: readonly string[];
  readonly directory?: string;
  readonly limits?: Partial<Limits>;
  readonly timeoutMs?: number;
  readonly live?: boolean;
};

const options = request.directory === undefined ? {} : { directory: request.directory };
const sandbox = { bubblewrap: () => bubblewrapSandbox(options), local: () => localSandbox(options), virtual: () => virtualSandbox() }[
  request.sandbox
]();
const workspace = await sandbox.open({ sessionId: "host", limits: { ...defaultLimits, ...request.limits }, policy: { network: "none" } });
const result = await workspace.run(request.argv, {
  timeoutMs: request.timeoutMs ?? 20_000,
  ...(request.live === true && { onOutput: (_stream: string, chunk: Uint8Array) => process.stdout.write(chunk) }),
});
await workspace.close();
process.stdout.write(`\n${JSON.stringify(result)}\n`);
