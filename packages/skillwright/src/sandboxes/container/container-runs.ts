import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Limits } from "../../core/index.ts";
import type { SandboxProcess, StartOptions } from "../../workspace/index.ts";
import { refusedLaunch } from "../process/refused-launch.ts";
import { type Conclusion, concludeSignal } from "../process/supervise-process.ts";
import { type RunRecorder, recordedProcess, runRecorder } from "../shell/run-recorder.ts";
import { explainRefusal, refusalReader } from "../shell/start-refusal.ts";
import { type SessionContainer, workspaceRoot } from "./open-container.ts";
import { runScript, sweepScript } from "./run-script.ts";

/** Programs that run at the same time in one session; each has a user of its own. */
export const maxSlots = 64;

/** Another group than that of runs, so that they cannot reach into the process that ends them. */
const sweepGroup = 65_533;

const killed = 137;

/** How often a run is ended before its container is given up. */
const endAttempts = 10;

/** Starts programs in a session's container. */
export interface ContainerRuns {
  launch(argv: readonly string[], options: StartOptions, interactive: boolean): Promise<SandboxProcess>;
}

/**
 * Every program that runs at the same time as another has a user of its own, in one group, so that one run can be ended whole and
 * alone: whatever a process does, it stays its user's. The first slot is the session's usual user.
 */
export function containerRuns(container: SessionContainer, user: number, limits: Limits): ContainerRuns {
  const slots: { busy: boolean; swept: Promise<void> }[] = [];
  let memoryKills = 0;

  const acquire = async (): Promise<number | undefined> => {
    const free = slots.findIndex((slot) => !slot.busy);
    const index = free === -1 ? slots.length : free;
    if (index >= maxSlots) return undefined;
    const slot = slots[index] ?? { busy: true, swept: Promise.resolve() };
    slots[index] = slot;
    slot.busy = true;
    await slot.swept;
    return index;
  };

  /** Ends everything of a slot, from outside it. A container in which that fails is not used any more. */
  const sweep = async (index: number): Promise<void> => {
    const argv = ["sh", "-c", sweepScript, "sh", workspaceRoot, index === 0 ? "" : "share"];
    for (let attempt = 0; attempt < 3; attempt++) {
      const code = await container.command(argv, { user: `${user + index}:${sweepGroup}` }).then(
        (output) => output.code,
        () => undefined,
      );
      if (code === 0) return;
    }
    await container.remove("a program in it could not be ended").catch(() => undefined);
  };

  /** Whether nothing but the container's own processes is left; asked a few times, for the dead take a moment to go. */
  const isQuiet = async (index: number): Promise<boolean> => {
    if (slots.some((slot, other) => other !== index && slot.busy)) return false;
    for (let attempt = 0; attempt < 4; attempt++) {
      if (container.isIdle() === true) return true;
      if (container.isIdle() === undefined) return false;
      await setTimeout(5);
    }
    return false;
  };

  const afterSweeps = (index: number, next: () => Promise<void>): void => {
    const slot = slots[index];
    if (slot !== undefined) slot.swept = slot.swept.then(next);
  };

  /** Ends a run's processes until the run has ended: one that was only being started is met by a later attempt. */
  const endRun = async (index: number, hasEnded: () => boolean): Promise<void> => {
    for (let attempt = 0; attempt < endAttempts && !hasEnded(); attempt++) {
      await sweep(index);
      for (let waitMs = 5; waitMs <= 160 && !hasEnded(); waitMs *= 2) await setTimeout(waitMs);
    }
    if (!hasEnded()) await container.remove("a program in it could not be ended").catch(() => undefined);
  };

  /** Makes sure that nothing of a run is left; where nobody can count, that happens beside the answer and before the slot is used again. */
  const clear = async (index: number, code: number): Promise<void> => {
    await slots[index]?.swept;
    if (await isQuiet(index)) return;
    afterSweeps(index, () => sweep(index));
    if (index > 0 || code === killed || container.isIdle() !== undefined) await slots[index]?.swept;
  };

  const conclude = async (code: number, recorder: RunRecorder): Promise<Conclusion> => {
    if (code === killed && recorder.stoppedFor === undefined) {
      const kills = await container.outOfMemoryKills();
      if (kills > memoryKills) {
        memoryKills = kills;
        return { exitCode: null, reason: "memory-limit", signal: "SIGKILL" };
      }
    }
    return code > 128 && code <= 128 + 31 ? concludeSignal(code - 128) : { exitCode: code, reason: "exited" };
  };

  return {
    async launch(argv, options, interactive) {
      const index = await acquire();
      if (index === undefined) return refusedLaunch(`${maxSlots} programs already run in this session; wait for one of them to end.`);
      const release = (): void => {
        const slot = slots[index];
        if (slot !== undefined) slot.busy = false;
      };
      let ended = false;
      const token = randomUUID();
      const refusal = refusalReader(token);
      const recorder: RunRecorder = runRecorder({
        timeoutMs: options.timeoutMs ?? limits.runTimeoutMs,
        maxOutputBytes: options.maxOutputBytes ?? limits.maxOutputBytes,
        maxTotalOutputBytes: limits.maxTotalOutputBytes,
        ...(options.onOutput && { onOutput: options.onOutput }),
        ...(options.signal && { signal: options.signal }),
        end: () => afterSweeps(index, () => endRun(index, () => ended)),
      });
      const folder = options.cwd ?? "work";
      const env = { HOME: "/tmp/home", TMPDIR: "/tmp", LANG: "C.UTF-8", ...options.env };
      const drop = container.ownVariables.filter((name) => !Object.hasOwn(env, name)).join(" ");
      const finish = async (code: number): Promise<void> => {
        ended = true;
        await clear(index, code);
        const word = refusal.word();
        const stderr = explainRefusal(word ?? "", argv[0] ?? "", folder);
        const conclusion: Conclusion =
          word === undefined ? await conclude(code, recorder) : { exitCode: null, reason: "start-failed", stderr };
        release();
        recorder.settle(conclusion);
      };
      const started = container.start({
        argv: ["sh", "-c", runScript, "sh", token, workspaceRoot, `${workspaceRoot}/${folder}`, String(limits.maxProcesses), drop, ...argv],
        user: `${user + index}:${user}`,
        env,
        stdin: interactive || options.stdin !== undefined,
        ...(options.terminal !== undefined && { terminal: options.terminal }),
        onOutput: (stream, chunk) => {
          if (!refusal.take(chunk)) recorder.push(stream, chunk);
        },
      });
      started
        .then((exec) => exec.ended)
        .then(finish)
        .catch((error: unknown) => {
          ended = true;
          release();
          recorder.fail(error);
        });
      const process = recordedProcess(recorder, started);
      // Not waited for: a program that does not read must not hold up the one who started it.
      const given = options.stdin === undefined ? Promise.resolve() : process.write(options.stdin);
      given.then(() => (interactive ? undefined : process.closeStdin())).catch(() => undefined);
      return process;
    },
  };
}
