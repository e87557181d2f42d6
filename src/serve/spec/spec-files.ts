import { contentTypes } from "../http/content-types.ts";
import type { Operation } from "../service.ts";
import { openApi } from "./openapi.ts";
import { specHtml, specPolicy } from "./spec-page.ts";
import { formatYaml } from "./yaml.ts";

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
