/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema (2020-12), as tools publish it; always an object schema at the top. */
export interface JsonSchema {
  readonly type: "object";
  readonly properties: { readonly [name: string]: JsonObject };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}
