import type { JsonValue } from "../core/index.ts";

/** One fact of a session: its key, its value, and the version that compare-and-set checks. */
export interface StoredFact {
  readonly key: string;
  readonly value: JsonValue;
  /**
   * The session's revision at which it was written: grows with every write of this key, and is not given again when the key
   * is removed and comes back, so that compare-and-set never mistakes the new fact for the old one.
   */
  readonly version: number;
}

/**
 * Where sessions are kept: one key per fact, compare-and-set per key, so that two processes on one session lose nothing.
 * What a call has acknowledged survives the death of the process (as far as the store is durable at all).
 */
export interface SessionStore {
  /** Every fact whose key starts with `prefix`, sorted by key. */
  list(sessionId: string, prefix: string): Promise<readonly StoredFact[]>;
  get(sessionId: string, key: string): Promise<StoredFact | undefined>;
  /**
   * Writes one fact. `expected` is the version it must have now (0: it must not exist); without it the write always wins.
   * Answers the new version, or undefined when another writer was first.
   */
  set(sessionId: string, key: string, value: JsonValue, options?: { readonly expected?: number }): Promise<number | undefined>;
  /** Removes one fact; answers whether it was there (and, with `expected`, at that version). */
  remove(sessionId: string, key: string, options?: { readonly expected?: number }): Promise<boolean>;
  /** A number that grows with every write to the session, 0 before the first: equal numbers mean nothing changed. */
  revision(sessionId: string): Promise<number>;
  /** Forgets a session that nobody has open; its revision starts again at 0. */
  clear(sessionId: string): Promise<void>;
  close?(): Promise<void>;
}

/** A {@link SessionStore} in memory; sessions end with the process. */
export function memorySessionStore(): SessionStore {
  const sessions = new Map<string, { revision: number; facts: Map<string, StoredFact> }>();
  const open = (sessionId: string) => {
    let session = sessions.get(sessionId);
    if (session === undefined) {
      session = { revision: 0, facts: new Map() };
      sessions.set(sessionId, session);
    }
    return session;
  };
  return {
    list: async (sessionId, prefix) =>
      [...(sessions.get(sessionId)?.facts.values() ?? [])]
        .filter((fact) => fact.key.startsWith(prefix))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map((fact) => structuredClone(fact)),
    get: async (sessionId, key) => structuredClone(sessions.get(sessionId)?.facts.get(key)),
    set: async (sessionId, key, value, options = {}) => {
      const session = open(sessionId);
      const current = session.facts.get(key)?.version ?? 0;
      if (options.expected !== undefined && options.expected !== current) return undefined;
      const version = ++session.revision;
      session.facts.set(key, { key, value: structuredClone(value), version });
      return version;
    },
    remove: async (sessionId, key, options = {}) => {
      const session = sessions.get(sessionId);
      const current = session?.facts.get(key);
      if (session === undefined || current === undefined) return false;
      if (options.expected !== undefined && options.expected !== current.version) return false;
      session.facts.delete(key);
      session.revision++;
      return true;
    },
    revision: async (sessionId) => sessions.get(sessionId)?.revision ?? 0,
    clear: async (sessionId) => {
      sessions.delete(sessionId);
    },
  };
}
