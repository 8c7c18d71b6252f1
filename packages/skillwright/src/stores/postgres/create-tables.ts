/** A pool, client or any other thing that runs one statement with its values, as `pg` does. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

/** Codes by which PostgreSQL says that another connection created the same table at the same moment. */
const createdMeanwhile = new Set(["23505", "42P07", "42710"]);

/** Answers a function that creates the tables once, where the last of them is missing; after a failure the next call tries again. */
export function createTables(pool: PostgresPool, last: string, statements: readonly string[]): () => Promise<void> {
  let ready: Promise<void> | undefined;
  return () => {
    ready ??= create(pool, last, statements).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };
}

async function create(pool: PostgresPool, last: string, statements: readonly string[]): Promise<void> {
  // Asked first, so that a role without the right to create tables can use those it was given.
  const { rows } = await pool.query("SELECT to_regclass($1) IS NOT NULL AS there", [last]);
  if (rows[0]?.there === true) return;
  for (const statement of statements) {
    try {
      await pool.query(statement);
    } catch (error) {
      if (!createdMeanwhile.has(String((error as { readonly code?: unknown }).code))) throw error;
    }
  }
}
