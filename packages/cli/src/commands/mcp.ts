import type { Command } from "commander";
import type { Finish } from "./library-command.ts";

/** Flags of `skillwright mcp`. */
export interface McpFlags {
  readonly http?: boolean;
  readonly port?: string;
  readonly host?: string;
  readonly token?: string;
  readonly sandbox?: string;
  readonly locale?: string;
  readonly strict?: boolean;
  readonly trust?: boolean;
}

/** `skillwright mcp [ROOT...]`: the skills for MCP clients, over stdio or HTTP. */
export function mcpCommand(program: Command, finish: Finish): void {
  program
    .command("mcp")
    .description("Serve the skills to MCP clients, over stdio or HTTP, until Ctrl-C or until the client is gone.")
    .argument("[root...]", "folders with skills (default: .agents/skills, .claude/skills and skills, here and in your home folder)")
    .option("--http", "serve over streamable HTTP instead of stdio")
    .option("--port <n>", "port for HTTP; 0 takes any that is free", "3333")
    .option("--host <address>", "address for HTTP; one that others reach needs a token", "127.0.0.1")
    .option("--token <secret>", "bearer token that clients must send (default: the variable SKILLWRIGHT_TOKEN)")
    .option("--sandbox <name>", "let clients run scripts: auto, bubblewrap, container, virtual or local (no isolation)", "none")
    .option("--locale <language>", "en or zh, for the words around the skills")
    .option("--strict", "leave out skills with any fault of the format")
    .option("--trust", "trust the skills of this project")
    .action((roots: string[], flags: McpFlags) => finish(serveLater(roots, flags)));
}

/** The protocol's libraries are read only when something is served: every other command starts without them. */
async function serveLater(roots: readonly string[], flags: McpFlags): Promise<number> {
  const { serveMcp } = await import("../mcp/serve-mcp.ts");
  return serveMcp(roots, flags);
}
