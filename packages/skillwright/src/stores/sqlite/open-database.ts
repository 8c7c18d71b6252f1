import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { storeFailure } from "../wire/store-failure.ts";

/** An open database file, and the one way to write to it. */
export interface Database {
  readonly connection: DatabaseSync;
  /** Runs synchronous work as one transaction that no other process can come between. */
  write<T>(work: () => T): T;
  /** Closing twice is closing once. */
  close(): void;
}

/** Transactions take well under a millisecond, so only a stuck process makes another one wait this long. */
const busyTimeoutMs = 10_000;

/** Opens a database file, creates it with its folder and tables where they are missing, and shares it with other processes. */
export function openDatabase(path: string, schema: string): Database {
  let connection: DatabaseSync | undefined;
  try {
    if (path !== ":memory:") mkdirSync(dirname(resolve(path)), { recursive: true });
    connection = new DatabaseSync(path);
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    // With a write-ahead log, NORMAL hands every commit to the operating system before it is acknowledged, so it outlives the
    // process however that dies. Only a power cut can take the last commits, never the file; FULL would block the event
    // loop on the disk for every fact.
    connection.exec("PRAGMA synchronous = NORMAL");
    switchToLog(connection);
    connection.exec(schema);
    return { connection, write: writer(connection), close: closer(connection) };
  } catch (error) {
    connection?.close();
    throw storeFailure("SQLite store", sqliteHint(path), error);
  }
}

/** What to do when a database file fails. */
export function sqliteHint(path: string): string {
  return `Check that "${path}" is a SQLite database on a local disk that this process may read and write, and that it is still open.`;
}

/** The switch needs the file for itself for a moment, and SQLite does not wait for that on its own. */
function switchToLog(connection: DatabaseSync): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += 10) {
    try {
      connection.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const busy = error instanceof Error && error.message.includes("locked");
      if (!busy || waitedMs >= busyTimeoutMs) throw error;
      Atomics.wait(pause, 0, 0, 10);
    }
  }
}

function closer(connection: DatabaseSync): () => void {
  let open = true;
  return () => {
    if (open) connection.close();
    open = false;
  };
}

function writer(connection: DatabaseSync): Database["write"] {
  return (work) => {
    connection.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        connection.exec("ROLLBACK");
      } catch {
        // SQLite has rolled back already; the first error is the one that says why.
      }
      throw error;
    }
  };
}
