import type { Diagnostic } from "./diagnostic.ts";
import type { Digest } from "./digest.ts";

/**
 * Everything the library reports, in one union, for logs, traces, the UI and tests.
 * Skill text, inputs and outputs appear only where a host switched content recording on.
 */
export type SkillEvent = LibraryEvent | SessionEvent | RunEvent | AgentEvent;

/** What happens to a library. */
export type LibraryEvent =
  | { readonly type: "scan-progress"; readonly source: string; readonly candidates: number }
  | {
      readonly type: "catalog-ready";
      readonly revision: number;
      readonly skills: number;
      readonly diagnostics: number;
      readonly durationMs: number;
    }
  | { readonly type: "skills-withheld"; readonly count: number; readonly roots: readonly string[]; readonly hint: string }
  | { readonly type: "diagnostic"; readonly diagnostic: Diagnostic };

/** What happens in a session. */
export type SessionEvent =
  | { readonly type: "session-opened"; readonly sessionId: string; readonly agent: string; readonly restored: boolean }
  | { readonly type: "session-closed"; readonly sessionId: string }
  | {
      readonly type: "tool-call-started";
      readonly sessionId: string;
      readonly callId: string;
      readonly tool: string;
      readonly input?: unknown;
    }
  | {
      readonly type: "tool-call-finished";
      readonly sessionId: string;
      readonly callId: string;
      readonly tool: string;
      readonly isError: boolean;
      readonly tokens: number;
      readonly durationMs: number;
      readonly text?: string;
    }
  | {
      readonly type: "skill-loaded";
      readonly sessionId: string;
      readonly skill: string;
      readonly digest: Digest;
      readonly tokens: number;
      readonly repeated: boolean;
    }
  | {
      readonly type: "skill-unloaded";
      readonly sessionId: string;
      readonly skill: string;
      readonly reason: "asked" | "evicted" | "expired" | "turn-ended" | "removed";
    }
  | {
      readonly type: "resource-read";
      readonly sessionId: string;
      readonly skill: string;
      readonly path: string;
      readonly bytes: number;
      readonly tokens: number;
    }
  | {
      readonly type: "approval-requested";
      readonly sessionId: string;
      readonly id: string;
      readonly digest: Digest;
      readonly summary: string;
    }
  | { readonly type: "approval-decided"; readonly sessionId: string; readonly id: string; readonly approved: boolean }
  | { readonly type: "session-diagnostic"; readonly sessionId: string; readonly diagnostic: Diagnostic };

/** What happens to a process in a sandbox. */
export type RunEvent =
  | {
      readonly type: "run-started";
      readonly sessionId: string;
      readonly runId: string;
      readonly skill?: string;
      readonly sandbox: string;
      /** The program and its arguments; secrets granted to a run are never in it. */
      readonly argv: readonly string[];
    }
  | {
      readonly type: "run-output";
      readonly sessionId: string;
      readonly runId: string;
      readonly stream: "stdout" | "stderr";
      readonly text: string;
    }
  | {
      readonly type: "run-finished";
      readonly sessionId: string;
      readonly runId: string;
      readonly exitCode: number | null;
      readonly reason: string;
      readonly durationMs: number;
      readonly outputs: readonly { readonly path: string; readonly bytes: number }[];
    };

/** What happens in the agent loop. */
export type AgentEvent =
  | { readonly type: "step-started"; readonly step: number }
  | {
      readonly type: "step-finished";
      readonly step: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly durationMs: number;
    }
  | { readonly type: "text"; readonly text: string };

/** The one callback through which the library speaks; it must not throw. */
export type OnEvent = (event: SkillEvent) => void;
