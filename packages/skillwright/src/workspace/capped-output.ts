/** Keeps the head and the tail of a byte stream within a budget, whatever its length and however it is chunked. */
export interface CappedOutput {
  push(chunk: Uint8Array): void;
  /** Bytes seen in all. */
  readonly totalBytes: number;
  /** The text kept, with a marker where it was cut. */
  finish(): { readonly text: string; readonly truncatedBytes: number };
}

/** What stands between head and tail. */
export function cutMark(bytes: number): string {
  return `\n[... ${bytes} bytes cut ...]\n`;
}

/** A {@link CappedOutput} of at most `maxBytes`; memory grows to that and no further. Cuts fall between characters of UTF-8. */
export function cappedOutput(maxBytes: number): CappedOutput {
  const headMax = Math.ceil(maxBytes / 2);
  const tailMax = maxBytes - headMax;
  // One buffer: the head stays, the rest is a ring. Until the first cut both are simply the stream itself.
  let kept: Uint8Array = new Uint8Array(Math.min(maxBytes, 4096));
  let total = 0;

  const grow = (needed: number): void => {
    if (needed <= kept.length || kept.length === maxBytes) return;
    const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, kept.length * 2)));
    larger.set(kept);
    kept = larger;
  };

  const pushTail = (chunk: Uint8Array, at: number): void => {
    if (tailMax === 0) return;
    const skipped = Math.max(0, chunk.length - tailMax);
    const rest = chunk.subarray(skipped);
    const start = (at + skipped) % tailMax;
    const untilEnd = Math.min(rest.length, tailMax - start);
    kept.set(rest.subarray(0, untilEnd), headMax + start);
    kept.set(rest.subarray(untilEnd), headMax);
  };

  return {
    push(chunk) {
      grow(total + chunk.length);
      const intoHead = Math.max(0, Math.min(chunk.length, headMax - total));
      if (intoHead > 0) kept.set(chunk.subarray(0, intoHead), total);
      if (intoHead < chunk.length) pushTail(chunk.subarray(intoHead), total + intoHead - headMax);
      total += chunk.length;
    },
    get totalBytes() {
      return total;
    },
    finish() {
      if (total <= maxBytes) return { text: decode(kept.subarray(0, total)), truncatedBytes: 0 };
      const head = trimEnd(kept.subarray(0, headMax));
      const turn = tailMax === 0 ? 0 : (total - headMax) % tailMax;
      const ring = kept.subarray(headMax, maxBytes);
      const tail = trimStart(concat(ring.subarray(turn), ring.subarray(0, turn)));
      const cut = total - head.length - tail.length;
      return { text: decode(head) + cutMark(cut) + decode(tail), truncatedBytes: cut };
    },
  };
}

/** Drops a character that was cut off at the end. */
function trimEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Drops the rest of a character whose beginning was cut off. */
function trimStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
