import { digestOf, type JsonObject, type JsonSchema, SkillError, throwIfAborted } from "../core/index.ts";
import { decide, keepPending, type Question } from "./approvals.ts";
import { callTool, type Performed } from "./call-tool.ts";
import { reportOnce } from "./host-tools.ts";
import { readObject } from "./read-arguments.ts";
import { refused } from "./run-operations.ts";
import { fault, type SessionContext } from "./session-context.ts";
import { type DeclaredServer, syncServers } from "./skill-mcp.ts";
import type { McpConnection } from "./skill-session.ts";
import type { SkillTool, ToolCallOptions } from "./skill-tool.ts";

const maxTools = 64;
const maxNameLength = 64;
const maxDescriptionLength = 2_000;

/** The tools of the MCP servers that run for active skills, called `<skill>__<tool>`. */
export async function serverTools(context: SessionContext, taken: ReadonlySet<string>): Promise<SkillTool[]> {
  const names = new Set(taken);
  const tools: SkillTool[] = [];
  for (const { declared, connection } of await syncServers(context)) {
    for (const tool of connection.tools.slice(0, maxTools)) {
      const name = await toolNameOf(declared.skill, tool.name);
      if (names.has(name)) {
        leftOut(context, declared, tool.name);
        continue;
      }
      names.add(name);
      tools.push(serverTool(context, declared, connection, tool, name));
    }
  }
  return tools;
}

function serverTool(
  context: SessionContext,
  server: DeclaredServer,
  connection: McpConnection,
  tool: McpConnection["tools"][number],
  name: string,
): SkillTool {
  const questionOf = (input: unknown, callId: string): Question => ({
    callId,
    tool: name,
    operation: "skill",
    input: readObject(input) ?? {},
    skill: server.skill,
    subject: JSON.stringify([server.digest, tool.name]),
    summary: `Call \`${tool.name}\` of MCP server "${server.name}" for skill "${server.skill}"`,
  });
  return {
    name,
    operation: "skill",
    description:
      `${tool.description.slice(0, maxDescriptionLength)} (from MCP server "${server.name}" of skill "${server.skill}")`.trimStart(),
    inputSchema: schemaOf(tool.inputSchema),
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    approval: async (input, { callId }) => {
      const verdict = await decide(context, questionOf(input, callId), undefined);
      if (verdict.kind !== "ask") return undefined;
      await keepPending(context, verdict.approval);
      return verdict.approval;
    },
    execute: (input, options) =>
      callTool(
        context,
        {
          tool: name,
          changesWorld: true,
          perform: async (given, callOptions) => {
            const read = readObject(given);
            if (read === undefined) {
              return { outcome: fault(context, "arguments-invalid", name, { detail: "Pass one JSON object.", retryable: true }) };
            }
            const verdict = await decide(context, questionOf(read, callOptions.callId), callOptions.approved);
            if (verdict.kind !== "allowed") return { outcome: await refused(context, verdict, name) };
            return callServer(context, connection, tool.name, read, callOptions);
          },
        },
        input,
        options,
      ),
  };
}

async function callServer(
  context: SessionContext,
  connection: McpConnection,
  tool: string,
  input: JsonObject,
  { signal }: ToolCallOptions,
): Promise<Performed> {
  try {
    const { text, isError } = await connection.call(tool, input, signal ? { signal } : {});
    return { answer: { text: shortened(text, context.library.limits.maxOutputBytes), isError } };
  } catch (error) {
    throwIfAborted(signal);
    if (SkillError.is(error, "aborted")) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    return { outcome: fault(context, "run-failed", tool, { detail, retryable: true }) };
  }
}

function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}\n[${text.length - maxLength} more characters were cut off]`;
}

/** A name that every provider takes; one that is too long keeps its beginning and is told apart by a digest. */
async function toolNameOf(skill: string, tool: string): Promise<string> {
  const name = `${skill}__${tool}`.replace(/[^A-Za-z0-9_-]/g, "_");
  if (name.length <= maxNameLength) return name;
  const digest = (await digestOf(`${skill}\0${tool}`)).slice("sha256:".length, "sha256:".length + 8);
  return `${name.slice(0, maxNameLength - digest.length - 1)}_${digest}`;
}

function schemaOf(schema: JsonObject): JsonSchema {
  const { properties } = schema;
  const known = typeof properties === "object" && properties !== null && !Array.isArray(properties) ? properties : {};
  return { ...(schema as unknown as JsonSchema), type: "object", properties: known as JsonSchema["properties"] };
}

function leftOut(context: SessionContext, server: DeclaredServer, tool: string): void {
  reportOnce(context, `mcp-tool ${server.skill} ${server.name} ${tool}`, {
    severity: "warning",
    code: "skill-tool-refused",
    message: `The tool "${tool}" of MCP server "${server.name}" of skill "${server.skill}" is not offered: its name is taken.`,
    location: server.location,
    hint: "Rename the tool on the server, or use one of the two servers alone.",
  });
}
