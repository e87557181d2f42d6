import { readAddress, readDuration, readLedgerVersion, readLimit, readModuleName, readStart } from "./parameters.ts";
import type { Call } from "./service.ts";

/**
 * The path below a node's base URL that asks it for the same: written anew from the parameters that were read, so that
 * nothing else of what a client sent reaches the node. Throws ParameterError for parameters that do not parse.
 */
export type NodePath = (call: Pick<Call, "parts" | "query">) => string;

export const indexPath: NodePath = () => "";
export const infoPath: NodePath = () => "/info";
export const healthPath: NodePath = ({ query }) => `/-/healthy${queryText({ duration_secs: readDuration(query) })}`;

export const accountPath: NodePath = ({ parts, query }) =>
  `/accounts/${readAddress(parts[0] as string)}${queryText({ ledger_version: readLedgerVersion(query) })}`;

export const modulesPath: NodePath = ({ parts, query }) => {
  const address = readAddress(parts[0] as string);
  const ledgerVersion = readLedgerVersion(query);
  readStart(query);
  const limit = readLimit(query);
  return `/accounts/${address}/modules${queryText({ ledger_version: ledgerVersion, start: query("start"), limit })}`;
};

export const modulePath: NodePath = ({ parts, query }) => {
  const address = readAddress(parts[0] as string);
  const name = encodeURIComponent(readModuleName(parts[1] as string));
  return `/accounts/${address}/module/${name}${queryText({ ledger_version: readLedgerVersion(query) })}`;
};

function queryText(values: Readonly<Record<string, string | number | bigint | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${given.map(([name, value]) => `${name}=${value}`).join("&")}`;
}
