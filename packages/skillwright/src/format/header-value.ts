import type { JsonValue } from "../core/index.ts";

/** One value of a header before anyone decides what it means: text as YAML's failsafe schema reads it, lists and mappings. */
export type HeaderValue = HeaderScalar | HeaderList | HeaderMap;

/** A text, and whether it stood without quotes, so that YAML could take it for a number, a boolean or nothing. */
export interface HeaderScalar {
  readonly kind: "scalar";
  readonly text: string;
  readonly plain: boolean;
}

/** A list; `source` is the text as written where it is a flow collection. */
export interface HeaderList {
  readonly kind: "list";
  readonly items: readonly HeaderValue[];
  readonly source?: string;
}

/** A mapping; `source` as for {@link HeaderList}. */
export interface HeaderMap {
  readonly kind: "map";
  readonly entries: readonly HeaderEntry[];
  readonly source?: string;
}

/** One `key: value` of a mapping; line and column (1-based, of the file) say where the value stands. */
export interface HeaderEntry {
  readonly key: string;
  readonly value: HeaderValue;
  readonly line: number;
  readonly column: number;
  /** Whether a comment behind the value took text away that may have been meant. */
  readonly cut?: boolean;
}

/** A value as JSON: plain scalars become booleans, null and numbers, but a number only where its digits survive (`1.10` stays text). */
export function toJsonValue(value: HeaderValue): JsonValue {
  switch (value.kind) {
    case "scalar":
      return value.plain ? typedScalar(value.text) : value.text;
    case "list":
      return value.items.map(toJsonValue);
    case "map":
      return toRecord(value.entries);
  }
}

/** Entries as a record that inherits nothing. */
export function toRecord(entries: readonly HeaderEntry[]): { [key: string]: JsonValue } {
  const record = createRecord<JsonValue>();
  for (const entry of entries) record[entry.key] = toJsonValue(entry.value);
  return record;
}

/** A record that inherits nothing, so that no key of a skill can meet one of ours; a quarter of the size of `Object.create(null)`. */
export function createRecord<Value>(): { [key: string]: Value } {
  return Object.create(bare);
}

const bare: object = Object.freeze(Object.create(null));

/** What YAML 1.2's core schema makes of an unquoted text. */
export function typedScalar(text: string): string | number | boolean | null {
  if (text === "") return null;
  const first = text.charCodeAt(0);
  if ((first >= 48 && first <= 57) || first === 45) {
    const number = Number(text);
    return String(number) === text && Number.isFinite(number) ? number : text;
  }
  switch (text) {
    case "true":
    case "True":
    case "TRUE":
      return true;
    case "false":
    case "False":
    case "FALSE":
      return false;
    case "null":
    case "Null":
    case "NULL":
    case "~":
      return null;
    default:
      return text;
  }
}

/** What some YAML reader (of version 1.1 or 1.2) takes an unquoted text for; undefined where all take it for text. */
export function misreadingOf(text: string): "nothing" | "number" | "boolean" | "date" | undefined {
  // Nearly every text is told from these by its length and its first character.
  if (text.length <= 5) {
    if (text === "" || /^(?:~|null|Null|NULL)$/.test(text)) return "nothing";
    if (/^(?:true|false|yes|no|on|off)$/i.test(text)) return "boolean";
  }
  const first = text.charCodeAt(0);
  if (first > 57 || first < 43) return undefined;
  if (/^\d{4}-\d\d?-\d\d?(?:[Tt \t].*)?$/.test(text)) return "date";
  return /^[-+]?(?:0o[0-7]+|0x[\da-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|\.inf)$|^\.nan$/i.test(text) ? "number" : undefined;
}
