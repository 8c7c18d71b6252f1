import { type Digest, digestOf, type JsonObject } from "../core/index.ts";
import type { Operation } from "../dialects/index.ts";
import type { SessionContext } from "./session-context.ts";
import type { Approval } from "./skill-tool.ts";

/** What is about to run, as far as an answer about it depends on it. */
export interface Question {
  readonly callId: string;
  readonly tool: string;
  readonly operation: Operation | "skill";
  readonly input: JsonObject;
  readonly skill?: string;
  /** Content that the answer is bound to: the script's digest, the command line, the code. */
  readonly subject: string;
  readonly summary: string;
  /** No sandbox is around it: without a policy of the host, a person is asked. */
  readonly unconfined?: boolean;
}

/** How a question was decided without, or by, a person. */
export type Verdict =
  | { readonly kind: "allowed" }
  | { readonly kind: "denied"; readonly reason: string }
  | { readonly kind: "ask"; readonly approval: Approval };

/**
 * Decides whether something may run: by the host's policy, by an answer given for this call,
 * or by an earlier answer for the same content.
 */
export async function decide(context: SessionContext, question: Question, approved: boolean | undefined): Promise<Verdict> {
  const approve = context.options.approve ?? (question.unconfined ? "ask" : "allow");
  if (approve === "allow") return { kind: "allowed" };
  const approval = await approvalOf(question);
  const skill = question.skill === undefined ? undefined : context.library.catalog.get(question.skill);
  const decision =
    typeof approve === "function" ? await approve(approval, { operation: question.operation, ...(skill ? { skill } : {}) }) : approve;
  if (decision === "allow") return { kind: "allowed" };
  if (decision === "deny") return { kind: "denied", reason: "The host's policy does not allow this." };
  const memory = await memoryKey(question);
  if (approved !== undefined) {
    const asked = (await context.facts.read("approval", approval.id)) as unknown as Approval | undefined;
    await context.facts.remove("approval", approval.id);
    if (asked !== undefined && asked.digest !== approval.digest) {
      return { kind: "denied", reason: "What was asked about has changed since the answer was given. Ask again." };
    }
  }
  if (approved === true) {
    await context.facts.write("approved", memory, { callId: question.callId });
    context.emit({ type: "approval-decided", sessionId: context.id, id: approval.id, approved: true });
    return { kind: "allowed" };
  }
  if (approved === false) {
    context.emit({ type: "approval-decided", sessionId: context.id, id: approval.id, approved: false });
    return { kind: "denied", reason: "The user said no." };
  }
  if ((await context.facts.read("approved", memory)) !== undefined) return { kind: "allowed" };
  return { kind: "ask", approval };
}

/** Keeps a question until a person has answered, in this process or another; asked again before that, the first one stands. */
export async function keepPending(context: SessionContext, approval: Approval): Promise<void> {
  context.asked.set(approval.id, approval);
  if (!(await context.facts.write("approval", approval.id, approval as unknown as JsonObject, { once: true }))) return;
  context.emit({ type: "approval-requested", sessionId: context.id, id: approval.id, digest: approval.digest, summary: approval.summary });
}

/** The question as data: its digest binds an answer to exactly this call on exactly this content. */
async function approvalOf(question: Question): Promise<Approval> {
  return {
    id: question.callId,
    tool: question.tool,
    input: question.input,
    digest: await digestOf(JSON.stringify([question.tool, question.input, question.subject])),
    summary: question.summary,
    ...(question.skill === undefined ? {} : { skill: question.skill }),
  };
}

/** Answers are remembered by content alone, so that other arguments do not ask again and a changed script does. */
function memoryKey(question: Question): Promise<Digest> {
  return digestOf(JSON.stringify([question.operation, question.skill ?? "", question.subject]));
}
