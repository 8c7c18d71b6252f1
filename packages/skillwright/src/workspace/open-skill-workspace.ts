import { SkillError, throwIfAborted } from "../core/index.ts";
import { collectOutputs, type Snapshot, takeSnapshot } from "./collect-outputs.ts";
import { interactiveOutput } from "./interactive-output.ts";
import { grantRedactor, type Redactor } from "./redact-grants.ts";
import { runEnvironment } from "./run-environment.ts";
import type { RunOptions, RunResult, Workspace } from "./sandbox.ts";
import { scriptCommand } from "./script-command.ts";
import type {
  CommandRequest,
  InteractiveRun,
  RunReport,
  RunRequest,
  ScriptRequest,
  SkillToStage,
  SkillWorkspace,
  SkillWorkspaceOptions,
} from "./skill-workspace.ts";
import { openSkillStage, type SkillStage } from "./stage-skills.ts";
import {
  freeName,
  layout,
  placeVariables,
  type RunPlace,
  readOnlyFolders,
  resolveFile,
  resolveFolder,
  safeFileName,
  workingFolder,
} from "./workspace-layout.ts";

/** How many run folders stay readable for later commands of the session. */
const keptRuns = 16;

interface Opened {
  readonly workspace: Workspace;
  readonly skills: SkillStage;
  readonly inputs: Set<string>;
  readonly published: Set<string>;
  readonly runs: string[];
}

interface PreparedRun {
  readonly opened: Opened;
  readonly place: RunPlace;
  readonly working: string;
  readonly before: Snapshot;
  readonly options: RunOptions;
  readonly redactor: Redactor;
  readonly startedAt: number;
}

/**
 * Opens a session's workspace; nothing is made before the first use.
 * @throws SkillError `workspace-closed` after `close`, and what the sandbox throws when it is opened
 */
export function openSkillWorkspace(options: SkillWorkspaceOptions): SkillWorkspace {
  const { sandbox, sessionId, limits } = options;
  const emit = options.onEvent ?? (() => undefined);
  const closing = new AbortController();
  const active = new Set<Promise<unknown>>();
  // Not every sandbox has bash; what was found is remembered.
  let shell: "bash" | "sh" = "bash";
  let opening: Promise<Opened> | undefined;

  const open = async (): Promise<Opened> => {
    const workspace = await sandbox.open({
      sessionId,
      limits,
      policy: options.policy ?? { network: "none" },
      readOnly: readOnlyFolders,
      ...(options.signal && { signal: options.signal }),
    });
    await workspace.writeFiles(
      [layout.skills, layout.inputs, layout.workingFolders, layout.runs, layout.out].map((folder) => ({ path: `${folder}/` })),
    );
    const filesIn = async (folder: string): Promise<Set<string>> => new Set((await workspace.list(folder)).map((entry) => entry.path));
    const skills = openSkillStage({
      workspace,
      limits,
      readOnly: sandbox.promises.skillsReadOnly,
      onTampered: (skill) =>
        emit({
          type: "session-diagnostic",
          sessionId,
          diagnostic: {
            severity: "warning",
            code: "staged-skill-changed",
            message: `A run changed the staged copy of ${JSON.stringify(skill)}; it was replaced.`,
            location: `${workspace.root}/${layout.skills}`,
            hint: "Use a sandbox that keeps skills read-only, such as bubblewrapSandbox or containerSandbox.",
          },
        }),
    });
    return { workspace, skills, inputs: await filesIn(layout.inputs), published: await filesIn(layout.out), runs: [] };
  };

  const opened = (): Promise<Opened> => {
    if (closing.signal.aborted) {
      throw new SkillError("workspace-closed", "The workspace of this session is closed.", { hint: "Open a new session to run more." });
    }
    if (opening === undefined) {
      const attempt = open();
      opening = attempt;
      // A failed opening may be tried again.
      attempt.catch(() => {
        if (opening === attempt) opening = undefined;
      });
    }
    return opening;
  };

  const prepare = async (request: RunRequest): Promise<PreparedRun> => {
    throwIfAborted(request.signal);
    const own = await opened();
    const { workspace } = own;
    const staged = request.skill && (await own.skills.stage(request.skill, request.signal));
    const place: RunPlace = {
      root: workspace.root,
      runId: crypto.randomUUID().replaceAll("-", "").slice(0, 12),
      ...(request.skill && staged && { skill: { name: request.skill.name, folder: staged.folder } }),
    };
    const cwd = resolveFolder(request.cwd, place);
    const env = runEnvironment({ ...placeVariables(place), PYTHONDONTWRITEBYTECODE: "1" }, request.env, request.grants);
    await workspace.writeFiles([{ path: `${layout.runs}/${place.runId}/out/` }]);
    const working = workingFolder(place.skill?.folder);
    const redactor = grantRedactor(request.grants);
    const wanted = request.timeoutMs ?? limits.runTimeoutMs;
    const timeoutMs = wanted > 0 ? Math.min(wanted, limits.runTimeoutMs) : limits.runTimeoutMs;
    return {
      opened: own,
      place,
      working,
      // Without a skill the working directory is all of work/, which is everybody's.
      before: await takeSnapshot(workspace, working),
      redactor,
      startedAt: Date.now(),
      options: {
        cwd,
        env,
        timeoutMs,
        maxOutputBytes: limits.maxOutputBytes,
        ...(request.stdin !== undefined && { stdin: request.stdin }),
        signal: request.signal ? AbortSignal.any([request.signal, closing.signal]) : closing.signal,
      },
    };
  };

  const started = (run: PreparedRun, argv: readonly string[]): void => {
    const skill = run.place.skill?.name;
    const shown = argv.map((argument) => run.redactor.redact(argument));
    emit({
      type: "run-started",
      sessionId,
      runId: run.place.runId,
      sandbox: sandbox.id,
      argv: shown,
      ...(skill !== undefined && { skill }),
    });
  };

  const outputListener = (
    run: PreparedRun,
    request: RunRequest,
  ): { readonly listen: (stream: "stdout" | "stderr", chunk: Uint8Array) => void; readonly end: () => void } => {
    const streams = new Map(
      (["stdout", "stderr"] as const).map((name) => [name, { decoder: new TextDecoder(), clean: run.redactor.stream() }]),
    );
    const tell = (stream: "stdout" | "stderr", text: string): void => {
      if (text === "") return;
      request.onOutput?.(stream, text);
      if (options.recordContent === true) emit({ type: "run-output", sessionId, runId: run.place.runId, stream, text });
    };
    return {
      listen: (stream, chunk) => {
        const state = streams.get(stream);
        if (state) tell(stream, state.clean.push(state.decoder.decode(chunk, { stream: true })));
      },
      end: () => {
        for (const [stream, state] of streams) tell(stream, state.clean.push(state.decoder.decode()) + state.clean.end());
      },
    };
  };

  const finish = async (run: PreparedRun, request: RunRequest, result: RunResult, extraWarnings: readonly string[]): Promise<RunReport> => {
    const { workspace, published, runs } = run.opened;
    const { runId } = run.place;
    const collected = await collectOutputs({
      workspace,
      limits,
      redactor: run.redactor,
      runId,
      working: run.working,
      before: run.before,
      patterns: (request.outputs ?? []).map((pattern) => resolveFolder(pattern, run.place)),
      published,
    });
    runs.push(runId);
    if (runs.length > keptRuns) await workspace.remove(`${layout.runs}/${runs.shift()}`);
    emit({
      type: "run-finished",
      sessionId,
      runId,
      exitCode: result.exitCode,
      reason: result.reason,
      durationMs: Date.now() - run.startedAt,
      outputs: collected.outputs.map(({ path, bytes }) => ({ path, bytes })),
    });
    return {
      ...result,
      stdout: run.redactor.redactCut(result.stdout, result.truncated.stdout),
      stderr: run.redactor.redactCut(result.stderr, result.truncated.stderr),
      runId,
      outputs: collected.outputs,
      warnings: [...extraWarnings, ...explain(result, limits.maxTotalOutputBytes), ...collected.warnings],
    };
  };

  /** Keeps the workspace open until what was begun is over. */
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    active.add(work);
    const forget = (): void => {
      active.delete(work);
    };
    work.then(forget, forget);
    return work;
  };

  const run = async (request: RunRequest, plan: (run: PreparedRun) => Promise<Plan> | Plan): Promise<RunReport> => {
    const prepared = await prepare(request);
    const { argv, warnings, refused } = await plan(prepared);
    if (refused !== undefined) return finish(prepared, request, notStarted(refused), []);
    started(prepared, argv);
    const output = outputListener(prepared, request);
    const runOptions = { ...prepared.options, onOutput: output.listen };
    const { workspace } = prepared.opened;
    let result = await workspace.run(argv, runOptions);
    if (result.reason === "start-failed" && argv[0] === "bash") {
      const other = await workspace.run(["sh", ...argv.slice(1)], runOptions);
      if (other.reason !== "start-failed") [shell, result] = ["sh", other];
    }
    output.end();
    return finish(prepared, request, result, warnings ?? []);
  };

  return {
    sandbox,

    async stage(skill, stageOptions) {
      const { skills } = await opened();
      const { folder: _folder, ...staged } = await skills.stage(skill, stageOptions?.signal);
      return staged;
    },

    async putFile(name, data) {
      const { workspace, inputs } = await opened();
      const path = freeName(`${layout.inputs}/${safeFileName(name)}`, (taken) => inputs.has(taken));
      inputs.add(path);
      await workspace.writeFiles([{ path, data }]);
      return path.slice(layout.work.length + 1);
    },

    async inputs() {
      const { workspace } = await opened();
      const entries = await workspace.list(layout.inputs);
      return entries.filter((entry) => entry.kind === "file").map((entry) => entry.path.slice(layout.inputs.length + 1));
    },

    async runScript(request) {
      const script = findScript(request);
      const plan = async ({ place }: PreparedRun): Promise<Plan> => {
        const head = (await request.skill.read(script.path)).subarray(0, 4096);
        const path = `${placeVariables(place).SKILL_DIR}/${script.path}`;
        const command = scriptCommand({ path, mode: script.mode, head }, request.argv);
        return command.ok ? command : { argv: [], refused: command.reason };
      };
      return track(run(request, plan));
    },

    async runCommand(request) {
      return track(run(request, () => ({ argv: shellLine(shell, request) })));
    },

    async startCommand(request): Promise<InteractiveRun> {
      const { workspace } = await opened();
      if (workspace.start === undefined) {
        throw new SkillError("configuration-invalid", `The sandbox ${sandbox.id} cannot run interactive commands.`, {
          hint: "Use run_command, or a sandbox whose promises say `interactive`: bubblewrap, container, local.",
        });
      }
      if (request.terminal === true && !sandbox.promises.terminal) {
        throw new SkillError("configuration-invalid", `The sandbox ${sandbox.id} has no terminals here.`, {
          hint: "Run the command without a terminal, or install util-linux where the sandbox makes them with `script`.",
        });
      }
      const prepared = await prepare(request);
      const argv = shellLine(shell, request);
      started(prepared, argv);
      const listener = outputListener(prepared, request);
      const log = interactiveOutput(prepared.redactor, limits.maxOutputBytes);
      const process = await workspace.start(argv, {
        ...prepared.options,
        ...(request.terminal === true && { terminal: true }),
        onOutput: (stream, chunk) => {
          listener.listen(stream, chunk);
          log.push(stream, chunk);
        },
      });
      const report = track(
        process.exited.then((result) => {
          listener.end();
          log.end();
          return finish(prepared, request, result, []);
        }),
      );
      // Who only polls never asks for the report.
      report.catch(() => undefined);
      return { runId: prepared.place.runId, process, output: log.since, report };
    },

    async readFile(path, readOptions) {
      const { workspace } = await opened();
      const resolved = resolveFile(path, workspace.root);
      if (resolved === undefined) {
        throw new SkillError("path-outside-root", `${JSON.stringify(path.slice(0, 200))} is outside the workspace.`, {
          hint: "Name a file below the workspace, such as out/report.csv.",
        });
      }
      return workspace.read(resolved, { maxBytes: readOptions?.maxBytes ?? limits.maxFileBytes });
    },

    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await Promise.allSettled(active);
      const own = await opening?.catch(() => undefined);
      await own?.workspace.close();
    },
  };
}

interface Plan {
  readonly argv: readonly string[];
  readonly warnings?: readonly string[];
  /** Why nothing is started. */
  readonly refused?: string;
}

function shellLine(shell: string, request: CommandRequest): readonly string[] {
  return [shell, "-c", request.command.replaceAll("\r\n", "\n")];
}

/** The script as the skill lists it: exactly, or below `scripts/`. */
function findScript(request: ScriptRequest): SkillToStage["files"][number] {
  const wanted = request.script.replaceAll("\\", "/").replace(/^(\.\/)+/, "");
  const files = new Map(request.skill.files.map((file) => [file.path, file]));
  const script = files.get(wanted) ?? files.get(`scripts/${wanted}`);
  if (script !== undefined) return script;
  const scripts = [...files.keys()].filter((path) => path.startsWith("scripts/")).slice(0, 20);
  throw new SkillError(
    "file-not-found",
    `The skill ${JSON.stringify(request.skill.name)} has no script ${JSON.stringify(request.script.slice(0, 200))}.`,
    {
      hint:
        scripts.length === 0
          ? "It has no scripts folder; use run_command for the commands that its text shows."
          : `It has: ${scripts.join(", ")}.`,
      data: { scripts },
    },
  );
}

function notStarted(reason: string): RunResult {
  return { exitCode: null, reason: "start-failed", stdout: "", stderr: reason, truncated: { stdout: 0, stderr: 0 }, durationMs: 0 };
}

function explain(result: RunResult, maxTotalOutputBytes: number): string[] {
  const warnings: string[] = [];
  if (result.reason === "output-limit") warnings.push(`The run was ended: it printed more than ${maxTotalOutputBytes} bytes.`);
  if (result.reason === "timeout") warnings.push("The run was ended: its time was up. What it had printed and written so far is here.");
  if (result.reason === "memory-limit") warnings.push("The run was ended: it used more memory than it may.");
  if (result.reason === "disk-limit") warnings.push("The run was ended: it wrote more than it may.");
  for (const stream of ["stdout", "stderr"] as const) {
    if (result.truncated[stream] > 0)
      warnings.push(`${stream} was cut by ${result.truncated[stream]} bytes; write long results to $OUTPUT_DIR.`);
  }
  return warnings;
}
