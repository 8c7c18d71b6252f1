import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { SkillError } from "../../core/index.ts";
import type { Artifact, Media, ToolResult } from "../../session/index.ts";
import { skillUri } from "./skill-uri.ts";

/** A result as the protocol carries it: text, images and sounds as such, other bytes as blobs. */
export function toCallResult(
  result: ToolResult,
  options: { readonly skill?: string; readonly after?: readonly ContentBlock[] },
): CallToolResult {
  const media = (result.media ?? []).map((item) => toContent(item, options.skill));
  return {
    content: [{ type: "text", text: result.text }, ...media, ...(options.after ?? [])],
    ...(result.isError ? { isError: true, _meta: { "skillwright/error": result.data } } : {}),
  };
}

function toContent({ name, mediaType, data }: Media, skill: string | undefined): ContentBlock {
  const blob = toBase64(data);
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) return { type: "image", data: blob, mimeType: mediaType };
  if (mediaType.startsWith("audio/")) return { type: "audio", data: blob, mimeType: mediaType };
  return { type: "resource", resource: { uri: skill === undefined ? skillUri(name) : skillUri(skill, name), mimeType: mediaType, blob } };
}

/** What a failure of the host comes to for the model: nothing crashes, and it is told what to do. */
export function failedCall(error: unknown): CallToolResult {
  const known = SkillError.is(error);
  const message = error instanceof Error ? error.message : String(error);
  return {
    content: [{ type: "text", text: known && error.hint !== undefined ? `${message} ${error.hint}` : message }],
    isError: true,
    _meta: { "skillwright/error": { code: known ? error.code : "failed", retryable: false } },
  };
}

/** Where a client reads what a run made. */
function artifactUri(sessionId: string, name: string): string {
  return `artifact://${sessionId}/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/** A file that a run made, to be read when it is wanted. */
export function artifactLink(sessionId: string, { name, mediaType, bytes }: Artifact): ContentBlock {
  return { type: "resource_link", uri: artifactUri(sessionId, name), name, mimeType: mediaType, size: bytes };
}

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}
