import { Client, type ClientOptions, InMemoryTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { SkillLibrary } from "skillwright";
import { type McpOptions, type McpSkills, toMcp } from "skillwright/adapters/mcp";
import { expect, onTestFinished } from "vitest";

/** Versions of the protocol as a client asks for them: with an initialize handshake, and with an envelope in every request. */
export type Era = "2025" | "2026";

/** A client of a library, in memory; everything is closed after the test. */
export async function connect(
  library: SkillLibrary,
  options: McpOptions & { readonly era?: Era; readonly client?: ClientOptions; readonly skills?: McpSkills } = {},
): Promise<{ client: Client; skills: SkillsClient; server: McpSkills }> {
  const { era = "2025", client: clientOptions, skills: given, ...rest } = options;
  const server = given ?? toMcp(library, rest);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(server.server, { transport: far });
  const client = new Client(
    { name: "test", version: "1" },
    { ...clientOptions, versionNegotiation: { mode: era === "2026" ? { pin: "2026-07-28" } : "legacy" } },
  );
  await client.connect(near);
  onTestFinished(async () => {
    await client.close();
    await handle.close();
    await server.close();
  });
  return { client, skills: new SkillsClient(client), server };
}

/** The text of a tool's answer. */
export function textOf(result: unknown): string {
  const { content = [] } = result as { content?: readonly { readonly type: string; readonly text?: string }[] };
  return content.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("\n");
}

/** Waits for what comes in its own time, however busy the machine is. */
export function eventually<Value>(look: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(look, { timeout: 20_000, interval: 20 });
}
