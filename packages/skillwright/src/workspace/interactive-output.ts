import type { Redactor } from "./redact-grants.ts";

/** What a running program printed, both streams in the order they came, readable from any offset. */
export interface InteractiveOutput {
  push(stream: "stdout" | "stderr", chunk: Uint8Array): void;
  end(): void;
  /** Text since an offset in UTF-16 units; what was dropped to stay within the budget is skipped. */
  since(offset: number): { readonly text: string; readonly next: number };
}

/** An {@link InteractiveOutput} that keeps at least the last `maxUnits` UTF-16 units. */
export function interactiveOutput(redactor: Redactor, maxUnits: number): InteractiveOutput {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const clean = { stdout: redactor.stream(), stderr: redactor.stream() };
  let text = "";
  let dropped = 0;
  const append = (more: string): void => {
    text += more;
    if (text.length <= maxUnits * 2) return;
    const cut = text.length - maxUnits;
    text = text.slice(cut);
    dropped += cut;
  };
  return {
    push: (stream, chunk) => append(clean[stream].push(decoders[stream].decode(chunk, { stream: true }))),
    end: () => {
      for (const stream of ["stdout", "stderr"] as const) append(clean[stream].push(decoders[stream].decode()) + clean[stream].end());
    },
    since: (offset) => ({ text: text.slice(Math.max(0, offset - dropped)), next: dropped + text.length }),
  };
}
