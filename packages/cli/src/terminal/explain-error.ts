import { SkillError } from "skillwright";
import { UsageError } from "../usage-error.ts";

/** A caught value as a line or two for a person: what happened, and what to do next. */
export function explainError(error: unknown): string {
  if (error instanceof UsageError) return `skillwright: ${error.message}`;
  if (SkillError.is(error)) return `skillwright: ${error.message}${error.hint === undefined ? "" : `\n  ${error.hint}`}`;
  const api = findApiError(error);
  if (api !== undefined) return `skillwright: ${explainApi(api)}`;
  return `skillwright: ${error instanceof Error ? error.message : String(error)}`;
}

interface ApiError {
  readonly statusCode?: number;
  readonly url: string;
  readonly message: string;
}

/** The provider's answer, however deep the loop wrapped it. */
function findApiError(error: unknown): ApiError | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 6 && typeof current === "object" && current !== null; depth++) {
    if ("url" in current && "requestBodyValues" in current) return current as unknown as ApiError;
    current = "lastError" in current ? current.lastError : "cause" in current ? current.cause : undefined;
  }
  return undefined;
}

function explainApi({ statusCode, url, message }: ApiError): string {
  const host = hostOf(url);
  if (statusCode === 401 || statusCode === 403)
    return `${host} refused the key (${statusCode}). Check the key in the environment, or run with --model offline.`;
  if (statusCode === 404) return `${host} does not know this model (404). Check the name after --model.`;
  if (statusCode === 429) return `${host} is over its limit (429). Wait, or use another model.`;
  if (statusCode === undefined) return `${host} could not be reached. Is the server running? ${message}`;
  return `${host} answered ${statusCode}: ${message}`;
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "the model's server";
  }
}
