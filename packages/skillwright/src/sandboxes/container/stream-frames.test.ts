import fc from "fast-check";
import { expect, test } from "vitest";
import { streamFrames } from "./stream-frames.ts";

function frame(stream: number, body: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

test("frames come out the same however the stream is cut", () => {
  const frames = fc.array(fc.record({ stream: fc.constantFrom(1, 2), body: fc.uint8Array({ maxLength: 40 }) }), { maxLength: 12 });
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1 }), (sent, cuts) => {
      const got = { stdout: [] as number[], stderr: [] as number[] };
      const feed = streamFrames((stream, chunk) => got[stream].push(...chunk));
      const wire = Buffer.concat(sent.map(({ stream, body }) => frame(stream, body)));
      for (let at = 0, turn = 0; at < wire.length; turn++) {
        const size = cuts[turn % cuts.length] ?? 1;
        feed(wire.subarray(at, at + size));
        at += size;
      }
      const bytesOf = (wanted: number): number[] => sent.filter(({ stream }) => stream === wanted).flatMap(({ body }) => [...body]);
      expect(got).toEqual({ stdout: bytesOf(1), stderr: bytesOf(2) });
    }),
  );
});
