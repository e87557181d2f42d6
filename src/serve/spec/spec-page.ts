import { hash } from "node:crypto";
import { nodeDeviations } from "./node-deviations.ts";
import { openApi } from "./openapi.ts";
import { schemas } from "./openapi-schemas.ts";
import { specScript, specStyle } from "./spec-page-assets.ts";

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
 * The page of the API: for each operation its parameters, a form, a line for curl, its answer, headers and errors. One file that
 * fetches nothing, with relative links, so it works behind a proxy.
 */
export const specHtml = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(openApi.info.title)}</title><style>${specStyle}</style></head><body>
<nav aria-label="movedex"><a href="../">← To the overview</a></nav><main><h1>${escapeHtml(openApi.info.title)}</h1>
<p>${prose(openApi.info.description)}</p>
<p class="dim">The description itself: <a href="spec.json">spec.json</a>, <a href="spec.yaml">spec.yaml</a>. <span id="held"></span></p>
<h2>Operations</h2>
${operations.map(([path, { get }]) => operationHtml(path, get)).join("\n")}
<h2>Where this service differs from a node</h2>
${table(
  ["Where", "A node", "Here", "Why"],
  Object.values(nodeDeviations).map((row) => [row.where, row.node, row.movedex, row.why].map(prose)),
)}
</main><script>${specScript}</script></body></html>
`;

const source = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** What the page may do: its own style and script, and requests to this service. */
export const specPolicy =
  `default-src 'none'; style-src ${source(specStyle)}; script-src ${source(specScript)}; connect-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function operationHtml(path: string, { summary, parameters, responses }: Operation): string {
  const full = path === "/" ? "/v1" : `/v1${path}`;
  const { "200": success, ...errors } = responses;
  const content = Object.entries(success?.content ?? {});
  const accepts = content.some(([type]) => type === "application/x-bcs")
    ? '<label><span>Accept</span><select name="accept"><option>application/json</option><option>application/x-bcs</option></select></label>'
    : "";
  const example = parameters.reduce((text, { name, example: value = `{${name}}` }) => text.replace(`{${name}}`, value), full);
  const errorRows = Object.entries(errors).map(([status, { description }]) => [status, prose(description)]);
  return `<details><summary><b>GET</b><span class="path">${escapeHtml(full)}</span><span class="dim">${escapeHtml(summary)}</span></summary><div class="inside">
<form data-path="${escapeHtml(full)}">${parameters.map(inputHtml).join("")}${accepts}
<pre class="curl" tabindex="0">curl -s ${escapeHtml(example)}</pre><button hidden>Send</button>${exampleLink(full, example)}<pre class="answer" tabindex="0" aria-label="The answer" hidden></pre></form>
<h3>Answer</h3>${content.map(([type, { schema, example: body }]) => `<p><code>${escapeHtml(type)}</code></p>${schemaHtml(schema)}${exampleHtml(body)}`).join("")}
${headersHtml(success?.headers ?? {})}
${errorRows.length === 0 ? "" : `<h3>Errors</h3>${table(["Status", "<code>error_code</code>"], errorRows)}`}</div></details>`;
}

/**
 * The example's answer, for readers without scripts, who cannot use the form. Empty if the example needs a value that an archive may not
 * have.
 */
function exampleLink(full: string, example: string): string {
  if (example.includes("{")) return "";
  const href = full === "/v1" ? "../v1" : example.slice("/v1/".length);
  return `<noscript><p>Sending needs a script; <a href="${escapeHtml(href)}">the answer of the example</a> needs none.</p></noscript>`;
}

function exampleHtml(body: object | undefined): string {
  return body === undefined
    ? ""
    : `<p class="dim">For example:</p><pre class="example" tabindex="0">${escapeHtml(JSON.stringify(body, null, 2))}</pre>`;
}

/** The ledger headers come in two spellings; the page lists one of them. */
function headersHtml(headers: NonNullable<Response["headers"]>): string {
  const rows = Object.entries(headers).filter(([name]) => !name.startsWith("X-NODE-"));
  if (rows.length === 0) return "";
  const cells = rows.map(([name, { description }]) => [`<code>${escapeHtml(name.toLowerCase())}</code>`, prose(description)]);
  return `<h3>Headers</h3><p class="dim">Those that begin with x-aptos- come as x-node- too.</p>${table(["Header", "Meaning"], cells)}`;
}

function inputHtml({ name, in: place, required, description, example }: Parameter): string {
  return (
    `<label><span>${escapeHtml(name)}${required ? " *" : ""}</span><input name="${escapeHtml(name)}" data-in="${place}"` +
    `${required ? " required" : ""}${example === undefined ? "" : ` value="${escapeHtml(example)}"`}><small>${prose(description)}</small></label>`
  );
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text with `code` in it as HTML. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** A table of cells that are HTML already, which scrolls by itself, by keyboard too, where a screen is too narrow. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  const name = heads.join(", ").replace(/<[^>]*>/g, "");
  return `<div class="scroll" tabindex="0" role="group" aria-label="${name}"><table><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr>\n${body}</table></div>`;
}
