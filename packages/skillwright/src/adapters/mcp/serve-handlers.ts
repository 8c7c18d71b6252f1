import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpServer,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
  type StandardSchemaWithJSON,
  type Tool,
} from "@modelcontextprotocol/server";
import type { Skill } from "../../catalog/index.ts";
import { mayUserActivate, type SkillLibrary, type SkillTool } from "../../session/index.ts";
import { toBase64 } from "./call-result.ts";
import type { Caller } from "./caller.ts";

const promptPage = 100;

/** Puts tools, prompts and the files of runs on a server that has none of its own. */
export function serveHandlers(mcp: McpServer, library: SkillLibrary, caller: Caller): void {
  const { server } = mcp;
  server.registerCapabilities({ tools: { listChanged: true }, prompts: { listChanged: true } });
  server.setRequestHandler("tools/list", () => ({ tools: caller.tools.map(toTool) }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const result = await caller.call({ tool: params.name, input: params.arguments ?? {}, ctx, canAsk: canAsk(mcp, ctx) });
    await announceTools(mcp, caller);
    return result;
  });
  server.setRequestHandler("prompts/list", ({ params }) => {
    const invocable = library.catalog.skills.filter(mayUserActivate);
    const start = params?.cursor === undefined ? 0 : Number.parseInt(params.cursor, 10) || 0;
    const end = start + promptPage;
    const prompts = invocable.slice(start, end).map(toPrompt);
    return end < invocable.length ? { prompts, nextCursor: `${end}` } : { prompts };
  });
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const { text, isError } = await caller.prompt(params.name, params.arguments?.arguments);
    if (isError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
    const description = library.catalog.get(params.name)?.description;
    return { ...(description ? { description } : {}), messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
  });
  serveArtifacts(mcp, caller);
}

/** Puts the tools, without those that skills bring later, on a server that has tools of its own. */
export function addTools(mcp: McpServer, caller: Caller): void {
  for (const tool of caller.tools) {
    const { name, description, annotations, inputSchema } = toTool(tool);
    const config = { ...(description === undefined ? {} : { description }), ...(annotations === undefined ? {} : { annotations }) };
    mcp.registerTool(name, { ...config, inputSchema: unchecked(inputSchema) }, (input, ctx) =>
      caller.call({ tool: name, input: input as Readonly<Record<string, unknown>>, ctx, canAsk: canAsk(mcp, ctx) }),
    );
  }
  serveArtifacts(mcp, caller);
}

/** A JSON Schema as the SDK takes it. It checks nothing: a tool answers wrong arguments itself, and says what is right. */
function unchecked(schema: Tool["inputSchema"]): StandardSchemaWithJSON {
  const jsonSchema = { input: () => ({ ...schema }), output: () => ({ ...schema }) };
  return { "~standard": { version: 1, vendor: "skillwright", validate: (value: unknown) => ({ value }), jsonSchema } };
}

/** What runs made, read when it is wanted; it lives as long as the session that made it. */
function serveArtifacts(mcp: McpServer, caller: Caller): void {
  const template = new ResourceTemplate("artifact://{session}/{+path}", { list: undefined });
  mcp.registerResource("artifacts", template, { description: "Files that runs of skills made." }, async (uri) => {
    const found = await caller.artifact(uri.host, decodeURIComponent(uri.pathname.slice(1)));
    if (found === undefined) throw new ResourceNotFoundError(uri.href);
    return { contents: [{ uri: uri.href, mimeType: found.mediaType, blob: toBase64(found.data) }] };
  });
}

/** Tells the client of tools that a call switched on or off. */
async function announceTools(mcp: McpServer, caller: Caller): Promise<void> {
  const before = caller.tools.map((tool) => tool.name).join();
  await caller.follow();
  if (caller.tools.map((tool) => tool.name).join() !== before) await mcp.server.sendToolListChanged().catch(() => undefined);
}

/** Tells the client that the library changed. */
export async function announceLibrary(mcp: McpServer, caller: Caller): Promise<void> {
  await caller.follow();
  const { server } = mcp;
  await Promise.allSettled([server.sendToolListChanged(), server.sendPromptListChanged(), server.sendResourceListChanged()]);
}

function toTool({ name, description, inputSchema, annotations }: SkillTool): Tool {
  return { name, description, inputSchema: inputSchema as Tool["inputSchema"], annotations };
}

function toPrompt({ name, description }: Skill): Prompt {
  return { name, description, arguments: [{ name: "arguments", description: "What it is to be used for.", required: false }] };
}

function canAsk(mcp: McpServer, ctx: ServerContext): boolean {
  const envelope = ctx.mcpReq.envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  const elicitation = (declared ?? mcp.server.getClientCapabilities())?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
