import { describe, expect, test } from "vitest";

/** One line of what a home system does: what is given and what comes of it. */
export interface Row {
  /** The line's number in the catalogue of that system. */
  readonly id: string;
  readonly given: string;
  readonly expected: string;
  /**
   * `passed`: the same here. `bettered`: answered differently on purpose, and why.
   * `not-applicable`: a part that a TypeScript runtime for skills does not have, and why.
   */
  readonly status: "passed" | "bettered" | "not-applicable";
  readonly why?: string;
}

/** What proves one row. */
export type Proof = () => void | Promise<void>;

/** Registers a test for each row of a system; a row without a proof, or a proof without a row, fails. */
export function proveRows(system: string, rows: readonly Row[], proofs: Readonly<Record<string, Proof>>): void {
  describe(`${system}, line by line`, () => {
    test("every line is accounted for once", () => {
      const ids = rows.map((row) => row.id);
      expect(ids).toEqual([...new Set(ids)]);
      const proved = rows.filter((row) => row.status !== "not-applicable").map((row) => row.id);
      expect(Object.keys(proofs).sort()).toEqual([...proved].sort());
      for (const row of rows) if (row.status !== "passed") expect(row.why, `line ${row.id} needs a reason`).toBeTruthy();
    });
    for (const row of rows) {
      test(`${row.id}: ${row.given} → ${row.expected}`, async (context) => {
        if (row.status === "not-applicable") context.skip(row.why);
        await proofs[row.id]?.();
      });
    }
  });
}

/** A row that holds here as it does there. */
export function passed(id: string, given: string, expected: string): Row {
  return { id, given, expected, status: "passed" };
}

/** A row that is answered better here. */
export function bettered(id: string, given: string, expected: string, why: string): Row {
  return { id, given, expected, status: "bettered", why };
}

/** A row about a part that does not exist here. */
export function notApplicable(id: string, given: string, expected: string, why: string): Row {
  return { id, given, expected, status: "not-applicable", why };
}
