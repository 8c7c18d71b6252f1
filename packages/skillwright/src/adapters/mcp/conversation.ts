import type { CallToolResult, ContentBlock, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { type ArtifactStore, memoryArtifactStore, type SessionOptions, type SkillLibrary, type SkillSession } from "../../session/index.ts";
import { type Answer, askPerson } from "./ask-person.ts";
import { artifactLink, failedCall, toCallResult } from "./call-result.ts";
import { searchableDialect } from "./searchable-dialect.ts";

/** A session that answers calls of the protocol, and the files its runs made. */
export interface Conversation {
  readonly session: SkillSession;
  readonly artifacts: ArtifactStore;
  call(request: CallRequest): Promise<CallToolResult | InputRequiredResult>;
  close(): Promise<void>;
}

/** One call. */
export interface CallRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly ctx: ServerContext;
  /** What a person said about this very call. */
  readonly answer?: Answer | undefined;
  /** Whether the client can ask its person. */
  readonly canAsk: boolean;
  /** What stands after the answer. */
  readonly after?: readonly ContentBlock[];
}

/** Opens a session for calls that may belong to any number of conversations: it follows the files, and says everything in full. */
export async function openConversation(library: SkillLibrary, options: SessionOptions): Promise<Conversation> {
  const artifacts = options.artifacts ?? memoryArtifactStore();
  const dialect = options.dialect ?? searchableDialect();
  const session = await library.openSession({
    pin: "latest",
    ...options,
    ...(dialect === undefined ? {} : { dialect }),
    artifacts,
    conversation: "many",
  });
  const linked = new Map<string, number>();

  async function newArtifacts(): Promise<ContentBlock[]> {
    const fresh = (await session.artifacts()).filter(({ name, version }) => version > (linked.get(name) ?? -1));
    for (const { name, version } of fresh) linked.set(name, version);
    return fresh.map((artifact) => artifactLink(session.id, artifact));
  }

  return {
    session,
    artifacts,
    async call({ tool, input, ctx, answer, canAsk, after = [] }) {
      const { signal } = ctx.mcpReq;
      const onOutput = progressOf(ctx);
      const options = { signal, ...(onOutput === undefined ? {} : { onOutput }) };
      try {
        const result =
          answer === undefined
            ? await session.call(tool, input, { ...options, callId: crypto.randomUUID() })
            : await session.resolve(answer.id, { approved: answer.approved }, options);
        if (result.pending !== undefined && canAsk) return askPerson(result.pending, session.id);
        const skill = Object.values(input).find((value) => typeof value === "string" && library.catalog.get(value) !== undefined);
        return toCallResult(result.pending === undefined ? result : { ...result, isError: true, text: `${result.text} ${cannotAsk}` }, {
          ...(typeof skill === "string" ? { skill: library.catalog.get(skill)?.name ?? skill } : {}),
          after: [...(await newArtifacts()), ...after],
        });
      } catch (error) {
        // Nobody waits for the answer to a cancelled call.
        if (signal.aborted) throw error;
        return failedCall(error);
      }
    },
    close: () => session.close(),
  };
}

const cannotAsk = "This client has no way to ask its user, so it cannot be approved here.";
const maxProgressText = 2_000;

/** Live output as progress, where the client asked for it. */
function progressOf(ctx: ServerContext): ((stream: "stdout" | "stderr", text: string) => void) | undefined {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (_stream, text) => {
    progress += 1;
    const params = { progressToken, progress, message: text.slice(-maxProgressText) };
    ctx.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}
