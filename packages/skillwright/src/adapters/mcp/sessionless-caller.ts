import type { ServerContext } from "@modelcontextprotocol/server";
import { SkillError } from "../../core/index.ts";
import type { Operation } from "../../dialects/index.ts";
import type { SessionOptions, SkillLibrary, SkillTool } from "../../session/index.ts";
import { answerOf } from "./ask-person.ts";
import { failedCall } from "./call-result.ts";
import type { Caller } from "./caller.ts";
import { type Conversation, openConversation } from "./conversation.ts";

/** What runs in a workspace, and finds there what ran before. */
const inWorkspace: ReadonlySet<Operation | "skill"> = new Set(["run-script", "run-command", "run-code", "start", "write", "poll", "kill"]);
const idleMs = 15 * 60_000;
const maxWorkspaces = 100;

const workspaceParameter = {
  type: "string",
  description: "The workspace of an earlier answer, to find its files again. Left out, a new one is made.",
};

interface OpenWorkspace {
  readonly conversation: Conversation;
  /** Whose it is, where the host tells clients apart. */
  readonly owner: string | undefined;
  usedAt: number;
  running: number;
}

/**
 * Answers the requests of a protocol without sessions. Loading, reading and searching need none: one session answers them all.
 * A run mints a workspace and says its name, which later runs pass to go on in it.
 */
export async function sessionlessCaller(library: SkillLibrary, options: SessionOptions): Promise<Caller> {
  const shared = await openConversation(library, options);
  const workspaces = new Map<string, OpenWorkspace>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function closeIdle(): Promise<void> {
    const idle = [...workspaces].filter(([, workspace]) => workspace.running === 0 && Date.now() - workspace.usedAt >= idleMs);
    for (const [name] of idle) workspaces.delete(name);
    await Promise.allSettled(idle.map(([, { conversation }]) => conversation.close()));
    timer = undefined;
    watchIdle();
  }

  function watchIdle(): void {
    if (timer !== undefined || workspaces.size === 0 || closed) return;
    timer = setTimeout(() => void closeIdle(), idleMs / 4);
    if (typeof timer === "object" && "unref" in timer) timer.unref();
  }

  async function makeRoom(): Promise<void> {
    if (workspaces.size < maxWorkspaces) return;
    const oldest = [...workspaces].filter(([, workspace]) => workspace.running === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt)[0];
    if (oldest === undefined) {
      throw new SkillError("limit-exceeded", `${maxWorkspaces} workspaces are at work; no other can be opened now.`, {
        hint: "Try again when a run has ended.",
      });
    }
    workspaces.delete(oldest[0]);
    await oldest[1].conversation.close();
  }

  async function workspaceOf(wanted: unknown, owner: string | undefined): Promise<OpenWorkspace> {
    const open = typeof wanted === "string" && wanted !== "" ? workspaces.get(wanted) : undefined;
    if (open !== undefined && open.owner === owner) return open;
    if (wanted !== undefined && wanted !== "") {
      throw new SkillError("workspace-closed", `There is no workspace ${JSON.stringify(wanted)}; it may have been closed.`, {
        hint: "Leave `workspace` out to get a new one, and run again what its files came from.",
      });
    }
    await makeRoom();
    const conversation = await openConversation(library, options);
    const workspace = { conversation, owner, usedAt: Date.now(), running: 0 };
    workspaces.set(conversation.session.id, workspace);
    watchIdle();
    return workspace;
  }

  return {
    get instructions() {
      return shared.session.instructions;
    },
    get tools() {
      return shared.session.tools.filter((tool) => tool.operation !== "skill").map(withWorkspace);
    },
    async call(request) {
      const tool = shared.session.tools.find((candidate) => candidate.name === request.tool);
      const answer = answerOf(request.ctx);
      if (tool === undefined || !inWorkspace.has(tool.operation)) return shared.call({ ...request, answer });
      const { workspace: wanted, ...input } = request.input;
      let workspace: OpenWorkspace;
      try {
        workspace = await workspaceOf(answer?.session ?? wanted, ownerOf(request.ctx));
      } catch (error) {
        return failedCall(error);
      }
      const name = workspace.conversation.session.id;
      const after = [{ type: "text" as const, text: `Workspace: ${name}. Pass it as "workspace" to go on with these files.` }];
      workspace.running++;
      try {
        return await workspace.conversation.call({ ...request, input, answer, after });
      } finally {
        workspace.running--;
        workspace.usedAt = Date.now();
      }
    },
    prompt: (name, args) => shared.session.activate(name, args),
    async artifact(sessionId, name) {
      const kept = await workspaces.get(sessionId)?.conversation.artifacts.read(sessionId, name);
      return kept && { mediaType: kept.artifact.mediaType, data: kept.data };
    },
    follow: async () => void (await shared.session.beforeRequest()),
    async close() {
      closed = true;
      clearTimeout(timer);
      await Promise.allSettled([shared, ...[...workspaces.values()].map(({ conversation }) => conversation)].map((open) => open.close()));
      workspaces.clear();
    },
  };
}

function ownerOf(ctx: ServerContext): string | undefined {
  return ctx.http?.authInfo?.clientId;
}

function withWorkspace(tool: SkillTool): SkillTool {
  if (!inWorkspace.has(tool.operation)) return tool;
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: { ...tool.inputSchema.properties, workspace: workspaceParameter } } };
}
