import type { StoredFact } from "../../session/index.ts";

/**
 * Writes a key in printable ASCII, code unit by code unit, so that no store trims, folds, refuses or reorders it,
 * and a prefix of the key stays a prefix of what is written.
 */
export function encodeKey(key: string): string {
  return key.replace(/[^\x20-\x5b\x5d-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Reads what {@link encodeKey} wrote. */
export function decodeKey(written: string): string {
  return written.replace(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Reads one stored fact. */
export function toFact(row: { readonly key: unknown; readonly value: unknown; readonly version: unknown }): StoredFact {
  return { key: decodeKey(String(row.key)), value: JSON.parse(String(row.value)), version: Number(row.version) };
}

/** Sorts facts by key in JavaScript's own order, whatever order the store keeps. */
export function sortFacts(facts: readonly StoredFact[]): StoredFact[] {
  return facts.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
