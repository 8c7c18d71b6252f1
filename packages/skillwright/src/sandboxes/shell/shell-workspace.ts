import { randomUUID } from "node:crypto";
import { SkillError, throwIfAborted } from "../../core/index.ts";
import type { OpenWorkspaceOptions, SandboxProcess, StartOptions, Workspace } from "../../workspace/index.ts";
import { diskWorkspace } from "../process/disk-workspace.ts";
import { refusedLaunch } from "../process/refused-launch.ts";
import { type Conclusion, concludeSignal } from "../process/supervise-process.ts";
import { checkFileScript, listScript, removeScript, scriptExit, unpackScript } from "./file-scripts.ts";
import { remoteRunMark, remoteStartScript, remoteSweepScript } from "./remote-start-script.ts";
import { type RunRecorder, recordedProcess, runRecorder } from "./run-recorder.ts";
import { type ScriptOutput, shellFiles } from "./shell-files.ts";
import type { ShellHost } from "./shell-host.ts";
import { shellQuote } from "./shell-quote.ts";
import { explainRefusal, refusalReader } from "./start-refusal.ts";

/** A line is one argument of a shell, and a kernel takes no longer one. */
const maxLineBytes = 120 * 1024;

/** Makes a workspace on a machine elsewhere that runs shell lines. @throws SkillError `configuration-invalid`, `sandbox-unavailable` */
export async function openShellWorkspace(host: ShellHost, request: OpenWorkspaceOptions): Promise<Workspace> {
  throwIfAborted(request.signal);
  if ((request.mounts ?? []).length > 0) {
    throw new SkillError("configuration-invalid", "Folders of this machine cannot be mounted in a sandbox elsewhere.", {
      hint: "Hand files in with putFile, or use a sandbox of this machine.",
    });
  }
  const { limits } = request;
  const home = `${host.folder.replace(/\/$/, "")}/skillwright-${randomUUID()}`;
  const root = `${home}/root`;
  const sweeps = new Set<Promise<unknown>>();

  /** Runs a short command of the host's own; its input is a file that goes with it. */
  const command = async (
    argv: readonly string[],
    options: { readonly maxBytes?: number; readonly input?: string } = {},
  ): Promise<ScriptOutput> => {
    const { maxBytes = 1024 * 1024, input } = options;
    const kept: Uint8Array[] = [];
    let bytes = 0;
    let stderr = "";
    const line = shellQuote(argv);
    const file = shellQuote([input ?? "/dev/null"]);
    const program = await host.start(input === undefined ? `${line} <${file}` : `${line} <${file}; code=$?; rm -f ${file}; exit $code`, {
      stdin: false,
      onOutput: (stream, chunk) => {
        if (stream === "stderr") stderr = (stderr + new TextDecoder().decode(chunk)).slice(0, 4096);
        else if (bytes < maxBytes) {
          kept.push(chunk.subarray(0, maxBytes - bytes));
          bytes += chunk.length;
        }
      },
    });
    return { code: await program.ended, stdout: Buffer.concat(kept), stderr };
  };
  const script = (
    text: string,
    args: readonly string[],
    options?: { readonly maxBytes?: number; readonly input?: string },
  ): Promise<ScriptOutput> => command(["sh", "-c", text, "sh", root, ...args], options);

  /** Puts data where programs do not look for it. */
  const store = async (data: Uint8Array | string): Promise<string> => {
    const path = `${home}/host/${randomUUID()}`;
    await host.write(path, typeof data === "string" ? Buffer.from(data) : data);
    return path;
  };

  const made = await command([
    "mkdir",
    "-p",
    `${home}/host`,
    ...[...(request.readOnly ?? []), "work"].map((folder) => `${root}/${folder}`),
  ]);
  if (made.code !== 0) {
    throw new SkillError(
      "sandbox-unavailable",
      `No workspace can be made in ${host.folder}: ${made.stderr.trim() || `exit code ${made.code}`}`,
      {
        hint: "Name a folder of the sandbox that programs may write to.",
      },
    );
  }

  const sweep = (mark: string): void => {
    const sweeping: Promise<unknown> = command(["sh", "-c", remoteSweepScript, "sh", mark])
      .catch(() => undefined)
      .finally(() => sweeps.delete(sweeping));
    sweeps.add(sweeping);
  };

  const launch = async (argv: readonly string[], options: StartOptions, interactive: boolean): Promise<SandboxProcess> => {
    const folder = options.cwd ?? "work";
    const token = randomUUID();
    const refusal = refusalReader(token);
    const bounds = [Math.max(1, Math.ceil(limits.runCpuMs / 1000)), Math.ceil(limits.maxFileBytes / 512)].map(String);
    let line = `exec ${shellQuote(["sh", "-c", remoteStartScript, "sh", token, root, `${root}/${folder}`, ...bounds, ...argv])}`;
    if (Buffer.byteLength(line) > maxLineBytes)
      return refusedLaunch("The arguments are too long for a sandbox elsewhere; pass a file instead.");

    const input = interactive || options.stdin === undefined ? undefined : await store(options.stdin);
    if (!interactive) line += ` <${shellQuote([input ?? "/dev/null"])}`;

    const recorder: RunRecorder = runRecorder({
      timeoutMs: options.timeoutMs ?? limits.runTimeoutMs,
      maxOutputBytes: options.maxOutputBytes ?? limits.maxOutputBytes,
      maxTotalOutputBytes: limits.maxTotalOutputBytes,
      ...(options.onOutput && { onOutput: options.onOutput }),
      ...(options.signal && { signal: options.signal }),
      // One that was ended before it had begun is ended as soon as it has.
      end: () => {
        started.then((program) => program.kill()).catch(() => undefined);
        sweep(token);
      },
    });
    const started = host.start(line, {
      env: { LANG: "C.UTF-8", ...options.env, [remoteRunMark]: token },
      stdin: interactive,
      onOutput: (stream, chunk) => {
        if (!refusal.take(chunk)) recorder.push(stream, chunk);
      },
    });
    started
      .then((program) => program.ended)
      .then((code) => recorder.settle(conclude(code, refusal.word(), argv[0] ?? "", folder)))
      .catch((error: unknown) => recorder.fail(error))
      .finally(() => {
        sweep(token);
        if (input !== undefined) command(["rm", "-f", input]).catch(() => undefined);
      });
    const process = recordedProcess(recorder, started);
    if (interactive && options.stdin !== undefined) await process.write(options.stdin);
    return process;
  };

  return diskWorkspace({
    root,
    files: shellFiles({
      list: (path, word, maxBytes) => script(listScript, [path, word], { maxBytes }),
      read: async (path, maxBytes) => {
        const check = await script(checkFileScript, [path, String(maxBytes)]);
        if (check.code !== 0) return check;
        const data = await host.read(`${root}/${path}`);
        return data === undefined ? { ...check, code: scriptExit.missing } : { ...check, stdout: data };
      },
      unpack: async (archive, folders) => script(unpackScript, folders, { input: await store(archive) }),
      remove: (path) => script(removeScript, [path]),
      ownerOf: () => "",
      isClosed: () => false,
    }),
    launch,
    onClose: async () => {
      await Promise.all(sweeps);
      await command(["sh", "-c", 'chmod -R u+rwX "$1" 2>/dev/null; rm -rf "$1"', "sh", home]);
    },
  });
}

function conclude(code: number, refused: string | undefined, program: string, folder: string): Conclusion {
  if (refused !== undefined) return { exitCode: null, reason: "start-failed", stderr: explainRefusal(refused, program, folder) };
  return code > 128 && code <= 128 + 31 ? concludeSignal(code - 128) : { exitCode: code, reason: "exited" };
}
