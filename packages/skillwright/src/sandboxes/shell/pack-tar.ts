/** One entry of a tar archive; a path that ends in `/` is a folder. */
export interface TarEntry {
  readonly path: string;
  readonly data?: Uint8Array;
  readonly mode: number;
  /** Target of a symbolic link. */
  readonly link?: string;
}

const block = 512;
const nameBytes = 100;

/**
 * Packs entries into a tar archive in GNU's format, the one that GNU tar, BusyBox and container engines all unpack with long names.
 * Owner root and times zero, so equal content gives equal bytes.
 */
export function packTar(entries: readonly TarEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const entry of entries) {
    const path = Buffer.from(entry.path);
    const link = Buffer.from(entry.link ?? "");
    if (link.length > nameBytes) parts.push(...longName("K", link));
    if (path.length > nameBytes) parts.push(...longName("L", path));
    const type = entry.link !== undefined ? "2" : entry.path.endsWith("/") ? "5" : "0";
    const data = type === "0" ? (entry.data ?? new Uint8Array()) : new Uint8Array();
    parts.push(header(path, type, data.length, entry.mode, link), data as Buffer, padding(data.length));
  }
  return Buffer.concat([...parts, Buffer.alloc(block * 2)]);
}

/** A name that does not fit into a header stands as a file of its own before it. */
function longName(type: "K" | "L", name: Buffer): Buffer[] {
  const body = Buffer.concat([name, Buffer.alloc(1)]);
  return [header(Buffer.from("././@LongLink"), type, body.length, 0o644, Buffer.alloc(0)), body, padding(body.length)];
}

function header(path: Buffer, type: string, bytes: number, mode: number, link: Buffer): Buffer {
  const head = Buffer.alloc(block);
  path.copy(head, 0, 0, nameBytes);
  head.write(octal(mode & 0o7777, 7), 100);
  head.write(octal(0, 7), 108);
  head.write(octal(0, 7), 116);
  head.write(octal(bytes, 11), 124);
  head.write(octal(0, 11), 136);
  head.write("        ", 148);
  head.write(type, 156);
  link.copy(head, 157, 0, nameBytes);
  head.write("ustar  \0", 257, "latin1");
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return head;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function padding(bytes: number): Buffer {
  return Buffer.alloc((block - (bytes % block)) % block);
}
