import { SkillError, throwIfAborted } from "../core/index.ts";
import { bubblewrapSandbox } from "../sandboxes/bubblewrap.ts";
import { containerSandbox } from "../sandboxes/container.ts";
import { virtualSandbox } from "../sandboxes/virtual.ts";
import type { ProbeResult, Sandbox } from "../workspace/index.ts";

/** Sandboxes that are tried, by name, strongest first. */
export type AutoSandboxId = "bubblewrap" | "container" | "virtual";

/** Options of {@link autoSandbox}. */
export interface AutoSandboxOptions {
  /** Tried first; the others follow in their order. */
  readonly prefer?: AutoSandboxId;
  readonly signal?: AbortSignal;
}

/** What was found when a sandbox was tried. */
export interface SandboxProbe {
  readonly sandbox: Sandbox;
  readonly result: ProbeResult;
}

/** The sandbox taken, and what was found on the way. */
export interface AutoSandboxResult {
  readonly sandbox: Sandbox;
  /** One for each sandbox that was tried, in order. */
  readonly probes: readonly SandboxProbe[];
}

const makers: Readonly<Record<AutoSandboxId, () => Sandbox>> = {
  bubblewrap: () => bubblewrapSandbox(),
  container: () => containerSandbox(),
  virtual: () => virtualSandbox(),
};

/**
 * Takes the strongest sandbox in which a real command runs here. A sandbox without isolation is never among them:
 * `localSandbox()` is chosen by name or not at all.
 * @throws SkillError `sandbox-unavailable` with the reason and the hint of each that was tried in `data.probes`
 */
export async function autoSandbox(options: AutoSandboxOptions = {}): Promise<AutoSandboxResult> {
  return firstThatWorks(candidates(options.prefer), options.signal);
}

/** Probes sandboxes in their order until one works. */
export async function firstThatWorks(sandboxes: readonly Sandbox[], signal: AbortSignal | undefined): Promise<AutoSandboxResult> {
  const probes: SandboxProbe[] = [];
  for (const sandbox of sandboxes) {
    throwIfAborted(signal);
    const result = await sandbox.probe(signal ? { signal } : {});
    probes.push({ sandbox, result });
    if (result.ok) return { sandbox, probes };
  }
  throwIfAborted(signal);
  const failed = probes.flatMap(({ sandbox, result }) =>
    result.ok ? [] : [{ sandbox: sandbox.id, reason: result.reason, hint: result.hint }],
  );
  throw new SkillError(
    "sandbox-unavailable",
    `No sandbox works here. ${failed.map(({ sandbox, reason }) => `${sandbox}: ${reason}`).join(" ")}`,
    {
      hint: failed.map(({ sandbox, hint }) => `For ${sandbox}: ${hint}`).join(" "),
      data: { probes: failed },
    },
  );
}

/** Tries every sandbox that {@link autoSandbox} knows: for a report of what a machine can do. */
export async function probeSandboxes(options: { readonly signal?: AbortSignal } = {}): Promise<readonly SandboxProbe[]> {
  return Promise.all(candidates(undefined).map(async (sandbox) => ({ sandbox, result: await sandbox.probe(options) })));
}

function candidates(prefer: AutoSandboxId | undefined): Sandbox[] {
  const order = Object.keys(makers) as AutoSandboxId[];
  const sorted = prefer === undefined ? order : [prefer, ...order.filter((id) => id !== prefer)];
  return sorted.map((id) => makers[id]());
}
