import type { Digest, Limits, OnEvent } from "../core/index.ts";
import type { RunResult, Sandbox, SandboxPolicy, SandboxProcess } from "./sandbox.ts";

/** A skill as the workspace stages it: names and bytes, nothing of the format. */
export interface SkillToStage {
  readonly name: string;
  /** Every file of the skill. */
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly mode: number }[];
  read(path: string): Promise<Uint8Array>;
  /** Equal keys mean equal content: unchanged content is not read again. */
  readonly key: string;
}

/** Where a skill was staged. */
export interface StagedSkill {
  /** The folder as programs see it. */
  readonly dir: string;
  /** Its working directory as programs see it. */
  readonly workDir: string;
  readonly treeDigest: Digest;
  /** Whether nothing had to be copied. */
  readonly reused: boolean;
}

/** One file that a run produced. */
export interface OutputFile {
  /** Workspace-relative: `out/report.csv`, `work/skills/ocr/output.txt`. */
  readonly path: string;
  readonly bytes: number;
  readonly mediaType: string;
  readonly digest: Digest;
  /** The text, where it is text and short enough to show. */
  readonly text?: string;
}

/** What every run takes. */
export interface RunRequest {
  readonly skill?: SkillToStage;
  /** Variables granted to this run by name, resolved by the host; never recorded. */
  readonly grants?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** `$WORK_DIR/x`, `skills/x`, or relative to the skill's working directory. */
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  readonly timeoutMs?: number;
  /** Globs of files to return beside what was written to `$OUTPUT_DIR` and the working directory. */
  readonly outputs?: readonly string[];
  readonly onOutput?: (stream: "stdout" | "stderr", text: string) => void;
  readonly signal?: AbortSignal;
}

/** A script of a skill with its arguments. */
export interface ScriptRequest extends RunRequest {
  readonly skill: SkillToStage;
  /** Relative to the skill's folder. */
  readonly script: string;
  readonly argv: readonly string[];
}

/** A shell line. */
export interface CommandRequest extends RunRequest {
  readonly command: string;
}

/** How a run ended and what it produced. */
export interface RunReport extends RunResult {
  readonly runId: string;
  readonly outputs: readonly OutputFile[];
  /** What a reader should know: output cut, files skipped and why. */
  readonly warnings: readonly string[];
}

/** A program that goes on between calls. */
export interface InteractiveRun {
  readonly runId: string;
  readonly process: SandboxProcess;
  /** What was printed since an offset, in UTF-16 units. */
  output(offset: number): { readonly text: string; readonly next: number };
  /** The report, once it has ended. */
  readonly report: Promise<RunReport>;
}

/** Options of {@link openSkillWorkspace}. */
export interface SkillWorkspaceOptions {
  readonly sandbox: Sandbox;
  readonly sessionId: string;
  readonly limits: Limits;
  readonly policy?: SandboxPolicy;
  /** Whether events carry what runs print. @default false */
  readonly recordContent?: boolean;
  readonly onEvent?: OnEvent;
  readonly signal?: AbortSignal;
}

/** A session's workspace with the layout of skills, inputs, runs and outputs; opened on the first use. */
export interface SkillWorkspace {
  readonly sandbox: Sandbox;
  /** Copies a skill in where its content changed, read-only for runs; concurrent calls stage once. */
  stage(skill: SkillToStage, options?: { readonly signal?: AbortSignal }): Promise<StagedSkill>;
  /** Puts a file into `work/inputs/`; answers its path as a command names it: `inputs/name`; equal names get `-2`. */
  putFile(name: string, data: Uint8Array): Promise<string>;
  /** Names of the files in `work/inputs/`. */
  inputs(): Promise<readonly string[]>;
  runScript(request: ScriptRequest): Promise<RunReport>;
  runCommand(request: CommandRequest): Promise<RunReport>;
  startCommand(request: CommandRequest & { readonly terminal?: boolean }): Promise<InteractiveRun>;
  /** @throws SkillError `file-not-found`, `path-outside-root`, `limit-exceeded` */
  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  close(): Promise<void>;
}
