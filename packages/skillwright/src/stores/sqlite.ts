import { type BlobStore, digestOf } from "../core/index.ts";
import type { Artifact, ArtifactStore, SessionStore } from "../session/index.ts";
import { openDatabase, sqliteHint } from "./sqlite/open-database.ts";
import { decodeKey, encodeKey, sortFacts, toFact } from "./wire/fact-key.ts";
import { guarded } from "./wire/store-failure.ts";
import { isDigest, verifyBytes } from "./wire/verify-bytes.ts";

const sessionSchema = `
  CREATE TABLE IF NOT EXISTS skillwright_session (id TEXT PRIMARY KEY, revision INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS skillwright_fact (
    session TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (session, key)
  );
`;

const blobSchema = "CREATE TABLE IF NOT EXISTS skillwright_blob (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL);";

// Node 22 binds no bytes as NULL.
const keepBlob =
  "INSERT INTO skillwright_blob (digest, bytes) VALUES (?, coalesce(?, x'')) ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes";

const artifactSchema = `
  ${blobSchema}
  CREATE TABLE IF NOT EXISTS skillwright_artifact (
    session TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL,
    media_type TEXT NOT NULL, bytes INTEGER NOT NULL, digest TEXT NOT NULL REFERENCES skillwright_blob,
    PRIMARY KEY (session, name, version)
  );
`;

/**
 * A {@link SessionStore} in one SQLite file, which any number of processes on the machine may share.
 * An acknowledged write survives SIGKILL of the process; `:memory:` keeps everything in this process.
 * @throws SkillError `store-failed` when the file cannot be opened, and from every operation that the file refuses
 */
export function sqliteStore(path: string): SessionStore & { close(): Promise<void> } {
  const { connection, write, close } = openDatabase(path, sessionSchema);
  const run = <T>(work: () => T): Promise<T> => guarded("SQLite session store", sqliteHint(path), work);
  const one = connection.prepare("SELECT key, value, version FROM skillwright_fact WHERE session = ? AND key = ?");
  // Keys are printable ASCII, so everything that starts with a prefix sorts before the prefix followed by DEL.
  const some = connection.prepare(
    "SELECT key, value, version FROM skillwright_fact WHERE session = ? AND key >= ? AND key < ? || char(127)",
  );
  const put = connection.prepare(
    "INSERT INTO skillwright_fact (session, key, value, version) VALUES (?, ?, ?, ?) " +
      "ON CONFLICT (session, key) DO UPDATE SET value = excluded.value, version = excluded.version",
  );
  const drop = connection.prepare("DELETE FROM skillwright_fact WHERE session = ? AND key = ?");
  const bump = connection.prepare(
    "INSERT INTO skillwright_session (id, revision) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET revision = revision + 1 RETURNING revision",
  );
  const revision = connection.prepare("SELECT revision FROM skillwright_session WHERE id = ?");
  const forget = connection.prepare("DELETE FROM skillwright_session WHERE id = ?");
  const forgetFacts = connection.prepare("DELETE FROM skillwright_fact WHERE session = ?");

  return {
    list: (sessionId, prefix) =>
      run(() => {
        const start = encodeKey(prefix);
        return sortFacts(some.all(encodeKey(sessionId), start, start).map((row) => toFact(row as never)));
      }),
    get: (sessionId, key) =>
      run(() => {
        const row = one.get(encodeKey(sessionId), encodeKey(key));
        return row && toFact(row as never);
      }),
    set: (sessionId, key, value, { expected } = {}) =>
      run(() =>
        write(() => {
          const [session, name] = [encodeKey(sessionId), encodeKey(key)];
          if (expected !== undefined && expected !== Number(one.get(session, name)?.version ?? 0)) return undefined;
          const version = Number(bump.get(session)?.revision);
          put.run(session, name, JSON.stringify(value), version);
          return version;
        }),
      ),
    remove: (sessionId, key, { expected } = {}) =>
      run(() =>
        write(() => {
          const [session, name] = [encodeKey(sessionId), encodeKey(key)];
          const current = one.get(session, name);
          if (current === undefined || (expected !== undefined && expected !== Number(current.version))) return false;
          drop.run(session, name);
          bump.get(session);
          return true;
        }),
      ),
    revision: (sessionId) => run(() => Number(revision.get(encodeKey(sessionId))?.revision ?? 0)),
    clear: (sessionId) =>
      run(() =>
        write(() => {
          forget.run(encodeKey(sessionId));
          forgetFacts.run(encodeKey(sessionId));
        }),
      ),
    close: () => run(close),
  };
}

/**
 * An {@link ArtifactStore} in one SQLite file, which may be the file of the sessions; equal bytes are kept once.
 * @throws SkillError `store-failed` when the file cannot be opened or refuses an operation
 * @throws SkillError `digest-mismatch` when the bytes kept of an artifact are damaged
 */
export function sqliteArtifacts(path: string): ArtifactStore & { close(): Promise<void> } {
  const { connection, write, close } = openDatabase(path, artifactSchema);
  const run = <T>(work: () => T | Promise<T>): Promise<T> => guarded("SQLite artifact store", sqliteHint(path), work);
  const keep = connection.prepare(keepBlob);
  const add = connection.prepare(
    "INSERT INTO skillwright_artifact (session, name, version, media_type, bytes, digest) " +
      "SELECT ?, ?, coalesce(max(version) + 1, 0), ?, ?, ? FROM skillwright_artifact WHERE session = ? AND name = ? RETURNING version",
  );
  const newest = connection.prepare(
    "SELECT name, max(version) AS version, media_type, bytes, digest FROM skillwright_artifact WHERE session = ? GROUP BY name",
  );
  const pick = connection.prepare(
    "SELECT name, version, media_type, a.bytes, digest, b.bytes AS data FROM skillwright_artifact AS a JOIN skillwright_blob AS b USING (digest) " +
      "WHERE session = ? AND name = ? AND version = coalesce(?, version) ORDER BY version DESC LIMIT 1",
  );
  const toArtifact = (row: Record<string, unknown>): Artifact => ({
    name: decodeKey(String(row.name)),
    version: Number(row.version),
    mediaType: String(row.media_type),
    bytes: Number(row.bytes),
    digest: row.digest as Artifact["digest"],
  });

  return {
    save: (sessionId, name, data, { mediaType }) =>
      run(async () => {
        const kept = data.slice();
        const digest = await digestOf(kept);
        const version = write(() => {
          keep.run(digest, kept);
          const [session, key] = [encodeKey(sessionId), encodeKey(name)];
          return Number(add.get(session, key, mediaType, kept.byteLength, digest, session, key)?.version);
        });
        return { name, version, mediaType, bytes: kept.byteLength, digest };
      }),
    list: (sessionId) =>
      run(() =>
        newest
          .all(encodeKey(sessionId))
          .map(toArtifact)
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      ),
    read: (sessionId, name, version) =>
      run(async () => {
        if (version !== undefined && !Number.isSafeInteger(version)) return undefined;
        const row = pick.get(encodeKey(sessionId), encodeKey(name), version ?? null);
        if (row === undefined) return undefined;
        const artifact = toArtifact(row);
        return { artifact, data: await verifyBytes(row.data as Uint8Array, artifact.digest, `artifact "${name}" in ${path}`) };
      }),
    close: () => run(close),
  };
}

/**
 * A {@link BlobStore} in one SQLite file, which may be the file of the sessions.
 * @throws SkillError `store-failed` when the file cannot be opened or refuses an operation
 */
export function sqliteBlobs(path: string): BlobStore & { close(): Promise<void> } {
  const { connection, close } = openDatabase(path, blobSchema);
  const run = <T>(work: () => T | Promise<T>): Promise<T> => guarded("SQLite blob store", sqliteHint(path), work);
  const keep = connection.prepare(keepBlob);
  const same = connection.prepare("SELECT 1 FROM skillwright_blob WHERE digest = ? AND bytes = coalesce(?, x'')");
  const pick = connection.prepare("SELECT bytes FROM skillwright_blob WHERE digest = ?");
  const there = connection.prepare("SELECT 1 FROM skillwright_blob WHERE digest = ?");

  return {
    get: (digest) =>
      run(async () => {
        const row = isDigest(digest) ? pick.get(digest) : undefined;
        return row && verifyBytes(row.bytes as Uint8Array, digest, `blob ${digest} in ${path}`);
      }),
    put: (bytes) =>
      run(async () => {
        const kept = bytes.slice();
        const digest = await digestOf(kept);
        if (same.get(digest, kept) === undefined) keep.run(digest, kept);
        return digest;
      }),
    has: (digest) => run(() => there.get(digest) !== undefined),
    close: () => run(close),
  };
}
