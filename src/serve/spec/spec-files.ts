import { contentTypes } from "../http/answer.ts";
import type { Operation } from "../operations/service.ts";
import { openApi } from "./openapi.ts";
import { specHtml, specPolicy } from "./spec-page.ts";

const json = Buffer.from(`${JSON.stringify(openApi, undefined, 2)}\n`);
const yaml = Buffer.from(formatYaml(openApi));
const html = Buffer.from(specHtml);

/** `GET /spec.json` */
export const specJson: Operation = () => ({ status: 200, contentType: "application/json", body: json, cacheRule: "revalidate" });

/** `GET /spec.yaml` */
export const specYaml: Operation = () => ({
  status: 200,
  contentType: contentTypes.yaml,
  body: yaml,
  cacheRule: "revalidate",
  headers: { "content-disposition": 'inline; filename="spec.yaml"' },
});

/** `GET /spec`: the description as a page. */
export const specPage: Operation = () => ({
  status: 200,
  contentType: contentTypes.html,
  body: html,
  cacheRule: "revalidate",
  headers: { "content-security-policy": specPolicy },
});

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
