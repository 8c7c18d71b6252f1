import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { SkillError } from "../../core/index.ts";

/** What a request to a server failed of, as an error of the library. */
export function fromServer(error: unknown, location: string, file: string): SkillError {
  if (SkillError.is(error)) return error;
  if (error instanceof ProtocolError && [ProtocolErrorCode.InvalidParams, ProtocolErrorCode.ResourceNotFound].includes(error.code)) {
    return fileNotFound(location, file, error);
  }
  return new SkillError("source-failed", `${location} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
    hint: "Check that the server runs, then try again.",
    cause: error,
  });
}

/** A file that the server does not serve. */
export function fileNotFound(location: string, file: string, cause?: unknown): SkillError {
  return new SkillError("file-not-found", `${location} does not exist.`, {
    hint: "Read one of the files that the skill lists.",
    data: { path: file },
    cause,
  });
}

/** A file that is larger than its reader takes. */
export function tooLarge(location: string, size: number, maxBytes: number): SkillError {
  return new SkillError("limit-exceeded", `${location} has ${size} bytes; ${maxBytes} are allowed.`, {
    hint: "Read a smaller file, or raise the limit.",
    data: { size, maxBytes },
  });
}
