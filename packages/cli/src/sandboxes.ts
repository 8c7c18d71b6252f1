import { autoSandbox, type Sandbox } from "skillwright";
import { bubblewrapSandbox } from "skillwright/sandboxes/bubblewrap";
import { containerSandbox } from "skillwright/sandboxes/container";
import { localSandbox } from "skillwright/sandboxes/local";
import { virtualSandbox } from "skillwright/sandboxes/virtual";
import { UsageError } from "./usage-error.ts";

/** The sandbox of a command, and one line about it for people. */
export interface ChosenSandbox {
  readonly sandbox: Sandbox | undefined;
  readonly description: string;
}

const makers: Readonly<Record<string, () => Sandbox>> = {
  bubblewrap: () => bubblewrapSandbox(),
  container: () => containerSandbox(),
  virtual: () => virtualSandbox(),
  local: () => localSandbox(),
};

/** Opens the sandbox that a person named, after a real probe; `auto` takes the strongest that works, never `local`. */
export async function chooseSandbox(name: string, options: { readonly signal?: AbortSignal } = {}): Promise<ChosenSandbox> {
  if (name === "none") return { sandbox: undefined, description: "none: scripts cannot be run" };
  if (name === "auto") {
    const { sandbox } = await autoSandbox(options);
    return { sandbox, description: describe(sandbox) };
  }
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
  if (make === undefined) throw new UsageError(`There is no sandbox "${name}". Use auto, ${Object.keys(makers).join(", ")} or none.`);
  const sandbox = make();
  const probe = await sandbox.probe(options);
  if (!probe.ok) throw new UsageError(`The sandbox "${name}" does not work here: ${probe.reason} ${probe.hint}`);
  return { sandbox, description: describe(sandbox) };
}

const isolations = {
  none: "no isolation: scripts run as you, with your files and your network",
  interpreter: "an interpreter in this process: no programs of this machine, no network",
  process: "process isolation, no network",
  container: "a container, no network",
  vm: "a virtual machine, no network",
} as const;

function describe(sandbox: Sandbox): string {
  return `${sandbox.id} (${isolations[sandbox.isolation]})`;
}
