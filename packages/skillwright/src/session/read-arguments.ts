import type { JsonObject, JsonValue } from "../core/index.ts";
import type { Fault, ParameterSpec, ToolSpec } from "../dialects/index.ts";

/** A tool's input in the operation's own names, or one sentence that says what is wrong. */
export type ArgumentsRead =
  | { readonly ok: true; readonly args: JsonObject; readonly input: JsonObject }
  | { readonly ok: false; readonly code: Fault["code"]; readonly detail: string; readonly missing?: readonly string[] };

/** Reads what a model passed to a tool: JSON text or an object, with the dialect's names, checked against its schema. */
export function readArguments(spec: ToolSpec, input: unknown): ArgumentsRead {
  const object = readObject(input);
  if (object === undefined) return invalid(`Pass one JSON object with ${expected(spec)}.`);
  const missing = spec.parameters.filter((parameter) => parameter.required && isBlank(ownValue(parameter, object))).map(({ name }) => name);
  if (missing.length > 0) {
    const named = missing.map((name) => `"${name}"`).join(" and ");
    const detail = `Missing: ${named}. Pass one JSON object with ${expected(spec)}.`;
    return { ...invalid(detail), missing };
  }
  const args: JsonObject = {};
  for (const parameter of spec.parameters) {
    const value = ownValue(parameter, object);
    if (value === undefined || value === null) continue;
    const read = coerce(value, parameter.schema);
    if (read === undefined) return invalid(`The argument "${parameter.name}" must be ${describe(parameter.schema)}.`);
    if (parameter.pattern !== undefined && !parameter.pattern.form.test(String(read))) {
      return { ok: false, code: parameter.pattern.fault, detail: String(read) };
    }
    args[parameter.to] = parameter.unit === "seconds" && typeof read === "number" ? Math.round(read * 1000) : read;
  }
  return { ok: true, args, input: object };
}

function invalid(detail: string): Extract<ArgumentsRead, { ok: false }> {
  return { ok: false, code: "arguments-invalid", detail };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** A JSON object, given as one or as its text. */
export function readObject(input: unknown): JsonObject | undefined {
  let value = input;
  if (typeof value === "string") {
    try {
      value = value.trim() === "" ? {} : JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  if (value === undefined || value === null) return {};
  return typeof value === "object" && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function ownValue(parameter: ParameterSpec, object: JsonObject): unknown {
  for (const name of [parameter.name, ...(parameter.aliases ?? [])]) {
    if (Object.hasOwn(object, name)) return object[name];
  }
  return undefined;
}

/** The value where it fits the schema; models often send a list as JSON text or a number as digits. */
function coerce(value: unknown, schema: JsonObject): JsonValue | undefined {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  for (const type of types) {
    const read = coerceTo(value, type, schema);
    if (read !== undefined) return read;
  }
  return schema.type === undefined ? (value as JsonValue) : undefined;
}

function coerceTo(value: unknown, type: JsonValue | undefined, schema: JsonObject): JsonValue | undefined {
  if (type === "string") {
    return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;
  }
  if (type === "number" || type === "integer") {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    return typeof number === "number" && Number.isFinite(number) ? number : undefined;
  }
  if (type === "boolean") return typeof value === "boolean" ? value : undefined;
  const structured = typeof value === "string" ? parsed(value) : value;
  if (type === "array") {
    if (!Array.isArray(structured)) return undefined;
    const items = schema.items as JsonObject | undefined;
    if (items === undefined) return structured as JsonValue[];
    const read = structured.map((item) => coerce(item, items));
    return read.every((item) => item !== undefined) ? (read as JsonValue[]) : undefined;
  }
  if (type === "object")
    return typeof structured === "object" && structured !== null && !Array.isArray(structured) ? (structured as JsonObject) : undefined;
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(schema: JsonObject): string {
  if (schema.type === "array") return "a list of texts";
  if (schema.type === "object") return "an object";
  if (schema.type === "integer" || schema.type === "number") return "a number";
  return schema.type === "boolean" ? "true or false" : "a text";
}

function expected(spec: ToolSpec): string {
  const names = spec.parameters.filter((parameter) => parameter.required).map((parameter) => `"${parameter.name}"`);
  return names.length === 0 ? "no required arguments" : names.join(" and ");
}
