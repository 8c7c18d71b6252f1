import { createHash } from "node:crypto";

/** A name of fixed length and harmless letters for a key that may hold anything; keys that differ in one code unit differ here. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key, "utf16le").digest("hex");
}
