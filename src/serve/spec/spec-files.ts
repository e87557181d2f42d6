import { contentTypes } from "../http/answer.ts";
import type { Operation } from "../operations/service.ts";
import { openApi } from "./openapi.ts";
import { specHtml } from "./spec-page.ts";

/** Answers with a text that stays the same. */
function fixed(contentType: string, text: string, headers: Readonly<Record<string, string>> = {}): Operation {
  const body = Buffer.from(text);
  return () => ({ status: 200, contentType, body, cacheRule: "revalidate", headers });
}

export const specJson = fixed("application/json", `${JSON.stringify(openApi, undefined, 2)}\n`);
export const specYaml = fixed(contentTypes.yaml, formatYaml(openApi), { "content-disposition": 'inline; filename="spec.yaml"' });
/** The description as a page. */
export const specPage = fixed(contentTypes.html, specHtml);

/** Plain data as YAML in block style. Texts are quoted as in JSON, which is valid YAML. */
export function formatYaml(tree: unknown): string {
  return `${block(tree, "").replace(/^\n/, "")}\n`;
}

function block(tree: unknown, indent: string): string {
  if (Array.isArray(tree)) {
    return tree.length === 0 ? " []" : tree.map((item) => `\n${indent}-${block(item, `${indent}  `)}`).join("");
  }
  if (typeof tree !== "object" || tree === null) return ` ${JSON.stringify(tree)}`;
  const entries = Object.entries(tree).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return " {}";
  return entries
    .map(([key, value]) => `\n${indent}${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}:${block(value, `${indent}  `)}`)
    .join("");
}
