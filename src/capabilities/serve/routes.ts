import { getModule, readAccount, readModules } from "./operations/account-operations.ts";
import { readAddress, readDuration, readLedgerVersion, readLimit, readModuleName, readStart } from "./operations/parameters.ts";
import type { Call, Operation } from "./operations/service.ts";
import { listSnapshots, readHealth, readIndex, readInfo, readMetrics, readSnapshot, welcome } from "./operations/service-operations.ts";
import { specJson, specPage, specYaml } from "./spec/openapi.ts";

/**
 * The path below a node's base URL that asks it for the same: written anew from the parameters that were read, so that
 * nothing else of what a client sent reaches the node. Throws ParameterError for parameters that do not parse.
 */
export type NodePath = (call: Pick<Call, "parts" | "query">) => string;

const indexPath: NodePath = () => "";
const infoPath: NodePath = () => "/info";
const healthPath: NodePath = ({ query }) => `/-/healthy${queryText({ duration_secs: readDuration(query) })}`;

const accountPath: NodePath = ({ parts, query }) =>
  `/accounts/${readAddress(parts[0] as string)}${queryText({ ledger_version: readLedgerVersion(query) })}`;

const modulesPath: NodePath = ({ parts, query }) => {
  const address = readAddress(parts[0] as string);
  const ledgerVersion = readLedgerVersion(query);
  readStart(query);
  const limit = readLimit(query);
  return `/accounts/${address}/modules${queryText({ ledger_version: ledgerVersion, start: query("start"), limit })}`;
};

const modulePath: NodePath = ({ parts, query }) => {
  const address = readAddress(parts[0] as string);
  const name = encodeURIComponent(readModuleName(parts[1] as string));
  return `/accounts/${address}/module/${name}${queryText({ ledger_version: readLedgerVersion(query) })}`;
};

function queryText(values: Readonly<Record<string, string | number | bigint | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${given.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/** An operation and the path that it answers on. */
export type Route = {
  /** The path as the API description writes it, below the base; open segments in braces. */
  readonly path: string;
  /** A short name for metrics and logs. */
  readonly name: string;
  readonly operation: Operation;
  /** Where a node answers the same; undefined for operations that a node does not have, or that describe this service. */
  readonly nodePath?: NodePath;
  /** Answered without the archive: also while its database gives no answer. */
  readonly isApart?: boolean;
};

/** Every route of the API, below `/v1`: the ones that the API description names. */
export const routes: readonly Route[] = [
  { name: "index", path: "/", operation: readIndex, nodePath: indexPath },
  { name: "account", path: "/accounts/{address}", operation: readAccount, nodePath: accountPath },
  { name: "modules", path: "/accounts/{address}/modules", operation: readModules, nodePath: modulesPath },
  { name: "module", path: "/accounts/{address}/module/{module_name}", operation: getModule, nodePath: modulePath },
  { name: "info", path: "/info", operation: readInfo, nodePath: infoPath },
  { name: "healthy", path: "/-/healthy", operation: readHealth, nodePath: healthPath },
  { name: "spec", path: "/spec", operation: specPage, isApart: true },
  { name: "spec.json", path: "/spec.json", operation: specJson, isApart: true },
  { name: "spec.yaml", path: "/spec.yaml", operation: specYaml, isApart: true },
  { name: "snapshots", path: "/snapshots", operation: listSnapshots },
  { name: "snapshot", path: "/snapshots/{ledger_version}", operation: readSnapshot },
];

/** What is answered outside of `/v1`. */
export const welcomeRoute: Route = { name: "welcome", path: "/", operation: welcome, isApart: true };
export const metricsRoute: Route = { name: "metrics", path: "/metrics", operation: readMetrics, isApart: true };
