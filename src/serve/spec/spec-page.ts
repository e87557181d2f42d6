import { nodeDeviations } from "./node-deviations.ts";
import { openApi } from "./openapi.ts";
import { schemas } from "./openapi-schemas.ts";

type Parameter = {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description: string;
  readonly example?: string;
};
type Described = { readonly description: string };
type Response = Described & {
  readonly headers?: Readonly<Record<string, Described>>;
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly example?: object }>>;
};
type Operation = {
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
};

/** Schemas do not refer to themselves; this bounds the page should one ever. */
const MAX_DEPTH = 8;

const operations = Object.entries(openApi.paths as Readonly<Record<string, { readonly get: Operation }>>);

/**
 * The page of the API: for each operation its parameters, a line for curl, its answer, headers and errors. It is plain HTML, since every
 * answer below `/v1` forbids styles and scripts. Its links are relative, so that it works behind a proxy; none is to a file that a browser
 * would save, which the policy forbids too.
 */
export const specHtml = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(openApi.info.title)}</title></head><body>
<nav aria-label="movedex"><a href="../">← To the overview</a></nav><main><h1>${escapeHtml(openApi.info.title)}</h1>
<p>${prose(openApi.info.description)}</p>
<p>The description itself: <a href="spec.json">spec.json</a>, or <code>spec.yaml</code> beside it. In the lines for curl,
<code>$BASE</code> stands for the address of this service with its <code>/v1</code>.</p>
<h2>Operations</h2>
${operations.map(([path, { get }]) => operationHtml(path, get)).join("\n")}
<h2>Where this service differs from a node</h2>
${table(
  ["Where", "A node", "Here", "Why"],
  Object.values(nodeDeviations).map((row) => [row.where, row.node, row.movedex, row.why].map(prose)),
)}
</main></body></html>
`;

function operationHtml(path: string, { summary, parameters, responses }: Operation): string {
  const full = path === "/" ? "/v1" : `/v1${path}`;
  const { "200": success, ...errors } = responses;
  const content = Object.entries(success?.content ?? {});
  const takesBcs = content.some(([type]) => type === "application/x-bcs");
  const example = parameters.reduce((text, { name, example: value = `{${name}}` }) => text.replace(`{${name}}`, value), full);
  const parameterRows = parameters.map(({ name, in: place, required, description }) => [
    `<code>${breakable(name)}</code>`,
    `${place}${required ? ", required" : ""}`,
    prose(description),
  ]);
  const errorRows = Object.entries(errors).map(([status, { description }]) => [status, prose(description)]);
  return `<details><summary>GET <b>${breakable(full)}</b> ${escapeHtml(summary)}</summary>
<p><code>${breakable(`curl -s ${takesBcs ? "[-H 'accept: application/x-bcs'] " : ""}"$BASE${example.slice("/v1".length)}"`)}</code></p>${exampleLink(full, example)}
${parameterRows.length === 0 ? "" : `<h3>Parameters</h3>${table(["Name", "In", "Meaning"], parameterRows)}`}
<h3>Answer</h3>${content.map(([type, { schema, example: body }]) => `<p><code>${escapeHtml(type)}</code></p>${schemaHtml(schema)}${exampleHtml(body)}`).join("")}
${headersHtml(success?.headers ?? {})}
${errorRows.length === 0 ? "" : `<h3>Errors</h3>${table(["Status", "<code>error_code</code>"], errorRows)}`}<hr></details>`;
}

/** The example's answer as a link. Empty if the example needs a value that an archive may not have, or is a file that a browser saves. */
function exampleLink(full: string, example: string): string {
  if (example.includes("{") || example.endsWith(".yaml")) return "";
  const href = full === "/v1" ? "../v1" : example.slice("/v1/".length);
  return `<p><a href="${escapeHtml(href)}">The answer of this example</a></p>`;
}

function exampleHtml(body: object | undefined): string {
  if (body === undefined) return "";
  const lines = JSON.stringify(body, null, 2).split("\n").map(breakable);
  return `<p>For example:</p><p><code>${lines.join("<br>\n")}</code></p>`;
}

/** The ledger headers come in two spellings; the page lists one of them. */
function headersHtml(headers: NonNullable<Response["headers"]>): string {
  const rows = Object.entries(headers).filter(([name]) => !name.startsWith("X-NODE-"));
  if (rows.length === 0) return "";
  const cells = rows.map(([name, { description }]) => [`<code>${breakable(name.toLowerCase())}</code>`, prose(description)]);
  return `<h3>Headers</h3><p>Those that begin with x-aptos- come as x-node- too.</p>${table(["Header", "Meaning"], cells)}`;
}

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

/** The shape of a body as a table: a row for each field, fields of fields below it, indented. */
function schemaHtml(schema: object): string {
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
    const label = `${"&emsp;".repeat(depth)}<code>${breakable(name)}${required.includes(name) ? "" : "?"}</code>`;
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text with `code` in it as HTML. */
function prose(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : `<code>${breakable(part)}</code>`))
    .join("");
}

/** Code as HTML that keeps its indent, and that may be broken where a screen is too narrow, since no style can say so. */
function breakable(text: string): string {
  const [indent = ""] = /^ */.exec(text) ?? [];
  const parts = text.slice(indent.length).match(/.{1,20}?[_/,:-]+|.{1,20}/g) ?? [];
  return "&nbsp;".repeat(indent.length) + parts.map(escapeHtml).join("<wbr>");
}

/** A table of cells that are HTML already. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const body = rows.map((cells) => `<tr valign="top">${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<table rules="rows" cellpadding="4"><tr align="left">${heads.map((head) => `<th>${head}</th>`).join("")}</tr>\n${body}</table>`;
}
