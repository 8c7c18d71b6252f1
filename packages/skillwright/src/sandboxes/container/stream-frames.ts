/**
 * Splits an engine's multiplexed stream into stdout and stderr: frames of one byte that names the stream, three of padding, four of
 * length, and the bytes. Chunks may begin and end anywhere.
 */
export function streamFrames(onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void): (chunk: Uint8Array) => void {
  const header = new Uint8Array(8);
  let headerBytes = 0;
  let remaining = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (remaining === 0) {
        const part = chunk.subarray(at, at + 8 - headerBytes);
        header.set(part, headerBytes);
        headerBytes += part.length;
        at += part.length;
        if (headerBytes < 8) return;
        headerBytes = 0;
        remaining = new DataView(header.buffer).getUint32(4);
        continue;
      }
      const body = chunk.subarray(at, at + remaining);
      at += body.length;
      remaining -= body.length;
      onOutput(header[0] === 2 ? "stderr" : "stdout", body);
    }
  };
}
