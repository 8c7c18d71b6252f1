/**
 * Where scripts run: the Sandbox and Workspace contracts, and on top of them the layout of a session's workspace,
 * staging by digest, runs, and the collection of what runs produced.
 */
export { type CappedOutput, cappedOutput } from "./capped-output.ts";
export { openSkillWorkspace } from "./open-skill-workspace.ts";
export type {
  Isolation,
  Mount,
  OpenWorkspaceOptions,
  ProbeResult,
  RunOptions,
  RunReason,
  RunResult,
  Sandbox,
  SandboxPolicy,
  SandboxProcess,
  SandboxPromises,
  StartOptions,
  Workspace,
  WorkspaceEntry,
  WorkspaceFile,
} from "./sandbox.ts";
export type {
  CommandRequest,
  InteractiveRun,
  OutputFile,
  RunReport,
  RunRequest,
  ScriptRequest,
  SkillToStage,
  SkillWorkspace,
  SkillWorkspaceOptions,
  StagedSkill,
} from "./skill-workspace.ts";
