import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** An MCP server as a skill might bring one: it says what it was given. */
serveStdio(() => {
  const server = new McpServer({ name: "echo", version: "1" });
  const anything = fromJsonSchema<{ text?: string }>({ type: "object", properties: { text: { type: "string" } } });
  server.registerTool("echo", { description: "Says it again.", inputSchema: anything }, ({ text }) => ({
    content: [
      { type: "text", text: String(text) },
      { type: "image", data: "", mimeType: "image/png" },
    ],
  }));
  server.registerTool("surroundings", {}, () => ({
    content: [
      {
        type: "text",
        text: JSON.stringify({ env: { ...process.env }, cwd: process.cwd(), pid: process.pid, argv: process.argv.slice(2) }),
      },
    ],
  }));
  server.registerTool("fail", {}, () => ({ content: [{ type: "text", text: "It went wrong." }], isError: true }));
  server.registerTool("die", {}, () => process.exit(3));
  return server;
});
