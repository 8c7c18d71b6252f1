import { type Digest, digestOf, SkillError } from "../../core/index.ts";

/** Whether a value is a digest at all; anything else is simply not kept, and never becomes part of a path or key. */
export function isDigest(value: string): value is Digest {
  return /^sha256:[0-9a-f]{64}$/.test(value);
}

/**
 * Answers the bytes when they still have their digest.
 * @throws SkillError `digest-mismatch` otherwise
 */
export async function verifyBytes(bytes: Uint8Array, digest: Digest, where: string): Promise<Uint8Array> {
  const found = await digestOf(bytes);
  if (found === digest) return bytes;
  throw new SkillError("digest-mismatch", `What is kept at ${where} is damaged: its digest is ${found}, not ${digest}.`, {
    hint: "Restore it from a backup, or remove it and save the same bytes again.",
    data: { expected: digest, found },
  });
}
