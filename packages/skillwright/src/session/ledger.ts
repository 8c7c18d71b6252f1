import type { CountTokens } from "../core/index.ts";

/** What a piece of context is. */
export type LedgerKind = "catalog" | "tools" | "body" | "resource" | "output" | "message";

/** One piece of context that came from skills. */
export interface LedgerEntry {
  readonly kind: LedgerKind;
  /** The skill, file or tool it came from. */
  readonly name: string;
  readonly tokens: number;
  /** Model requests that carried it so far. */
  readonly requests: number;
}

/** What skills cost a conversation, in tokens. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** Tokens that each request carried because of skills, in order. */
  readonly perRequest: readonly number[];
  /** Tokens that entered the context once: catalogue, bodies, resources, outputs. */
  readonly entered: number;
  /** Tokens of all requests together: what carrying them on cost. */
  readonly carried: number;
  /** What the next request will carry. */
  readonly next: number;
}

/** A {@link Ledger} that a session writes. */
export interface LedgerBook extends Ledger {
  /** Enters a piece of context; it is carried by every request until it is dropped. */
  enter(id: string, kind: LedgerKind, name: string, text: string): number;
  /** The piece left the context. */
  drop(id: string): void;
  /** A model request goes out with everything entered and not dropped. */
  request(): void;
}

/** An empty ledger. */
export function createLedger(countTokens: CountTokens): LedgerBook {
  interface Line {
    kind: LedgerKind;
    name: string;
    text: string | undefined;
    tokens: number;
    requests: number;
  }
  const lines = new Map<string, Line>();
  const gone: Line[] = [];
  const perRequest: number[] = [];
  let carried = 0;
  let next = 0;
  return {
    get entries() {
      return [...gone, ...lines.values()].map(({ kind, name, tokens, requests }) => ({ kind, name, tokens, requests }));
    },
    get perRequest() {
      return perRequest;
    },
    get entered() {
      let sum = 0;
      for (const line of gone) sum += line.tokens;
      for (const line of lines.values()) sum += line.tokens;
      return sum;
    },
    get carried() {
      return carried;
    },
    get next() {
      return next;
    },
    enter(id, kind, name, text) {
      const present = lines.get(id);
      if (present !== undefined && present.text === text) return present.tokens;
      if (present !== undefined) this.drop(id);
      const tokens = countTokens(text);
      // Only standing texts are compared with their next version; keeping every output would double its memory.
      const standing = kind === "catalog" || kind === "tools";
      lines.set(id, { kind, name, text: standing ? text : undefined, tokens, requests: 0 });
      next += tokens;
      return tokens;
    },
    drop(id) {
      const line = lines.get(id);
      if (line === undefined) return;
      lines.delete(id);
      gone.push(line);
      next -= line.tokens;
    },
    request() {
      for (const line of lines.values()) line.requests++;
      perRequest.push(next);
      carried += next;
    },
  };
}
