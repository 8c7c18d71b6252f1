import type { Limits, SkillEvent } from "../../packages/skillwright/src/core/index.ts";
import { defaultLimits } from "../../packages/skillwright/src/core/index.ts";
import {
  openSkillWorkspace,
  type Sandbox,
  type SkillToStage,
  type SkillWorkspace,
} from "../../packages/skillwright/src/workspace/index.ts";

const encoder = new TextEncoder();

/** A skill from texts; `reads` counts how often each file was read. */
export function skillFrom(
  name: string,
  texts: Readonly<Record<string, string>>,
  options: { readonly key?: string; readonly modes?: Readonly<Record<string, number>> } = {},
): SkillToStage & { readonly reads: Map<string, number> } {
  const reads = new Map<string, number>();
  return {
    name,
    key: options.key ?? "1",
    files: Object.entries(texts).map(([path, text]) => ({ path, bytes: text.length, mode: options.modes?.[path] ?? 0o644 })),
    read: async (path) => {
      reads.set(path, (reads.get(path) ?? 0) + 1);
      return encoder.encode(texts[path] ?? "");
    },
    reads,
  };
}

/** A workspace on a sandbox, with the events it told. */
export function workspaceOn(
  sandbox: Sandbox,
  options: { readonly limits?: Partial<Limits>; readonly recordContent?: boolean } = {},
): { readonly workspace: SkillWorkspace; readonly events: SkillEvent[] } {
  const events: SkillEvent[] = [];
  const workspace = openSkillWorkspace({
    sandbox,
    sessionId: "session-1",
    limits: { ...defaultLimits, runTimeoutMs: 20_000, ...options.limits },
    onEvent: (event) => events.push(event),
    ...(options.recordContent !== undefined && { recordContent: options.recordContent }),
  });
  return { workspace, events };
}

/** The bytes of a text. */
export function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of bytes. */
export function text(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}
