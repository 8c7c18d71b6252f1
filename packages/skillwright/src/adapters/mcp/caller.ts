import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import type { SessionOptions, SkillLibrary, SkillTool, ToolResult } from "../../session/index.ts";
import { answerOf } from "./ask-person.ts";
import { type CallRequest, openConversation } from "./conversation.ts";

/** What a server asks for its clients: tools and what they answer, the user's own commands, files that runs made. */
export interface Caller {
  readonly instructions: string;
  readonly tools: readonly SkillTool[];
  call(request: ToolRequest): Promise<CallToolResult | InputRequiredResult>;
  prompt(name: string, args: string | undefined): Promise<ToolResult>;
  artifact(sessionId: string, name: string): Promise<{ readonly mediaType: string; readonly data: Uint8Array } | undefined>;
  /** Takes up what changed in the library. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/** A call as it arrives. */
export type ToolRequest = Pick<CallRequest, "tool" | "input" | "ctx" | "canAsk">;

/** One session for one connection. `fixedTools` leaves out tools that skills bring, where a list must not depend on earlier calls. */
export async function connectionCaller(
  library: SkillLibrary,
  options: SessionOptions,
  { fixedTools }: { readonly fixedTools: boolean },
): Promise<Caller> {
  const conversation = await openConversation(library, options);
  const { session, artifacts } = conversation;
  return {
    get instructions() {
      return session.instructions;
    },
    get tools() {
      return fixedTools ? session.tools.filter((tool) => tool.operation !== "skill") : session.tools;
    },
    call: (request) => conversation.call({ ...request, answer: answerOf(request.ctx) }),
    prompt: (name, args) => session.activate(name, args),
    async artifact(sessionId, name) {
      const kept = sessionId === session.id ? await artifacts.read(sessionId, name) : undefined;
      return kept && { mediaType: kept.artifact.mediaType, data: kept.data };
    },
    follow: async () => void (await session.beforeRequest()),
    close: () => conversation.close(),
  };
}
