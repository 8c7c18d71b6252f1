/**
 * The agent: the AI SDK's loop over a session. Any of its models, streaming, a step limit, approvals, abort, events.
 */
export { type Agent, type AgentOptions, type AgentResult, type AgentTask, createAgent } from "./create-agent.ts";
