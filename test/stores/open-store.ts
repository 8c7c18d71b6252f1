import type { BlobStore } from "../../packages/skillwright/src/core/index.ts";
import type { ArtifactStore, SessionStore } from "../../packages/skillwright/src/session/index.ts";
import { directoryArtifacts, directoryBlobs } from "../../packages/skillwright/src/stores/directory.ts";
import { postgresStore } from "../../packages/skillwright/src/stores/postgres.ts";
import { redisStore } from "../../packages/skillwright/src/stores/redis.ts";
import { sqliteArtifacts, sqliteBlobs, sqliteStore } from "../../packages/skillwright/src/stores/sqlite.ts";

/** What opens a session store in any process: its kind, and a path or the address of a server. */
export interface StoreAddress {
  readonly kind: "sqlite" | "redis" | "postgres";
  readonly location: string;
}

/** Opens a session store from plain data, so that a test and the process it kills open the same one. */
export async function openSessionStore({ kind, location }: StoreAddress): Promise<SessionStore & { close(): Promise<void> }> {
  if (kind === "sqlite") return sqliteStore(location);
  if (kind === "redis") {
    const { createClient } = await import("redis");
    const client = createClient({ socket: { path: location, tls: false } });
    await client.connect();
    return { ...redisStore(client), close: async () => client.destroy() };
  }
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString: location, max: 4 });
  return { ...postgresStore(pool), close: () => pool.end() };
}

/** Opens the artifacts and blobs below a folder, in files or in one database. */
export function openFiles(kind: "sqlite" | "directory", folder: string): { readonly artifacts: ArtifactStore; readonly blobs: BlobStore } {
  if (kind === "directory") return { artifacts: directoryArtifacts(folder), blobs: directoryBlobs(folder) };
  const path = `${folder}/files.db`;
  return { artifacts: sqliteArtifacts(path), blobs: sqliteBlobs(path) };
}
