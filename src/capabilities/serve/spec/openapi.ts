import { address, all, list, maybe, object, orNull, text, truth, version, whole, word } from "../../../core/base/result.ts";
import { contentTypes } from "../http/answer.ts";
import { toldHeaders } from "../http/headers.ts";
import type { Operation } from "../operations/service.ts";
import { snapshotPage, snapshotWithGaps } from "../operations/service-operations.ts";

const hexBytes = { ...text, schema: { type: "string", pattern: "^0x([0-9a-f]{2})*$" } };
const abilities = list(word("copy", "drop", "store", "key"));
const typeParams = { generic_type_params: list(object({ constraints: abilities })) };
const visibility = word("private", "public", "friend");
const fields = list(object({ name: text, type: text }));
const moveFunction = {
  name: text,
  visibility,
  ...all(truth, "is_entry", "is_view"),
  ...typeParams,
  ...all(list(text), "params", "return"),
};
/** What is not printed by nodes of older generations may be missing. */
const newer = { ...all(maybe(truth), "is_event", "is_enum"), variants: maybe(list(object({ name: text, fields }))) };
const moveStruct = { name: text, is_native: truth, abilities, ...typeParams, fields, ...newer };
const items = { exposed_functions: list(object(moveFunction)), structs: list(object(moveStruct)) };
const moveModule = object({ bytecode: hexBytes, abi: orNull(object({ address, name: text, friends: list(text), ...items })) });
const ledger = ["epoch", "ledger_version", "oldest_ledger_version", "ledger_timestamp", "oldest_block_height", "block_height"] as const;
const build = { node_role: word("full_node", "validator"), git_hash: text, encryption_key: maybe(orNull(text)) };

/** The shapes of bodies. Where a node has the same shape, the name is the node's. */
const kinds = {
  AccountData: object({ sequence_number: version, authentication_key: hexBytes }),
  MoveModuleBytecode: moveModule,
  MoveModules: list(moveModule),
  IndexResponse: object({ chain_id: whole, ...all(version, ...ledger), ...build }),
  HealthCheckSuccess: object({ message: text }),
  Info: { schema: { type: "object" } },
  Snapshots: snapshotPage,
  SnapshotWithGaps: snapshotWithGaps,
  AptosError: object({ message: text, error_code: text, vm_error_code: orNull(whole) }),
};

const headers = Object.fromEntries(toldHeaders.map((name) => [name.toUpperCase(), { schema: text.schema }]));
const content = (mediaType: string, schema: object = text.schema) => ({ description: "OK", content: { [mediaType]: { schema } } });
const json = (name: keyof typeof kinds) => content("application/json", { $ref: `#/components/schemas/${name}` });
const bcs = content("application/x-bcs", { type: "string", format: "binary" }).content;
const data = (name: keyof typeof kinds) => ({ description: "OK", headers, content: { ...json(name).content, ...bcs } });
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
const only = (...statuses: (keyof typeof refusals)[]) => Object.fromEntries(statuses.map((status) => [status, refusals[status]]));
const old = error("`health_check_failed`: the newest snapshot is older than asked for. `internal_error`: nothing is sealed yet");
const unhealthy = { ...only("400"), "503": old };

const given = (place: "path" | "query", name: string, description: string, schema: object = text.schema) => {
  return { name, in: place, required: place === "path", description, schema };
};
const account = given("path", "address", "Account address, with or without 0x");
const moduleName = given("path", "module_name", "Name of the module");
const itsVersion = given("path", "ledger_version", "Its ledger version", version.schema);
const atVersion = given("query", "ledger_version", "Ledger version to read; the newest sealed one when it is left out", version.schema);
const start = given("query", "start", "Cursor of the page before");
const age = given("query", "duration_secs", "How old the newest snapshot may be", whole.schema);
const limit = (most: number) => given("query", "limit", `How many at most; more than ${most} counts as ${most}`, whole.schema);
const before = given("query", "before", "Only snapshots of versions below", version.schema);

type Given = ReturnType<typeof given>;
type Said = { readonly description: string };
const get = (id: string, summary: string, parameters: Given[], success: Said, failures: Record<string, Said> = refusals) => {
  return { get: { operationId: id, summary, parameters, responses: { "200": success, ...failures } } };
};

const module = "/accounts/{address}/module/{module_name}";
const snapshot = "One snapshot, and the accounts that it has no answer about";
const pageOf = [account, atVersion, start, limit(9999)];

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
    "/accounts/{address}/modules": get("get_account_modules", "An account's modules, page by page", pageOf, data("MoveModules")),
    [module]: get("get_account_module", "One module of an account", [account, moduleName, atVersion], data("MoveModuleBytecode")),
    "/info": get("info", "A description of this service", [], json("Info"), {}),
    "/-/healthy": get("healthy", "Whether anything is sealed, and how old it is", [age], data("HealthCheckSuccess"), unhealthy),
    "/spec": get("spec", "This description as a page", [], content("text/html"), {}),
    "/spec.json": get("spec_json", "This description in JSON", [], content("application/json"), {}),
    "/spec.yaml": get("spec_yaml", "This description in YAML", [], content(contentTypes.yaml), {}),
    "/snapshots": get("list_snapshots", "The sealed snapshots, newest first", [before, limit(1000)], json("Snapshots"), only("400")),
    "/snapshots/{ledger_version}": get("get_snapshot", snapshot, [itsVersion], json("SnapshotWithGaps"), only("400", "404")),
  },
  components: { schemas: Object.fromEntries(Object.entries(kinds).map(([name, { schema }]) => [name, schema])) },
};

/** Answers with a text that stays the same. */
function fixed(contentType: string, body: string, headers = {}): Operation {
  const answer = { status: 200, contentType, body: Buffer.from(body), cacheRule: "revalidate", headers } as const;
  return () => answer;
}

const document = `${JSON.stringify(openApi, undefined, 2)}\n`;
export const specJson = fixed("application/json", document);
/** JSON is YAML, too. */
export const specYaml = fixed(contentTypes.yaml, document, { "content-disposition": 'inline; filename="spec.yaml"' });

/** Code that may be broken where a screen is too narrow, since no style can say so. */
const breakable = (code: string): string => code.replace(/[_/-]/g, "$&<wbr>");
const prose = (words: string): string => words.replace(/`([^`]+)`/g, (_, code: string) => `<code>${breakable(code)}</code>`);

/**
 * What a page says of the description, as HTML. Its links are relative, so that it works behind a proxy; none is to a file that a browser
 * would save, which the policy of answers below `/v1` forbids.
 */
export const specBody = `<h1>${openApi.info.title}</h1>
<p>${prose(openApi.info.description)} JSON by default, BCS for <code>Accept: application/x-bcs</code>. The whole description, with headers
and the fields of each answer, is in <a href="spec.json">spec.json</a>.</p>
${Object.entries(openApi.paths).map(operationHtml).join("\n")}`;
/** The page where no explorer is served: plain HTML, since every answer below `/v1` forbids styles and scripts. */
export const specHtml = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${openApi.info.title}</title></head><body>
<nav aria-label="movedex"><a href="../">← To the overview</a></nav><main>${specBody}</main></body></html>
`;
export const specPage = fixed(contentTypes.html, specHtml);

function operationHtml([path, operation]: [path: string, operation: ReturnType<typeof get>]): string {
  const { summary, parameters, responses } = operation.get;
  const below = path === "/" ? "" : path;
  const example = below.replace("{address}", "0x1").replace("{module_name}", "coin");
  const link = example.includes("{") || example.endsWith(".yaml") ? "" : ` <a href="${example.slice(1) || "../v1"}">An example</a>`;
  const items = [
    ...parameters.map((one) => `<code>${one.name}</code> (${one.in}): ${prose(one.description)}`),
    ...Object.entries(responses).flatMap(([status, { description }]) => (status === "200" ? [] : `${status} ${prose(description)}`)),
  ];
  const list = items.length === 0 ? "" : `\n<ul>${items.map((item) => `<li>${item}</li>`).join("\n")}</ul>`;
  return `<h2>GET ${breakable(`/v1${below}`)}</h2><p>${prose(summary)}.${link}</p>${list}`;
}
