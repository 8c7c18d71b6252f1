import { Worker } from "node:worker_threads";
import { SkillError, type SkillErrorCode } from "../../core/index.ts";
import type { WorkerAnswers, WorkerFault, WorkerReply, WorkerRequest, WorkerSetup } from "./worker-messages.ts";

/** A thread that holds a workspace in memory and runs programs in it. */
export interface WorkerClient {
  call<Operation extends WorkerRequest["operation"]>(
    request: Extract<WorkerRequest, { operation: Operation }>,
  ): Promise<WorkerAnswers[Operation]>;
  /** Ends the thread; open calls fail. */
  end(): Promise<void>;
  /** Settles when the thread is gone, with the reason why where it was not asked to go. */
  readonly gone: Promise<"ended" | "memory" | "failed">;
}

/** Starts a thread. */
export function startWorker(setup: WorkerSetup): WorkerClient {
  const open = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./virtual-worker.${ending}`, import.meta.url), {
    workerData: setup,
    env: {},
    argv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: Math.max(64, Math.ceil(setup.limits.maxMemoryBytes / (1024 * 1024))) },
  });
  // What a package prints about itself is nobody's output.
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();
  let count = 0;
  let asked = false;
  let fault: Error | undefined;

  const gone = new Promise<"ended" | "memory" | "failed">((resolve) => {
    worker.once("error", (error) => {
      fault = error instanceof Error ? error : new Error(String(error));
    });
    worker.once("exit", () => {
      const memory = (fault as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
      for (const call of open.values()) call.reject(failure(fault, asked));
      open.clear();
      resolve(memory ? "memory" : asked ? "ended" : "failed");
    });
  });
  worker.on("message", (reply: WorkerReply) => {
    const call = open.get(reply.number);
    open.delete(reply.number);
    if (open.size === 0) worker.unref();
    if ("fault" in reply) call?.reject(toError(reply.fault));
    else call?.resolve(reply.value);
  });

  return {
    call: (request) =>
      new Promise((resolve, reject) => {
        const number = ++count;
        open.set(number, { resolve: resolve as (value: unknown) => void, reject });
        // A forgotten workspace must not keep the host alive; a running one must.
        worker.ref();
        worker.postMessage({ number, request });
      }),
    end: async () => {
      asked = true;
      await worker.terminate();
    },
    gone,
  };
}

function failure(fault: Error | undefined, asked: boolean): SkillError {
  const missing = (fault as NodeJS.ErrnoException | undefined)?.code === "ERR_MODULE_NOT_FOUND" && /just-bash/.test(fault?.message ?? "");
  if (missing) {
    return new SkillError("peer-missing", "This sandbox needs the package just-bash, which is not installed.", {
      hint: "Run: npm install just-bash",
      data: { package: "just-bash" },
      cause: fault,
    });
  }
  if (asked) return new SkillError("workspace-closed", "The workspace is closed.", { hint: "Open a new one." });
  return new SkillError("sandbox-failed", `The interpreter's thread ended: ${fault?.message ?? "without a word"}`, {
    hint: "Give the run less to do, or use a sandbox with processes of its own.",
    ...(fault && { cause: fault }),
  });
}

function toError(fault: WorkerFault): Error {
  if (fault.code === undefined) return new SkillError("sandbox-failed", fault.message, { hint: "Look at the command that was run." });
  return new SkillError(fault.code as SkillErrorCode, fault.message, {
    ...(fault.hint !== undefined && { hint: fault.hint }),
    ...(fault.data && { data: fault.data }),
  });
}
