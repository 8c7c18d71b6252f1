import { addDiagnostic, type Report } from "./report.ts";

/** Where bytes stop being UTF-8. */
export interface InvalidText {
  /** Offset of the first byte that does not fit. */
  readonly offset: number;
  /** Line breaks before it. */
  readonly newlines: number;
  readonly isUtf16: boolean;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes as strict UTF-8, a byte order mark kept; or where they are not. */
export function decodeText(bytes: Uint8Array): string | InvalidText {
  try {
    return strict.decode(bytes);
  } catch {
    return findInvalid(bytes);
  }
}

/** Bytes as UTF-8, whatever is not replaced. */
export function decodeLossy(bytes: Uint8Array): string {
  return lossy.decode(bytes);
}

/** Reports text that is not UTF-8; `offset` and `line` say where the bytes began in the file. */
export function reportEncoding(report: Report, invalid: InvalidText, offset = 0, line = 1): void {
  const message = invalid.isUtf16
    ? "The file is UTF-16, not UTF-8."
    : `The file is not UTF-8: byte ${offset + invalid.offset} does not fit.`;
  addDiagnostic(report, "encoding-invalid", message, { line: line + invalid.newlines });
}

function findInvalid(bytes: Uint8Array): InvalidText {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  // The lossy decoder puts U+FFFD for the first bad byte; what stands before it is valid, so its length in bytes is the offset.
  let offset = 0;
  let newlines = 0;
  for (const character of lossy.decode(bytes)) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0xfffd && !(bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd)) break;
    if (code === 10) newlines++;
    offset += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return { offset, newlines, isUtf16 };
}
