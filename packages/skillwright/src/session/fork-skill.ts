import type { Outcome } from "../dialects/index.ts";
import type { HeldSkill } from "./held-skill.ts";
import { fault, type OperationCall, type SessionContext } from "./session-context.ts";
import type { SkillExtensions } from "./skill-extensions.ts";

/** Hands a skill to a sub-agent of the host's; what the host does not offer is a result that says so. */
export async function forkSkill(
  context: SessionContext,
  held: HeldSkill,
  content: string,
  extensions: SkillExtensions,
  call: OperationCall,
): Promise<Outcome> {
  const { hosts } = context.options;
  if (hosts?.agents === undefined) {
    return fault(context, "hub-missing", held.name, {
      detail: `It asks to run apart (context: ${extensions.fork}), and no agents are configured.`,
      retryable: false,
    });
  }
  if (extensions.model !== undefined && (hosts.models === undefined || !(await hosts.models(extensions.model)))) {
    return fault(context, "hub-missing", held.name, {
      detail: `Its model "${extensions.model}" is not known to this host.`,
      retryable: false,
    });
  }
  try {
    const results = await hosts.agents({
      skill: held.name,
      agent: extensions.agent,
      ...(extensions.model === undefined ? {} : { model: extensions.model }),
      mode: extensions.fork ?? "fork",
      content,
      input: call.input,
      callId: call.callId,
      ...(extensions.fork === "fork_with_context" && context.history !== undefined ? { history: context.history } : {}),
      ...(call.signal ? { signal: call.signal } : {}),
    });
    return { kind: "forked", name: held.name, results };
  } catch (error) {
    // An abort or an interrupt of the host's is the host's: it passes through.
    if (call.signal?.aborted || !(error instanceof Error) || error.name !== "Error") throw error;
    return fault(context, "fork-failed", held.name, { detail: error.message, retryable: false });
  }
}
