/**
 * One conversation: instructions, tools, activation, pins, approvals, ledger. The one deep module: adapters only translate it.
 */
export { type Artifact, type ArtifactStore, memoryArtifactStore } from "./artifact-store.ts";
export type { Ledger, LedgerEntry, LedgerKind } from "./ledger.ts";
export { withSessions } from "./open-session.ts";
export { mayUserActivate } from "./session-context.ts";
export { memorySessionStore, type SessionStore, type StoredFact } from "./session-store.ts";
export type {
  ActiveSkill,
  ApprovalDecision,
  Approve,
  ForkRequest,
  Grant,
  HistoryMessage,
  Hubs,
  Lifecycle,
  McpConnection,
  McpHub,
  RehydrateOptions,
  RequestView,
  SessionOptions,
  SkillLibrary,
  SkillSession,
  ToolsOnLoad,
} from "./skill-session.ts";
export type { Approval, Media, SkillTool, ToolCallOptions, ToolResult } from "./skill-tool.ts";
