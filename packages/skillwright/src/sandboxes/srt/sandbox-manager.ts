import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SkillError } from "../../core/index.ts";
import { importPeer } from "../shell/import-peer.ts";

const peer = "@anthropic-ai/sandbox-runtime";

type Runtime = typeof import("@anthropic-ai/sandbox-runtime");

/** The runtime's manager while somebody uses it. */
export interface SandboxManager {
  readonly manager: Runtime["SandboxManager"];
  /** What the runtime itself needs inside: its own programs, and the sockets of its proxies. */
  readonly needs: readonly string[];
  /** Gives it back; the last one who does ends the runtime's proxies. */
  release(): Promise<void>;
}

/** The runtime has one manager a process; its users share it, and a process that uses it itself keeps it. */
let started: Promise<Runtime["SandboxManager"]> | undefined;
let users = 0;
/** Settles when the last end is complete: a start must not meet one half done. */
let ending: Promise<void> = Promise.resolve();

/**
 * Starts the runtime, or joins in where it is started: nothing is allowed by default, each run brings its own rules.
 * @throws SkillError `peer-missing`, `sandbox-unavailable`
 */
export async function takeSandboxManager(): Promise<SandboxManager> {
  users++;
  try {
    started ??= start();
    const manager = await started;
    let released = false;
    return {
      manager,
      needs: [join(dirname(fileURLToPath(import.meta.resolve(peer))), "../vendor"), ...socketsOf(manager)],
      release: async () => {
        if (released) return;
        released = true;
        await leave();
      },
    };
  } catch (error) {
    started = undefined;
    users--;
    throw error;
  }
}

async function leave(): Promise<void> {
  users--;
  if (users > 0) return;
  const last = started;
  started = undefined;
  ending = (async () => (await last)?.reset())().catch(() => undefined);
  await ending;
}

async function start(): Promise<Runtime["SandboxManager"]> {
  const { SandboxManager: manager } = await importPeer<Runtime>(peer, () => import("@anthropic-ai/sandbox-runtime"));
  await ending;
  if (manager.getProxyPort() !== undefined) {
    throw unavailable(
      "this process has started the sandbox runtime already, with rules of its own",
      "Use another sandbox, or run this one in a process of its own.",
    );
  }
  const { errors } = manager.checkDependencies();
  if (errors.length > 0) {
    throw unavailable(errors.join("; "), "On Debian and Ubuntu: apt-get install bubblewrap socat ripgrep");
  }
  try {
    await manager.initialize({
      network: { allowedDomains: [], deniedDomains: [] },
      filesystem: { denyRead: [], allowRead: [], allowWrite: [], denyWrite: [] },
      // The working directory of this process is closed to programs anyway, so there is nothing in it to be searched for.
      mandatoryDenySearchDepth: 1,
    });
  } catch (error) {
    throw notStarted(error);
  }
  // Programs run as another user than root's where this process is root; the proxy behind the socket asks everybody for a password.
  if (process.getuid?.() === 0) for (const socket of socketsOf(manager)) chmodSync(socket, 0o666);
  return manager;
}

function socketsOf(manager: Runtime["SandboxManager"]): string[] {
  const paths = [manager.getLinuxHttpSocketPath(), manager.getLinuxSocksSocketPath()];
  return [...new Set(paths.filter((path) => path !== undefined))];
}

function notStarted(cause: unknown): SkillError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SkillError("sandbox-unavailable", `The sandbox runtime cannot be used: ${reason}`, {
    hint: "Run `npx srt true` to see what it says on this machine.",
    cause,
  });
}

function unavailable(reason: string, hint: string): SkillError {
  return new SkillError("sandbox-unavailable", `The sandbox runtime cannot be used: ${reason}.`, { hint });
}
