import { traitsOf } from "../ledger/generation.ts";
import type { NodeSettings } from "../ledger/view.ts";
import { type Answer, contentTypes, withoutHead } from "./answer.ts";

/** `/v1/spec`: a page that loads an explorer and points it at the document beside it. */
export function specPage({ generation }: NodeSettings): Answer {
  const document = generation === "D" ? "spec.json" : "spec.yaml";
  const body = `<!doctype html><html><head><title>Node API</title></head><body><elements-api apiDescriptionUrl="/v1/${document}"></elements-api></body></html>`;
  return withoutHead(contentTypes.html, Buffer.from(body));
}

/** `/v1/spec.json`: the description, pretty-printed. */
export function specJson(settings: NodeSettings): Answer {
  return withoutHead(contentTypes.frameworkJson, Buffer.from(JSON.stringify(description(settings), undefined, 2)));
}

/** `/v1/spec.yaml`: the same description. */
export function specYaml(settings: NodeSettings): Answer {
  const body = Buffer.from(`${yaml(description(settings), "").trimStart()}\n`);
  return withoutHead("application/x-yaml", body, { "content-disposition": 'inline; filename="spec.yaml"' });
}

type Tree = string | boolean | readonly Tree[] | { readonly [key: string]: Tree };

/** Only as much as tells the generations apart: the paths, and which fields of which shapes are required. */
function description({ generation }: NodeSettings): Tree {
  const traits = traitsOf[generation];
  const withVariants = traits.enums === "with variants";
  const get = (summary: string): Tree => ({ get: { summary, responses: { "200": { description: "" } } } });
  return {
    openapi: "3.0.0",
    info: { title: traits.specTitle, version: "1.2.0" },
    servers: [{ url: "/v1" }],
    paths: {
      "/": get("The node's ledger"),
      ...(traits.hasInfo ? { "/info": get("How the node is run") } : {}),
      "/accounts/{address}": get("One account's record"),
      "/accounts/{address}/modules": get("An account's modules, page by page"),
      "/accounts/{address}/module/{module_name}": get("One module"),
    },
    components: {
      schemas: {
        IndexResponse: {
          type: "object",
          required: ["chain_id", "epoch", "ledger_version", "oldest_ledger_version", "ledger_timestamp", "node_role"],
          properties: { chain_id: { type: "integer" }, ...(traits.encryptionKeyInIndex ? { encryption_key: { type: "string" } } : {}) },
        },
        MoveStruct: {
          type: "object",
          required: [
            "name",
            "is_native",
            ...(traits.isEvent ? ["is_event"] : []),
            ...(withVariants ? ["is_enum"] : []),
            "abilities",
            "generic_type_params",
            "fields",
            ...(withVariants ? ["variants"] : []),
          ],
        },
      },
    },
  };
}

function yaml(tree: Tree, indent: string): string {
  if (typeof tree === "string" || typeof tree === "boolean") return ` ${JSON.stringify(tree)}`;
  if (Array.isArray(tree)) return tree.map((item) => `\n${indent}-${yaml(item, `${indent}  `)}`).join("");
  return Object.entries(tree)
    .map(([key, value]) => `\n${indent}${JSON.stringify(key)}:${yaml(value, `${indent}  `)}`)
    .join("");
}
