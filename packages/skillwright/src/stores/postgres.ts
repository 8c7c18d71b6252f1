import { type BlobStore, digestOf } from "../core/index.ts";
import type { SessionStore } from "../session/index.ts";
import { createTables, type PostgresPool } from "./postgres/create-tables.ts";
import { encodeKey, sortFacts, toFact } from "./wire/fact-key.ts";
import { hashKey } from "./wire/hash-key.ts";
import { guarded } from "./wire/store-failure.ts";
import { isDigest, verifyBytes } from "./wire/verify-bytes.ts";

export type { PostgresPool };

// An index entry has a greatest size in PostgreSQL and a key has none, so rows are found by the digest of their key.
const sessionTables = [
  "CREATE TABLE IF NOT EXISTS skillwright_session (digest text PRIMARY KEY, id text NOT NULL, revision bigint NOT NULL)",
  `CREATE TABLE IF NOT EXISTS skillwright_fact (
    session text NOT NULL REFERENCES skillwright_session ON DELETE CASCADE, digest text NOT NULL,
    key text NOT NULL, value text NOT NULL, version bigint NOT NULL, PRIMARY KEY (session, digest))`,
];

const blobTables = ["CREATE TABLE IF NOT EXISTS skillwright_blob (digest text PRIMARY KEY, bytes bytea NOT NULL)"];

// Each write is one statement that first takes the session's row, so writers of one session queue there and no two wait for
// each other. PostgreSQL then checks the fact as it is after the wait, not as it was when the statement began.
const setAlways = `
  WITH bumped AS (
    INSERT INTO skillwright_session AS s (digest, id, revision) VALUES ($1, $2, 1)
    ON CONFLICT (digest) DO UPDATE SET revision = s.revision + 1 RETURNING revision)
  INSERT INTO skillwright_fact (session, digest, key, value, version) SELECT $1, $3, $4, $5, revision FROM bumped
  ON CONFLICT (session, digest) DO UPDATE SET value = excluded.value, version = excluded.version RETURNING version`;

const setNew = `
  WITH bumped AS (
    INSERT INTO skillwright_session AS s (digest, id, revision)
    SELECT $1, $2, 1 WHERE NOT EXISTS (SELECT FROM skillwright_fact WHERE session = $1 AND digest = $3)
    ON CONFLICT (digest) DO UPDATE SET revision = s.revision + 1 RETURNING revision)
  INSERT INTO skillwright_fact (session, digest, key, value, version) SELECT $1, $3, $4, $5, revision FROM bumped
  ON CONFLICT (session, digest) DO NOTHING RETURNING version`;

const setExpected = `
  WITH bumped AS (
    UPDATE skillwright_session SET revision = revision + 1
    WHERE digest = $1 AND EXISTS (SELECT FROM skillwright_fact WHERE session = $1 AND digest = $2 AND version = $4)
    RETURNING revision)
  UPDATE skillwright_fact SET value = $3, version = bumped.revision FROM bumped
  WHERE session = $1 AND skillwright_fact.digest = $2 AND version = $4 RETURNING version`;

const removeFact = `
  WITH bumped AS (
    UPDATE skillwright_session SET revision = revision + 1
    WHERE digest = $1 AND EXISTS (SELECT FROM skillwright_fact WHERE session = $1 AND digest = $2 AND version = coalesce($3, version))
    RETURNING revision)
  DELETE FROM skillwright_fact USING bumped
  WHERE session = $1 AND skillwright_fact.digest = $2 AND version = coalesce($3, version) RETURNING version`;

const hint =
  "Check that the PostgreSQL server is reachable and that this role may use the tables skillwright_* (and create them, the first time).";

/**
 * A {@link SessionStore} in PostgreSQL, in the tables `skillwright_session` and `skillwright_fact` of the pool's search path,
 * which it creates where they are missing. The pool stays the host's own to close.
 * @throws SkillError `store-failed` from every operation that the server or the connection refuses
 */
export function postgresStore(pool: PostgresPool): SessionStore {
  const ready = createTables(pool, "skillwright_fact", sessionTables);
  const query = (text: string, ...values: unknown[]) =>
    guarded("PostgreSQL session store", hint, async () => {
      await ready();
      return (await pool.query(text, values)).rows;
    });

  return {
    list: async (sessionId, prefix) => {
      const text = "SELECT key, value, version FROM skillwright_fact WHERE session = $1 AND starts_with(key, $2)";
      const rows = await query(text, hashKey(sessionId), encodeKey(prefix));
      return sortFacts(rows.map((row) => toFact(row as never)));
    },
    get: async (sessionId, key) => {
      const text = "SELECT key, value, version FROM skillwright_fact WHERE session = $1 AND digest = $2";
      const [row] = await query(text, hashKey(sessionId), hashKey(key));
      return row && toFact(row as never);
    },
    set: async (sessionId, key, value, { expected } = {}) => {
      const json = JSON.stringify(value);
      const [row] = expected
        ? await query(setExpected, hashKey(sessionId), hashKey(key), json, expected)
        : await query(expected === 0 ? setNew : setAlways, hashKey(sessionId), encodeKey(sessionId), hashKey(key), encodeKey(key), json);
      return row && Number(row.version);
    },
    remove: async (sessionId, key, { expected } = {}) => {
      const rows = await query(removeFact, hashKey(sessionId), hashKey(key), expected ?? null);
      return rows.length > 0;
    },
    revision: async (sessionId) => {
      const [row] = await query("SELECT revision FROM skillwright_session WHERE digest = $1", hashKey(sessionId));
      return Number(row?.revision ?? 0);
    },
    clear: async (sessionId) => {
      await query("DELETE FROM skillwright_session WHERE digest = $1", hashKey(sessionId));
    },
  };
}

/**
 * A {@link BlobStore} in PostgreSQL, in the table `skillwright_blob`, for servers that share pins where they share sessions.
 * @throws SkillError `store-failed` from every operation that the server or the connection refuses
 */
export function postgresBlobs(pool: PostgresPool): BlobStore {
  const ready = createTables(pool, "skillwright_blob", blobTables);
  const query = (text: string, ...values: unknown[]) =>
    guarded("PostgreSQL blob store", hint, async () => {
      await ready();
      return (await pool.query(text, values)).rows;
    });

  return {
    get: async (digest) => {
      if (!isDigest(digest)) return undefined;
      const [row] = await query("SELECT bytes FROM skillwright_blob WHERE digest = $1", digest);
      return row && verifyBytes(new Uint8Array(row.bytes as Uint8Array), digest, `skillwright_blob ${digest}`);
    },
    put: async (bytes) => {
      const kept = bytes.slice();
      const digest = await digestOf(kept);
      const text =
        "INSERT INTO skillwright_blob AS b (digest, bytes) VALUES ($1, $2) ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes WHERE b.bytes <> excluded.bytes";
      await query(text, digest, kept);
      return digest;
    },
    has: async (digest) => (await query("SELECT 1 FROM skillwright_blob WHERE digest = $1", digest)).length > 0,
  };
}
