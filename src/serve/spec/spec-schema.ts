import { schemas } from "./openapi-schemas.ts";
import { escapeHtml, prose, table } from "./spec-html.ts";

/** The part of JSON Schema that the description uses. */
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

/** Schemas do not refer to themselves; this bounds the page should one ever. */
const MAX_DEPTH = 8;

/** The shape of a body as a table: a row for each field, fields of fields below it, indented. */
export function schemaHtml(schema: object): string {
  const rows = fieldRows(schema as Schema, 0);
  const what = `<p>${prose(resolve(schema as Schema).description ?? "")}${rows.length === 0 ? ` ${escapeHtml(typeOf(schema as Schema))}` : ""}</p>`;
  return rows.length === 0 ? what : `${what}${table(["Field", "Type", "Meaning"], rows)}`;
}

function fieldRows(schema: Schema, depth: number): string[][] {
  const { properties = {}, items, oneOf, required = [] } = resolve(schema);
  if (depth > MAX_DEPTH) return [];
  if (items !== undefined) return fieldRows(items, depth);
  if (oneOf !== undefined) return oneOf.flatMap((one) => fieldRows(one, depth));
  return Object.entries(properties).flatMap(([name, field]) => {
    const label = `<code class="d${Math.min(depth, 4)}">${escapeHtml(name)}${required.includes(name) ? "" : "?"}</code>`;
    return [[label, escapeHtml(typeOf(field)), prose(resolve(field).description ?? "")], ...fieldRows(field, depth + 1)];
  });
}

function typeOf(schema: Schema): string {
  const { type, format, items, oneOf, enum: values } = resolve(schema);
  if (values !== undefined) return values.join(" | ");
  if (oneOf !== undefined) return oneOf.map(typeOf).join(" | ");
  if (items !== undefined) return `${typeOf(items)}[]`;
  const types = typeof type === "string" ? type : (type ?? ["any"]).join(" | ");
  return format === undefined ? types : `${types} (${format})`;
}

function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (schemas[name as keyof typeof schemas] as Schema);
}
