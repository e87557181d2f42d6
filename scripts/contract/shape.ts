import type { JsonSchema } from "../../src/base/document/result.ts";
import { kindOf, kinds } from "./kinds.ts";

/** An object's fields in words: `name`, `name?` where it may be missing, `name~` where it may be null. */
export type Inside = Readonly<Record<string, JsonSchema>>;

/** An object with these fields. What a field holds its name says, or `inside` where it holds more than one value. */
export function object(fields: string, inside: Inside = {}): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const field of fields.trim().split(/\s+/)) {
    const [, name = "", mark] = /^(\w+)([?~]*)$/.exec(field) ?? [];
    const schema = inside[name] ?? scalar(name);
    properties[name] = mark?.includes("~") ? orNull(schema) : schema;
    if (!mark?.includes("?")) required.push(name);
  }
  return { type: "object", properties, required };
}

/** Several objects' fields in one. */
export function together(...shapes: readonly JsonSchema[]): JsonSchema {
  return {
    type: "object",
    properties: Object.assign({}, ...shapes.map((shape) => shape["properties"])),
    required: shapes.flatMap((shape) => shape["required"]),
  };
}

/** A list of these. */
export const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });
/** One of these. */
export const either = (...anyOf: readonly JsonSchema[]): JsonSchema => ({ anyOf });
/** An object whose names are data. */
export const named = (additionalProperties: JsonSchema): JsonSchema => ({ type: "object", additionalProperties });
/** One of these words. */
export const word = (...words: readonly string[]): JsonSchema => ({ type: "string", enum: words });
export const { text, count, version } = kinds;
/** Anything. */
export const any: JsonSchema = {};

function scalar(name: string): JsonSchema {
  return kinds[kindOf(name)];
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema as { readonly type?: string; readonly enum?: readonly string[] };
  if (type === undefined) return { anyOf: [schema, { type: "null" }] };
  return { ...schema, type: [type, "null"], ...(words === undefined ? {} : { enum: [...words, null] }) };
}
