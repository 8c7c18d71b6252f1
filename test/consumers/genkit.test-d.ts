import type { RequestView, SkillSession } from "skillwright";

/** As much of Genkit's middleware as an adapter touches; the real one is used in test/frameworks/genkit. */
interface Part {
  readonly text?: string;
  readonly metadata?: Record<string, unknown>;
}
interface Message {
  readonly role: "system" | "user" | "model" | "tool";
  readonly content: readonly Part[];
}
interface Envelope {
  readonly request: { readonly messages: readonly Message[] };
  readonly currentTurn: number;
}
interface Middleware {
  generate(
    envelope: Envelope,
    context: { readonly abortSignal?: AbortSignal },
    next: (envelope: Envelope) => Promise<unknown>,
  ): Promise<unknown>;
  readonly tools: readonly {
    readonly name: string;
    readonly inputJsonSchema: unknown;
    run(input: unknown, call: { readonly ref: string }): Promise<unknown>;
  }[];
}

/** A session fits the shape of a Genkit middleware: text once in the system message, tools with plain JSON Schema. */
export function consume(session: SkillSession): Middleware {
  return {
    generate: async (envelope, { abortSignal }, next) => {
      const view = await session.beforeRequest({ turn: String(envelope.currentTurn), ...(abortSignal ? { signal: abortSignal } : {}) });
      return next({ ...envelope, request: { messages: withText(envelope.request.messages, view) } });
    },
    tools: session.tools.map((tool) => ({
      name: tool.name,
      inputJsonSchema: tool.inputSchema,
      run: async (input, { ref }) => (await tool.execute(input, { callId: ref })).text,
    })),
  };
}

function withText(messages: readonly Message[], view: RequestView): readonly Message[] {
  const others = messages.filter((message) => !message.content.some((part) => part.metadata?.skillwright === true));
  return [{ role: "system", content: [{ text: view.instructions, metadata: { skillwright: true } }] }, ...others];
}
