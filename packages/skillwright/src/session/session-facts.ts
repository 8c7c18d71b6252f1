import { type Digest, type JsonObject, type JsonValue, SkillError } from "../core/index.ts";
import type { SkillFile } from "../library/index.ts";
import type { SessionStore } from "./session-store.ts";

/** What a session keeps of one loaded skill. */
export interface LoadedFact {
  readonly name: string;
  /** Digest of the SKILL.md as loaded; its bytes are in the blob store. */
  readonly text: Digest;
  /** Digest of the body alone. */
  readonly digest: Digest;
  readonly order: number;
  /** Order of the last use, for eviction. */
  readonly used: number;
  readonly turn: string;
  readonly documents: readonly string[] | "all";
  readonly lifecycle: "persistent" | "bounded" | "ephemeral";
  /** Digest of the body as it was given, where state or arguments were filled in. */
  readonly filled?: Digest;
  /** The model that it asks for. */
  readonly model?: string;
  /** Loaded by the host: its body stands in the instructions. */
  readonly preloaded: boolean;
  /** Requests that have carried it, for load mode `once`. */
  readonly sent: boolean;
  readonly location: string;
  readonly trusted: boolean;
  readonly files: readonly SkillFile[];
}

/** The format of what is written; another one is refused, never half read. */
const format = 1;

/** Typed access to what a session keeps; mirrors the active set so that an unchanged session costs one revision check. */
export interface SessionFacts {
  /** Reads again when another writer changed something; answers whether it did. */
  sync(): Promise<boolean>;
  /** Active skills by load order. */
  readonly loaded: readonly LoadedFact[];
  get(name: string): LoadedFact | undefined;
  /** Takes the next place in the order of loads. */
  nextOrder(): Promise<number>;
  /** Records a load; answers false when another call of this session recorded the same skill first. */
  claim(fact: LoadedFact): Promise<boolean>;
  update(name: string, change: Partial<LoadedFact>): Promise<void>;
  drop(name: string): Promise<boolean>;
  /** One value under this agent, by kind and key. */
  read(kind: FactKind, key: string): Promise<JsonValue | undefined>;
  /** Writes one value; with `once`, answers false when it is there already. */
  write(kind: FactKind, key: string, value: JsonValue, options?: { readonly once?: boolean }): Promise<boolean>;
  remove(kind: FactKind, key: string): Promise<void>;
  all(kind: FactKind): Promise<readonly { readonly key: string; readonly value: JsonValue }[]>;
}

/** What else a session keeps: answers by call id, loads by call id, approvals, read files, state. */
export type FactKind = "call" | "load-call" | "approval" | "approved" | "file" | "state" | "turn" | "note";

/**
 * Opens the facts of one agent in one session.
 * @throws SkillError `session-version` when the session was written in another format
 */
export async function openSessionFacts(
  store: SessionStore,
  sessionId: string,
  agent: string,
): Promise<SessionFacts & { readonly restored: boolean }> {
  const restored = await checkFormat(store, sessionId);
  // Encoded and closed by a slash, so that no agent's prefix is the prefix of another's.
  const prefix = `agent/${encodeKey(agent)}/`;
  const skillPrefix = `${prefix}skill/`;
  const keyOf = (kind: FactKind, key: string) => `${prefix}${kind}/${encodeKey(key)}`;
  const skillKey = (name: string) => `${skillPrefix}${encodeKey(name)}`;
  let revision = -1;
  let loaded: LoadedFact[] = [];
  const versions = new Map<string, number>();

  const reload = async (): Promise<void> => {
    // The revision is read first: a write between the two reads costs another reload, never a missed fact.
    revision = await store.revision(sessionId);
    const facts = await store.list(sessionId, skillPrefix);
    versions.clear();
    loaded = facts.map((fact) => {
      const value = fact.value as unknown as LoadedFact;
      versions.set(value.name, fact.version);
      return value;
    });
    loaded.sort((a, b) => a.order - b.order);
  };
  await reload();

  return {
    restored,
    sync: async () => {
      if ((await store.revision(sessionId)) === revision) return false;
      await reload();
      return true;
    },
    get loaded() {
      return loaded;
    },
    get: (name) => loaded.find((fact) => fact.name === name),
    nextOrder: async () => {
      const key = `${prefix}order`;
      for (;;) {
        const current = await store.get(sessionId, key);
        const next = (typeof current?.value === "number" ? current.value : 0) + 1;
        if ((await store.set(sessionId, key, next, { expected: current?.version ?? 0 })) !== undefined) return next;
      }
    },
    claim: async (fact) => {
      const version = await store.set(sessionId, skillKey(fact.name), fact as unknown as JsonObject, { expected: 0 });
      await reload();
      return version !== undefined;
    },
    update: async (name, change) => {
      for (;;) {
        const current = await store.get(sessionId, skillKey(name));
        if (current === undefined) break;
        const value = { ...(current.value as JsonObject), ...(change as JsonObject) };
        if ((await store.set(sessionId, skillKey(name), value, { expected: current.version })) !== undefined) break;
      }
      await reload();
    },
    drop: async (name) => {
      const removed = await store.remove(sessionId, skillKey(name));
      await reload();
      return removed;
    },
    read: async (kind, key) => (await store.get(sessionId, keyOf(kind, key)))?.value,
    write: async (kind, key, value, options = {}) =>
      (await store.set(sessionId, keyOf(kind, key), value, options.once ? { expected: 0 } : {})) !== undefined,
    remove: async (kind, key) => {
      await store.remove(sessionId, keyOf(kind, key));
    },
    all: async (kind) => {
      const start = `${prefix}${kind}/`;
      const facts = await store.list(sessionId, start);
      return facts.map((fact) => ({ key: decodeURIComponent(fact.key.slice(start.length)), value: fact.value }));
    },
  };
}

/** A key as one path segment; half of a surrogate pair, which a model may write, is spelled out. */
function encodeKey(key: string): string {
  return encodeURIComponent(key.replace(/\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`));
}

async function checkFormat(store: SessionStore, sessionId: string): Promise<boolean> {
  const written = await store.get(sessionId, "format");
  if (written === undefined) {
    await store.set(sessionId, "format", format, { expected: 0 });
    return false;
  }
  if (written.value !== format) {
    throw new SkillError(
      "session-version",
      `Session "${sessionId}" was written in format ${JSON.stringify(written.value)}; this version reads format ${format}.`,
      {
        hint: "Open it with the version that wrote it, or start a new session id.",
      },
    );
  }
  return true;
}
