import { ledgerHeaderNames, sourceHeaders } from "../http/ledger-headers.ts";
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
};
const { "X-APTOS-CURSOR": _, "X-NODE-CURSOR": __, ...headHeaders } = headers;

const ref = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: SchemaName) => ({ "application/json": { schema: ref(name) } });
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

const refusal = (description: string) => ({ description, content: json("AptosError"), headers: { ...headHeaders, ...sources } });
const refusals = {
  "400": refusal("A parameter does not parse"),
  "403": refusal("The archive does not hold this form of the answer"),
  "404": refusal(
    "Not there; or `version_not_found`: the archive has no answer at that version, its message names the nearest that have one",
  ),
  "410": refusal("`version_pruned`: older than the oldest sealed version"),
  "500": refusal("The service failed"),
  "503": refusal("Nothing is sealed yet, or too much is asked at once"),
};

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

/** The description of this service: the one source of `/spec`, `/spec.json`, `/spec.yaml` and of what tests hold answers to. */
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
  servers: [{ url: "/v1" }],
  paths: {
    "/": operation("get_ledger_info", "The ledger as this service knows it", [], data("IndexResponse", headHeaders), refusals),
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
    "/info": operation("info", "What this service is", [], plain(json("Info"))),
    "/-/healthy": operation(
      "healthy",
      "Whether there is anything to answer from",
      [parameter("duration_secs", "query", "How old the newest snapshot may be", { type: "integer", minimum: 0 })],
      data("HealthCheckSuccess", headHeaders),
      { "400": refusals["400"], "503": refusals["503"] },
    ),
    "/spec": operation("spec", "This description as a page to try things on", [], file("text/html")),
    "/spec.json": operation("spec_json", "This description in JSON", [], file("application/json")),
    "/spec.yaml": operation("spec_yaml", "This description in YAML", [], file("application/x-yaml")),
    "/snapshots": operation(
      "list_snapshots",
      "What is held: sealed snapshots, newest first",
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
