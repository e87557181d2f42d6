import { ledgerHeaderNames, sourceHeaders } from "../http/ledger-headers.ts";
import { examples } from "./openapi-examples.ts";
import { schemas } from "./openapi-schemas.ts";

type SchemaName = keyof typeof schemas;

const headerMeanings: Readonly<Record<(typeof ledgerHeaderNames)[number], string>> = {
  "chain-id": "The chain",
  "ledger-version": "The newest sealed ledger version, whatever version was read",
  "ledger-oldest-version": "The oldest sealed ledger version",
  "ledger-timestampusec": "Microseconds since 1970 of the newest snapshot",
  epoch: "Epoch of the newest snapshot",
  "block-height": "Block height of the newest snapshot",
  "oldest-block-height": "Block height of the oldest snapshot",
  cursor: "Where the next page begins, to be given as `start`; absent on the last page",
};

const header = (description: string) => ({ description, schema: { type: "string" } });
const headers = Object.fromEntries(
  ledgerHeaderNames.flatMap((name) => ["X-APTOS-", "X-NODE-"].map((prefix) => [prefix + name.toUpperCase(), header(headerMeanings[name])])),
);
const sources = {
  [sourceHeaders.source.toUpperCase()]: header("`archive`, or `upstream` for an answer that a live node gave"),
  [sourceHeaders.observedAt.toUpperCase()]: header(
    "The versions that the answer was observed at: the one asked for, or the two around it that agree",
  ),
  [sourceHeaders.inferred.toUpperCase()]: header("`true` on an answer that was inferred from the two versions around the one asked for"),
  [sourceHeaders.nearestHeld.toUpperCase()]: header("On `version_not_found`: the nearest versions that have an answer about the account"),
};
const { "X-APTOS-CURSOR": _, "X-NODE-CURSOR": __, ...headHeaders } = headers;

const ref = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });
const exampleOf: Readonly<Partial<Record<SchemaName, object>>> = examples;
const json = (name: SchemaName) => ({
  "application/json": { schema: ref(name), ...(exampleOf[name] === undefined ? {} : { example: exampleOf[name] }) },
});
const bcs = { "application/x-bcs": { schema: { type: "string", format: "binary" } } };
const parameter = (name: string, place: "path" | "query", description: string, schema: object, example?: string) => ({
  name,
  in: place,
  required: place === "path",
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});

const u64 = { type: "string", pattern: "^[0-9]{1,20}$" };
const address = parameter("address", "path", "Account address, with or without 0x", { type: "string" }, "0x1");
const moduleName = parameter("module_name", "path", "Name of the module", { type: "string" }, "coin");
const atVersion = parameter("ledger_version", "query", "Ledger version to read; the newest sealed one when it is left out", u64);
const start = parameter("start", "query", "Cursor of the page before", { type: "string" });
const limit = (most: number) =>
  parameter("limit", "query", `How many at most; more than ${most} counts as ${most}`, { type: "integer", minimum: 1, maximum: 65_535 });

/** What an error's `error_code` can be, by status. */
const errorCodes = {
  "400": { web_framework_error: "a parameter does not parse; the message says which", invalid_input: "`limit` is 0" },
  "403": { bcs_not_supported: "the archive holds the account's JSON only" },
  "404": {
    version_not_found: "the archive has no answer at that version; the message and `X-Movedex-Nearest-Held` name the nearest that have one",
    account_not_found: "the node said that there is no such account",
    module_not_found: "there is no such module at that version",
  },
  "410": { version_pruned: "older than the oldest sealed version" },
  "429": { rate_limited: "more requests of one address than it may send; `Retry-After` says when to come back" },
  "500": { internal_error: "the service failed" },
  "503": { internal_error: "nothing is sealed yet", overloaded: "too much is asked at once; `Retry-After` says when to come back" },
} as const;

const errorResponse = (codes: Readonly<Record<string, string>>) => ({
  description: Object.entries(codes)
    .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
    .join("; "),
  content: json("AptosError"),
  headers: { ...headHeaders, ...sources },
});
const refusals = Object.fromEntries(Object.entries(errorCodes).map(([status, codes]) => [status, errorResponse(codes)]));
const unhealthy = errorResponse({
  health_check_failed: "the newest snapshot is older than asked for",
  internal_error: "nothing is sealed yet",
});

const operation = (id: string, summary: string, parameters: readonly object[], success: object, failures: object = {}) => ({
  get: { operationId: id, summary, tags: [], parameters, responses: { "200": success, ...failures } },
});
const data = (name: SchemaName, all: object) => ({
  description: "OK",
  headers: { ...all, ...sources },
  content: { ...json(name), ...bcs },
});
const plain = (content: object) => ({ description: "OK", content });
const file = (mediaType: string) => plain({ [mediaType]: { schema: { type: "string" } } });

/** The description of this service: the source of `/spec`, `/spec.json` and `/spec.yaml`, and what tests compare answers with. */
export const openApi = {
  openapi: "3.1.0",
  info: {
    title: "movedex serve",
    version: "1.0.0",
    description:
      "An archive of a Move ledger's accounts and modules, answering as a ledger node does. Data is read at sealed ledger versions; " +
      "`/snapshots` says which there are. JSON by default, BCS for `Accept: application/x-bcs`.",
    license: { name: "MIT", identifier: "MIT" },
  },
  // Relative to where the description lies, so that it holds behind a proxy with a path of its own.
  servers: [{ url: "../v1" }],
  paths: {
    "/": operation("get_ledger_info", "The state of the ledger that this service holds", [], data("IndexResponse", headHeaders), refusals),
    "/accounts/{address}": operation(
      "get_account",
      "An account's sequence number and authentication key",
      [address, atVersion],
      data("AccountData", headHeaders),
      refusals,
    ),
    "/accounts/{address}/modules": operation(
      "get_account_modules",
      "An account's modules, page by page",
      [address, atVersion, start, limit(9999)],
      data("MoveModules", headers),
      refusals,
    ),
    "/accounts/{address}/module/{module_name}": operation(
      "get_account_module",
      "One module of an account",
      [address, moduleName, atVersion],
      data("MoveModuleBytecode", headHeaders),
      refusals,
    ),
    "/info": operation("info", "A description of this service", [], plain(json("Info"))),
    "/-/healthy": operation(
      "healthy",
      "Whether anything is sealed, and how old it is",
      [parameter("duration_secs", "query", "How old the newest snapshot may be", { type: "integer", minimum: 0 })],
      data("HealthCheckSuccess", headHeaders),
      { "400": refusals["400"], "503": unhealthy },
    ),
    "/spec": operation("spec", "This description as a page", [], file("text/html")),
    "/spec.json": operation("spec_json", "This description in JSON", [], file("application/json")),
    "/spec.yaml": operation("spec_yaml", "This description in YAML", [], file("application/x-yaml")),
    "/snapshots": operation(
      "list_snapshots",
      "The sealed snapshots, newest first",
      [parameter("before", "query", "Only snapshots of versions below", u64), limit(1000)],
      plain(json("Snapshots")),
      { "400": refusals["400"] },
    ),
    "/snapshots/{ledger_version}": operation(
      "get_snapshot",
      "One snapshot, and the accounts that it has no answer about",
      [parameter("ledger_version", "path", "Its ledger version", u64)],
      plain(json("SnapshotWithGaps")),
      { "400": refusals["400"], "404": refusals["404"] },
    ),
  },
  components: { schemas },
} as const;
