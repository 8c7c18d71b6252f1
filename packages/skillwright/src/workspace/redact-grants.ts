import { cutMark } from "./capped-output.ts";

/** Takes the values of granted variables out of what a run prints. */
export interface Redactor {
  /** A whole text at once. */
  redact(text: string): string;
  /** A text whose middle was cut out, so that half a value may stand on either side of the cut. */
  redactCut(text: string, truncatedBytes: number): string;
  /** One stream in pieces; holds back what may be the beginning of a value until it is decided. */
  stream(): { push(text: string): string; end(): string };
}

/** Shorter values would match by chance; nothing that short is a secret. */
const minSecretLength = 6;

/** A {@link Redactor} that writes `[NAME]` where a granted value stood. */
export function grantRedactor(grants: Readonly<Record<string, string>> | undefined): Redactor {
  const secrets = Object.entries(grants ?? {})
    .flatMap(([name, value]) => [value, value.trim()].map((text) => ({ name, text })))
    .filter((secret) => secret.text.length >= minSecretLength)
    .sort((a, b) => b.text.length - a.text.length);
  if (secrets.length === 0) return nothingToRedact;

  const redact = (text: string): string => {
    let clean = text;
    for (const secret of secrets) clean = clean.replaceAll(secret.text, `[${secret.name}]`);
    return clean;
  };
  return {
    redact,
    redactCut(text, truncatedBytes) {
      const mark = cutMark(truncatedBytes);
      const at = truncatedBytes === 0 ? -1 : text.indexOf(mark);
      if (at === -1) return redact(text);
      const head = redact(text.slice(0, at));
      const tail = redact(text.slice(at + mark.length));
      return head.slice(0, head.length - longestOpening(head, secrets)) + mark + tail.slice(longestEnding(tail, secrets));
    },
    stream: () => {
      let held = "";
      return {
        push(text) {
          const clean = redact(held + text);
          const keep = longestOpening(clean, secrets);
          held = clean.slice(clean.length - keep);
          return clean.slice(0, clean.length - keep);
        },
        end() {
          const rest = held;
          held = "";
          return rest;
        },
      };
    },
  };
}

const nothingToRedact: Redactor = {
  redact: (text) => text,
  redactCut: (text) => text,
  stream: () => ({ push: (text) => text, end: () => "" }),
};

/** How many of the last characters may be the beginning of a secret. */
function longestOpening(text: string, secrets: readonly { readonly text: string }[]): number {
  let longest = 0;
  for (const secret of secrets) {
    for (let length = Math.min(secret.text.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(secret.text.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** How many of the first characters may be the end of a secret. */
function longestEnding(text: string, secrets: readonly { readonly text: string }[]): number {
  let longest = 0;
  for (const secret of secrets) {
    for (let length = Math.min(secret.text.length - 1, text.length); length > longest; length--) {
      if (text.startsWith(secret.text.slice(secret.text.length - length))) longest = length;
    }
  }
  return longest;
}
