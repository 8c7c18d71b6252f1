import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { UsageError } from "./usage-error.ts";

/** A model and what a person calls it. */
export interface ResolvedModel {
  readonly id: string;
  /** Undefined for the planner that comes with the command. */
  readonly model: LanguageModel | undefined;
}

/** Servers that speak OpenAI's wire format on this machine, and the address they take by default. */
const localServers = {
  ollama: { variable: "OLLAMA_HOST", address: "http://127.0.0.1:11434", path: "/v1" },
  vllm: { variable: "VLLM_BASE_URL", address: "http://127.0.0.1:8000/v1", path: "" },
  lmstudio: { variable: "LMSTUDIO_BASE_URL", address: "http://127.0.0.1:1234/v1", path: "" },
} as const;

/** Models that are taken when a key is in the environment and none is named. */
const defaults = [
  ["ANTHROPIC_API_KEY", "anthropic/claude-sonnet-4-5"],
  ["OPENAI_API_KEY", "openai/gpt-5-mini"],
  ["GOOGLE_GENERATIVE_AI_API_KEY", "google/gemini-2.5-flash"],
  ["GEMINI_API_KEY", "google/gemini-2.5-flash"],
] as const;

/** Resolves `provider/name`, or what the environment offers, or the planner `offline`. */
export function resolveModel(spec: string | undefined, env: NodeJS.ProcessEnv = process.env): ResolvedModel {
  const wanted = spec ?? env.SKILLWRIGHT_MODEL ?? defaults.find(([variable]) => env[variable])?.[1] ?? "offline";
  if (wanted === "offline") return { id: "offline", model: undefined };
  const slash = wanted.indexOf("/");
  const provider = slash < 0 ? "" : wanted.slice(0, slash);
  const name = wanted.slice(slash + 1);
  if (slash < 0 || name === "") {
    throw new UsageError(`"${wanted}" is not a model. Write provider/name, for example openai/gpt-5-mini or ollama/llama3.2, or offline.`);
  }
  switch (provider) {
    case "anthropic":
      return { id: wanted, model: createAnthropic({ apiKey: keyOf(env, "ANTHROPIC_API_KEY"), ...baseOf(env.ANTHROPIC_BASE_URL) })(name) };
    case "google":
      return {
        id: wanted,
        model: createGoogleGenerativeAI({
          apiKey: keyOf(env, "GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"),
          ...baseOf(env.GOOGLE_BASE_URL),
        })(name),
      };
    case "openai":
      // Servers that only resemble OpenAI's speak chat completions; OpenAI's own speaks its newer format too.
      if (env.OPENAI_BASE_URL) return compatible(wanted, "openai", name, env.OPENAI_BASE_URL, env.OPENAI_API_KEY);
      return { id: wanted, model: createOpenAI({ apiKey: keyOf(env, "OPENAI_API_KEY") })(name) };
    case "ollama":
    case "vllm":
    case "lmstudio": {
      const { variable, address, path } = localServers[provider];
      return compatible(wanted, provider, name, `${withScheme(env[variable] || address)}${path}`, env.OPENAI_API_KEY);
    }
    default:
      throw new UsageError(
        `There is no provider "${provider}". Known: openai, anthropic, google, ollama, vllm, lmstudio; any other server by OPENAI_BASE_URL and openai/NAME.`,
      );
  }
}

function compatible(id: string, provider: string, name: string, baseURL: string, apiKey: string | undefined): ResolvedModel {
  return { id, model: createOpenAICompatible({ name: provider, baseURL, includeUsage: true, ...(apiKey ? { apiKey } : {}) })(name) };
}

function baseOf(baseURL: string | undefined): { baseURL?: string } {
  return baseURL ? { baseURL } : {};
}

function withScheme(address: string): string {
  return /^https?:/.test(address) ? address.replace(/\/$/, "") : `http://${address}`;
}

function keyOf(env: NodeJS.ProcessEnv, ...variables: readonly string[]): string {
  for (const variable of variables) {
    const value = env[variable];
    if (value) return value;
  }
  throw new UsageError(`This model needs a key. Set ${variables.join(" or ")}, or run with --model offline.`);
}
