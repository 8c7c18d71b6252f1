import type { Client, Resource } from "@modelcontextprotocol/client";
import type { SourceCandidate, SourceContext, SourceEntry } from "../../catalog/index.ts";
import { digestOf, throwIfAborted } from "../../core/index.ts";
import { fileNotFound, fromServer, tooLarge } from "./server-failure.ts";
import { fileOf, fileUri, isSkillUri, modeOf, pathOf, rootOf } from "./skill-address.ts";
import { type Locate, type SkillReader, skillFile } from "./skill-reader.ts";

/** SKILL.md files read at once while a listing is made. */
const atOnce = 8;

/**
 * Skills of a server that serves them as plain `skill://` resources: those that it lists. There are no entries, so nothing can be checked
 * against one, and each listing reads every SKILL.md.
 */
export function resourceSkills(
  client: Client,
  { locate, timeoutMs }: { readonly locate: Locate; readonly timeoutMs: number },
): SkillReader {
  let resources: readonly Resource[] = [];
  let listing = 0;
  const requestOf = ({ signal }: SourceContext) => ({ timeout: timeoutMs, cacheMode: "refresh" as const, ...(signal ? { signal } : {}) });

  async function read(path: string, file: string, context: SourceContext & { readonly maxBytes: number }): Promise<Uint8Array> {
    const where = locate(path, file);
    const root = rootOf(path);
    const uri = resources.find((resource) => fileOf(root, resource.uri) === file)?.uri ?? fileUri(root, file);
    try {
      const { contents } = await client.readResource({ uri }, requestOf(context));
      const content = contents.find((part) => fileOf(root, part.uri) === file);
      if (content === undefined) throw fileNotFound(where, file);
      const bytes = "text" in content ? new TextEncoder().encode(content.text) : fromBase64(content.blob);
      if (bytes.length > context.maxBytes) throw tooLarge(where, bytes.length, context.maxBytes);
      return bytes;
    } catch (error) {
      throwIfAborted(context.signal);
      throw fromServer(error, where, file);
    }
  }

  async function candidateAt(path: string, context: SourceContext): Promise<SourceCandidate> {
    const header = await read(path, skillFile, { ...context, maxBytes: context.limits.maxBodyBytes });
    return { path, file: skillFile, header, size: header.length, stamp: await digestOf(header) };
  }

  return {
    async list({ known, ...context }) {
      listing++;
      resources =
        client.getServerCapabilities()?.resources === undefined
          ? []
          : (await client.listResources(undefined, requestOf(context))).resources;
      const paths = [...new Set(resources.filter(({ uri }) => isSkillUri(uri)).map(({ uri }) => pathOf(uri)))].slice(
        0,
        context.limits.maxSkills,
      );
      const entries: SourceEntry[] = [];
      for (let at = 0; at < paths.length; at += atOnce) {
        const found = paths.slice(at, at + atOnce).map(async (path): Promise<SourceEntry> => {
          try {
            const candidate = await candidateAt(path, context);
            return known?.get(path) === candidate.stamp ? { path, unchanged: true } : candidate;
          } catch (error) {
            throwIfAborted(context.signal);
            const { message, hint = "" } = fromServer(error, locate(path, skillFile), skillFile);
            return { path, refused: { severity: "error", code: "file-unreadable", message, location: locate(path, skillFile), hint } };
          }
        });
        entries.push(...(await Promise.all(found)));
      }
      return entries;
    },

    async files(path) {
      const root = rootOf(path);
      const files = resources.flatMap(({ uri, size }) => {
        const file = fileOf(root, uri);
        // Without digests nothing tells whether a file changed: each listing counts as a change.
        return file === undefined ? [] : [{ path: file, bytes: Number(size ?? 0), mode: modeOf(file), stamp: `${listing}` }];
      });
      return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), diagnostics: [] };
    },

    read,

    // A server without entries has no way to tell a skill that it does not list from a resource that is none.
    find: async () => undefined,
  };
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
