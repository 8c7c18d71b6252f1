import { acceptedContent, type InputRequiredResult, inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import type { Approval } from "../../session/index.ts";

/** What a person answered, and in which session it was asked. */
export interface Answer {
  readonly id: string;
  readonly approved: boolean;
  readonly session?: string;
}

/** Asks the client's person about a call that waits for approval. */
export function askPerson({ id, summary }: Approval, session: string): InputRequiredResult {
  return inputRequired({
    requestState: JSON.stringify({ id, session }),
    inputRequests: {
      approve: inputRequired.elicit({
        message: summary,
        requestedSchema: { type: "object", properties: { approve: { type: "boolean", title: "Allow this?" } }, required: ["approve"] },
      }),
    },
  });
}

/** The answer that a request brings back; the state passed through the client, so nothing is taken from it but which question is meant. */
export function answerOf(ctx: ServerContext): Answer | undefined {
  const state = ctx.mcpReq.requestState<unknown>();
  if (typeof state !== "string") return undefined;
  let asked: unknown;
  try {
    asked = JSON.parse(state);
  } catch {
    return undefined;
  }
  const { id, session } = (asked ?? {}) as { id?: unknown; session?: unknown };
  if (typeof id !== "string") return undefined;
  const approved = acceptedContent(ctx.mcpReq.inputResponses, "approve")?.approve === true;
  return { id, approved, ...(typeof session === "string" ? { session } : {}) };
}
