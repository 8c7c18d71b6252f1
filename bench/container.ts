/**
 * A command in a warm container through `containerSandbox`, against the engine's own command line doing the same in the same container:
 * `docker exec` and `podman exec`. Both in turns, so that whatever else the machine does meets both.
 * Needs SKILLWRIGHT_DOCKER_SOCKET or SKILLWRIGHT_PODMAN_SOCKET; see scripts/ci/containers.sh.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import Docker from "dockerode";
import { defaultLimits } from "../packages/skillwright/src/core/index.ts";
import { containerSandbox } from "../packages/skillwright/src/sandboxes/container.ts";

const rounds = 40;
const ceiling = 1.2;
const run = promisify(execFile);

interface Candidate {
  readonly name: string;
  readonly socket: string | undefined;
  /** The command line that executes a program in a container. */
  readonly command: readonly string[];
}

const docker = process.env.SKILLWRIGHT_DOCKER_SOCKET;
const podman = process.env.SKILLWRIGHT_PODMAN_SOCKET;
const candidates: readonly Candidate[] = [
  { name: "docker exec", socket: docker, command: ["docker", "-H", `unix://${docker}`, "exec"] },
  // The command that works on the engine's storage itself, and the one that asks the same service as the sandbox.
  { name: "podman exec", socket: podman, command: (process.env.SKILLWRIGHT_PODMAN_COMMAND ?? "podman").split(" ").concat("exec") },
  { name: "podman --remote exec", socket: podman, command: ["podman", "--remote", "--url", `unix://${podman}`, "exec"] },
];

let tooSlow = 0;
for (const { name, socket, command } of candidates) {
  if (socket === undefined) {
    console.log(`${name}: skipped, its socket is not named in the environment`);
    continue;
  }
  const sandbox = containerSandbox({ socket, image: "skillwright-test:debian" });
  const sessionId = crypto.randomUUID();
  const workspace = await sandbox.open({ sessionId, limits: defaultLimits, policy: { network: "none" } });
  try {
    const client = new Docker({ socketPath: socket });
    const [container] = await client.listContainers({ filters: { label: [`skillwright.session=${sessionId}`] } });
    const user = (await workspace.run(["id", "-u"])).stdout.trim();
    const [program = "", ...prefix] = command;
    const theirs = [...prefix, "--user", `${user}:${user}`, "--workdir", "/workspace/work", container?.Id ?? "", "true"];
    const ours: number[] = [];
    const others: number[] = [];
    for (let round = -2; round < rounds; round++) {
      const begun = performance.now();
      await workspace.run(["true"]);
      const between = performance.now();
      await run(program, theirs);
      const ended = performance.now();
      if (round < 0) continue;
      ours.push(between - begun);
      others.push(ended - between);
    }
    const ratio = median(ours) / median(others);
    if (ratio > ceiling) tooSlow++;
    console.log(
      `${name.padEnd(22)} ${median(others).toFixed(0).padStart(5)} ms   containerSandbox ${median(ours).toFixed(0).padStart(5)} ms   ratio ${ratio.toFixed(2)} (at most ${ceiling})`,
    );
  } finally {
    await workspace.close();
  }
}
process.exitCode = tooSlow === 0 ? 0 : 1;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
