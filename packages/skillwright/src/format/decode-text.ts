const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes as strict UTF-8, a byte order mark kept; or the offset of the first byte that is not. */
export function decodeText(bytes: Uint8Array): string | { readonly invalidAt: number } {
  try {
    return decoder.decode(bytes);
  } catch {
    return { invalidAt: firstInvalidByte(bytes) };
  }
}

function firstInvalidByte(bytes: Uint8Array): number {
  // The lossy decoder puts U+FFFD for the first bad byte; what stands before it is valid, so its length in bytes is the offset.
  const lossy = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  for (const character of lossy) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0xfffd && !(bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd)) return offset;
    offset += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return offset;
}
