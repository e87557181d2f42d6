import { hash } from "node:crypto";
import { nodeDeviations } from "./node-deviations.ts";
import { openApi } from "./openapi.ts";
import { specScript, specStyle } from "./spec-page-assets.ts";

type Parameter = {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly description: string;
  readonly example?: string;
};
type Operation = {
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
};

const operations = Object.entries(openApi.paths as Readonly<Record<string, { readonly get: Operation }>>);

/**
 * The explorer: every operation of the description with a form that sends it to this very service. One file, which fetches
 * nothing from elsewhere, and whose policy lets nothing else run.
 */
export const specHtml = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(openApi.info.title)}</title><style>${specStyle}</style></head><body>
<h1>${escapeHtml(openApi.info.title)}</h1>
<p>${prose(openApi.info.description)}</p>
<p class="dim">The description itself: <a href="/v1/spec.json">spec.json</a>, <a href="/v1/spec.yaml">spec.yaml</a>. <span id="held"></span></p>
<h2>Operations</h2>
${operations.map(([path, { get }]) => operationHtml(path, get)).join("\n")}
<h2>Where this service differs from a node</h2>
<table><tr><th>Where</th><th>A node</th><th>Here</th><th>Why</th></tr>
${nodeDeviations.map((row) => `<tr>${[row.where, row.node, row.movedex, row.why].map((cell) => `<td>${prose(cell)}</td>`).join("")}</tr>`).join("\n")}
</table>
<script>${specScript}</script></body></html>
`;

const source = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** What the page may do: its own style and script, and questions to this service. */
export const specPolicy =
  `default-src 'none'; style-src ${source(specStyle)}; script-src ${source(specScript)}; connect-src 'self'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function operationHtml(path: string, { summary, parameters, responses }: Operation): string {
  const full = path === "/" ? "/v1" : `/v1${path}`;
  const success = Object.keys(responses["200"]?.content ?? {});
  const forms = success.includes("application/x-bcs")
    ? '<label><span>Accept</span><select name="accept"><option>application/json</option><option>application/x-bcs</option></select></label>'
    : "";
  const rows = Object.entries(responses).map(([status, { description }]) => `<tr><td>${status}</td><td>${prose(description)}</td></tr>`);
  return `<details><summary><b>GET</b><span class="path">${escapeHtml(full)}</span><span class="dim">${escapeHtml(summary)}</span></summary><div class="inside">
<form data-path="${escapeHtml(full)}">${parameters.map(inputHtml).join("")}${forms}<button>Send</button><pre hidden></pre></form>
<table>${rows.join("")}</table></div></details>`;
}

function inputHtml({ name, in: place, required, description, example }: Parameter): string {
  return (
    `<label><span>${escapeHtml(name)}${required ? " *" : ""}</span><input name="${escapeHtml(name)}" data-in="${place}"` +
    `${required ? " required" : ""}${example === undefined ? "" : ` value="${escapeHtml(example)}"`}><small>${prose(description)}</small></label>`
  );
}

/** Text with `code` in it. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
