import { contentTypes } from "../http/answer.ts";
import type { Operation } from "../operations/service.ts";
import { openApi } from "./openapi.ts";

type Described = {
  readonly summary: string;
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly description?: string }[];
  readonly responses: Readonly<Record<string, { readonly description?: string }>>;
};

/** Answers with a text that stays the same. */
function fixed(contentType: string, text: string, headers: Readonly<Record<string, string>> = {}): Operation {
  const body = Buffer.from(text);
  return () => ({ status: 200, contentType, body, cacheRule: "revalidate", headers });
}

const document = `${JSON.stringify(openApi, undefined, 2)}\n`;
export const specJson = fixed("application/json", document);
/** JSON is YAML, too. */
export const specYaml = fixed(contentTypes.yaml, document, { "content-disposition": 'inline; filename="spec.yaml"' });

/**
 * The description as a page. It is plain HTML, since every answer below `/v1` forbids styles and scripts. Its links are relative, so that
 * it works behind a proxy; none is to a file that a browser would save, which the policy forbids too.
 */
export const specHtml = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${openApi.info.title}</title></head><body>
<nav aria-label="movedex"><a href="../">← To the overview</a></nav><main><h1>${openApi.info.title}</h1>
<p>${prose(openApi.info.description)} JSON by default, BCS for <code>Accept: application/x-bcs</code>. The whole description, with headers
and the fields of each answer, is in <a href="spec.json">spec.json</a>.</p>
${Object.entries<{ get: Described }>(openApi.paths)
  .map(([path, { get }]) => operationHtml(path === "/" ? "" : path, get))
  .join("\n")}
</main></body></html>
`;
export const specPage = fixed(contentTypes.html, specHtml);

function operationHtml(path: string, { summary, parameters, responses }: Described): string {
  const example = path.replace("{address}", "0x1").replace("{module_name}", "coin");
  const isLinked = !example.includes("{") && !example.endsWith(".yaml");
  const items = [
    ...parameters.map(({ name = "", in: place, description = "" }) => `<code>${name}</code> (${place}): ${prose(description)}`),
    ...Object.entries(responses).flatMap(([status, { description = "" }]) => (status === "200" ? [] : [`${status} ${prose(description)}`])),
  ];
  return `<h2>GET ${breakable(`/v1${path}`)}</h2><p>${prose(summary)}.${isLinked ? ` <a href="${example.slice(1) || "../v1"}">An example</a>` : ""}</p>
${items.length === 0 ? "" : `<ul>${items.map((item) => `<li>${item}</li>`).join("\n")}</ul>`}`;
}

function prose(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return escaped.replace(/`([^`]+)`/g, (_, code: string) => `<code>${breakable(code)}</code>`);
}

/** Code that may be broken where a screen is too narrow, since no style can say so. */
function breakable(code: string): string {
  return code.replace(/[_/-]/g, "$&<wbr>");
}
