import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";

/** What a tool is for, whatever its dialect calls it. */
export type ToolRole = "load" | "read" | "select-documents" | "run-command" | "run-script" | "list" | "search";

/** A call that the planner wants to make. */
export interface PlannedCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The offered tools by role; a role that no tool plays is absent. */
export interface Toolbox {
  readonly roleOf: (toolName: string) => ToolRole | undefined;
  readonly load?: (skill: string) => PlannedCall;
  /** Reads documents of a skill: one call each, or one call that selects them all. */
  readonly read?: (skill: string, paths: readonly string[]) => PlannedCall[];
  readonly runCommand?: (skill: string, command: string) => PlannedCall;
  readonly runScript?: (skill: string, script: string, argv: readonly string[]) => PlannedCall;
  readonly list?: () => PlannedCall;
  readonly search?: (query: string) => PlannedCall;
}

interface RolePlayer {
  readonly tool: string;
  readonly role: ToolRole;
  /** What the tool calls each argument. */
  readonly names: {
    readonly skill?: string;
    readonly command?: string;
    readonly path?: string;
    readonly argv?: string;
    readonly documents?: string;
    readonly query?: string;
  };
}

/** Tools that take a command but are not the first choice for one: background processes, the host's own shell. */
const secondChoice = /exec|start|background|session|^bash$|^shell$/i;

/** Sorts the tools of a request by what their parameters say they do. */
export function openToolbox(tools: readonly LanguageModelV4FunctionTool[]): Toolbox {
  const players = tools.flatMap((tool) => assignRole(tool) ?? []);
  const find = (role: ToolRole) => {
    const all = players.filter((player) => player.role === role);
    return all.find((player) => !secondChoice.test(player.tool)) ?? all[0];
  };
  const [load, read, select, command, script, list, search] = (
    ["load", "read", "select-documents", "run-command", "run-script", "list", "search"] as const
  ).map(find);
  const call = (player: RolePlayer, values: { readonly [Key in keyof RolePlayer["names"]]?: unknown }): PlannedCall => {
    const input: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(values)) {
      const name = player.names[key as keyof RolePlayer["names"]];
      if (name !== undefined) input[name] = value;
    }
    return { toolName: player.tool, input };
  };
  return {
    roleOf: (toolName) => players.find((player) => player.tool === toolName)?.role,
    ...(load && { load: (skill: string) => call(load, { skill }) }),
    ...((read ?? select) && {
      read: (skill: string, paths: readonly string[]) =>
        read ? paths.map((path) => call(read, { skill, path })) : select ? [call(select, { skill, documents: paths })] : [],
    }),
    ...(command && { runCommand: (skill: string, line: string) => call(command, { skill, command: line }) }),
    ...(script && { runScript: (skill: string, path: string, argv: readonly string[]) => call(script, { skill, path, argv }) }),
    ...(list && { list: () => call(list, {}) }),
    ...(search && { search: (query: string) => call(search, { query }) }),
  };
}

function assignRole(tool: LanguageModelV4FunctionTool): RolePlayer | undefined {
  const properties = Object.keys(tool.inputSchema.properties ?? {});
  const required = tool.inputSchema.required ?? [];
  const named = (pattern: RegExp) => properties.find((property) => pattern.test(property));
  const skill = named(/^(?:skill|skill_?name)$/i) ?? named(/^name$/i);
  const command = named(/^(?:command|cmd|command_?line)$/i);
  const path = named(/^(?:path|script|script_?path|file_?path|resource|resource_?path|file)$/i);
  const argv = named(/^(?:argv|args|arguments|positional_args)$/i);
  const documents = named(/^(?:docs|documents)$/i);
  const query = named(/^(?:query|q)$/i);
  const player = (role: ToolRole, names: Record<string, string | undefined>): RolePlayer => {
    const known = Object.entries(names).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { tool: tool.name, role, names: Object.fromEntries(known) };
  };
  if (/(?:^|_)(?:unload|remove|delete|install|write|poll|kill)(?:_|$)/i.test(tool.name)) return undefined;
  if (command !== undefined) return player("run-command", { skill, command });
  if (skill !== undefined && path !== undefined)
    return argv === undefined ? player("read", { skill, path }) : player("run-script", { skill, path, argv });
  if (query !== undefined && /skill/i.test(tool.name)) return player("search", { query });
  if (required.length === 0 && /^list_?skills$|^skill_?list$/i.test(tool.name)) return player("list", {});
  if (skill === undefined || /list|search/i.test(tool.name)) return undefined;
  if (documents !== undefined && /select|doc/i.test(tool.name)) return player("select-documents", { skill, documents });
  return required.every((name: string) => name === skill) ? player("load", { skill }) : undefined;
}
