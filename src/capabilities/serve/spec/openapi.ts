import { contentTypes } from "../http/answer.ts";
import { headerPrefixes, ledgerHeaderNames, sourceHeaders } from "../http/headers.ts";
import type { Operation } from "../operations/service.ts";

const text = { type: "string" };
const flag = { type: "boolean" };
const count = { type: "integer", minimum: 0 };
const time = { type: "string", format: "date-time" };
const u64 = { type: "string", pattern: "^(0|[1-9][0-9]{0,19})$" };
const address = { type: "string", pattern: "^0x(0|[1-9a-f][0-9a-f]{0,63})$" };
const bytes = { type: "string", pattern: "^0x([0-9a-f]{2})*$" };
const word = (...words: readonly string[]) => ({ type: "string", enum: words });
const orNull = (schema: object) => ({ oneOf: [schema, { type: "null" }] });
const list = (items: object) => ({ type: "array", items });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", required, properties, additionalProperties: false };
};

const abilities = list(word("copy", "drop", "store", "key"));
const generic_type_params = list(object({ constraints: abilities }));
const visibility = word("private", "public", "friend");
const texts = list(text);
const fields = list(object({ name: text, type: text }));
const variants = list(object({ name: text, fields }));
/** What nodes of older generations do not print. */
const newer = ["is_event", "is_enum", "variants"];
const snapshot = {
  ledger_version: u64,
  status: word("sealed", "sealed_with_gaps"),
  sealed_at: time,
  accounts: count,
  modules: count,
  gaps: count,
  digest: { type: "string", pattern: "^[0-9a-f]{64}$" },
  ledger_time: orNull(time),
  ledger_time_error_ms: orNull(count),
};

/** The shapes of bodies. Where a node has the same shape, the name is the node's. */
const schemas = {
  AccountData: object({ sequence_number: u64, authentication_key: bytes }),
  MoveFunction: object({ name: text, visibility, is_entry: flag, is_view: flag, generic_type_params, params: texts, return: texts }),
  MoveStruct: object(
    { name: text, is_native: flag, is_event: flag, is_enum: flag, abilities, generic_type_params, fields, variants },
    newer,
  ),
  MoveModule: object({
    address,
    name: text,
    friends: texts,
    exposed_functions: list(ref("MoveFunction")),
    structs: list(ref("MoveStruct")),
  }),
  MoveModuleBytecode: object({ bytecode: bytes, abi: orNull(ref("MoveModule")) }),
  MoveModules: list(ref("MoveModuleBytecode")),
  IndexResponse: object({
    chain_id: count,
    epoch: u64,
    ledger_version: u64,
    oldest_ledger_version: u64,
    ledger_timestamp: u64,
    node_role: word("full_node", "validator"),
    oldest_block_height: u64,
    block_height: u64,
    git_hash: text,
    encryption_key: orNull(text),
  }),
  HealthCheckSuccess: object({ message: text }),
  Info: { type: "object", additionalProperties: true },
  Snapshot: object(snapshot),
  Snapshots: object({ chain_id: orNull(count), snapshots: list(ref("Snapshot")), next_before: orNull(text) }),
  SnapshotWithGaps: object({ chain_id: orNull(count), ...snapshot, missing: list(object({ address, reason: text })) }),
  AptosError: object({ message: text, error_code: text, vm_error_code: orNull(count) }),
};

const ledgerHeaders = headerPrefixes.flatMap((prefix) => ledgerHeaderNames.map((name) => prefix + name));
const headers = Object.fromEntries(
  [...ledgerHeaders, ...Object.values(sourceHeaders)].map((name) => [name.toUpperCase(), { schema: text }]),
);
const content = (mediaType: string, schema: object = text) => ({ description: "OK", content: { [mediaType]: { schema } } });
const json = (name: keyof typeof schemas) => content("application/json", ref(name));
const data = (name: keyof typeof schemas) => {
  const bcs = content("application/x-bcs", { type: "string", format: "binary" });
  return { description: "OK", headers, content: { ...json(name).content, ...bcs.content } };
};
const error = (description: string) => ({ ...json("AptosError"), description, headers });
const refusals = {
  "400": error("`web_framework_error`: a parameter does not parse; the message says which. `invalid_input`: `limit` is 0"),
  "403": error("`bcs_not_supported`: the archive holds the account's JSON only"),
  "404": error("`version_not_found`: the archive has no answer at that version. `account_not_found`, `module_not_found`: there is none"),
  "410": error("`version_pruned`: older than the oldest sealed version"),
  "429": error("`rate_limited`: more requests of one address than it may send"),
  "500": error("`internal_error`: the service failed"),
  "503": error("`internal_error`: nothing is sealed yet. `overloaded`: too much is asked at once"),
};
const unhealthy = error("`health_check_failed`: the newest snapshot is older than asked for. `internal_error`: nothing is sealed yet");

const inPath = (name: string, description: string, schema: object = text) => ({ name, in: "path", required: true, description, schema });
const inQuery = (name: string, description: string, schema: object) => ({ name, in: "query", required: false, description, schema });
const limit = (most: number) => inQuery("limit", `How many at most; more than ${most} counts as ${most}`, { type: "integer", minimum: 1 });
const account = inPath("address", "Account address, with or without 0x");
const atVersion = inQuery("ledger_version", "Ledger version to read; the newest sealed one when it is left out", u64);
const start = inQuery("start", "Cursor of the page before", text);
const age = inQuery("duration_secs", "How old the newest snapshot may be", count);
const before = inQuery("before", "Only snapshots of versions below", u64);

const get = (operationId: string, summary: string, parameters: readonly object[], success: object, failures: object = refusals) => ({
  get: { operationId, summary, parameters, responses: { "200": success, ...failures } },
});

/** The description of this service: `/spec.json` and `/spec.yaml`, the source of `/spec`, and what tests compare answers with. */
export const openApi = {
  openapi: "3.1.0",
  info: {
    title: "movedex serve",
    version: "1.0.0",
    description: "An archive of a Move ledger's accounts and modules, answering as a ledger node does, at the versions of `/snapshots`.",
    license: { name: "MIT", identifier: "MIT" },
  },
  // Relative to where the description lies, so that it holds behind a proxy with a path of its own.
  servers: [{ url: "../v1" }],
  paths: {
    "/": get("get_ledger_info", "The state of the ledger that this service holds", [], data("IndexResponse")),
    "/accounts/{address}": get("get_account", "An account's record", [account, atVersion], data("AccountData")),
    "/accounts/{address}/modules": get(
      "get_account_modules",
      "An account's modules, page by page",
      [account, atVersion, start, limit(9999)],
      data("MoveModules"),
    ),
    "/accounts/{address}/module/{module_name}": get(
      "get_account_module",
      "One module of an account",
      [account, inPath("module_name", "Name of the module"), atVersion],
      data("MoveModuleBytecode"),
    ),
    "/info": get("info", "A description of this service", [], json("Info"), {}),
    "/-/healthy": get("healthy", "Whether anything is sealed, and how old it is", [age], data("HealthCheckSuccess"), {
      "400": refusals["400"],
      "503": unhealthy,
    }),
    "/spec": get("spec", "This description as a page", [], content("text/html"), {}),
    "/spec.json": get("spec_json", "This description in JSON", [], content("application/json"), {}),
    "/spec.yaml": get("spec_yaml", "This description in YAML", [], content("application/x-yaml"), {}),
    "/snapshots": get("list_snapshots", "The sealed snapshots, newest first", [before, limit(1000)], json("Snapshots"), {
      "400": refusals["400"],
    }),
    "/snapshots/{ledger_version}": get(
      "get_snapshot",
      "One snapshot, and the accounts that it has no answer about",
      [inPath("ledger_version", "Its ledger version", u64)],
      json("SnapshotWithGaps"),
      { "400": refusals["400"], "404": refusals["404"] },
    ),
  },
  components: { schemas },
};

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
 * What a page says of the description, as HTML. Its links are relative, so that it works behind a proxy; none is to a file that a browser
 * would save, which the policy of answers below `/v1` forbids.
 */
export const specBody = `<h1>${openApi.info.title}</h1>
<p>${prose(openApi.info.description)} JSON by default, BCS for <code>Accept: application/x-bcs</code>. The whole description, with headers
and the fields of each answer, is in <a href="spec.json">spec.json</a>.</p>
${Object.entries<{ get: Described }>(openApi.paths)
  .map(([path, { get }]) => operationHtml(path === "/" ? "" : path, get))
  .join("\n")}`;
/** The page where no explorer is served: plain HTML, since every answer below `/v1` forbids styles and scripts. */
export const specHtml = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${openApi.info.title}</title></head><body>
<nav aria-label="movedex"><a href="../">← To the overview</a></nav><main>${specBody}</main></body></html>
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
