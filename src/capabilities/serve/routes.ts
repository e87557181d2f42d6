import { ParameterError } from "./http/answer.ts";
import { getModule, readAccount, readModules } from "./operations/account-operations.ts";
import { type Query, readAddress, readDuration, readLedgerVersion, readLimit, readModuleName, readStart } from "./operations/parameters.ts";
import type { Call, Operation } from "./operations/service.ts";
import { listSnapshots, readHealth, readIndex, readInfo, readMetrics, readSnapshot, welcome } from "./operations/service-operations.ts";
import { specJson, specPage, specYaml } from "./spec/openapi.ts";

/** An operation and the path that it answers on. */
export type Route = {
  /** The path as the API description writes it, below the base; open segments in braces. */
  readonly path: string;
  /** A short name for metrics and logs. */
  readonly name: string;
  readonly operation: Operation;
  /** What a node is asked with for the same; undefined for operations that a node does not have, or that describe this service. */
  readonly asks?: readonly (keyof typeof queries)[];
  /** Answered without the archive: also while its database gives no answer. */
  readonly isApart?: boolean;
};

const segments: Readonly<Record<string, (text: string) => string>> = { address: readAddress, module_name: readModuleName };
const queries = {
  ledger_version: readLedgerVersion,
  start: (query: Query) => readStart(query) && query("start"),
  limit: readLimit,
  duration_secs: readDuration,
};

/**
 * The path below a node's base URL that asks it for the same: written anew from the parameters that were read, so that nothing else of
 * what a client sent reaches the node. Undefined where a node has no such operation, and for parameters that do not parse, which the
 * archive refuses in the node's words.
 */
export function nodePathOf({ path, asks }: Route, { parts, query }: Pick<Call, "parts" | "query">): string | undefined {
  try {
    let next = 0;
    const below = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(segments[name]?.(parts[next++] ?? "") ?? ""));
    const given = asks?.map((name) => [name, queries[name](query)] as const).filter(([, value]) => value !== undefined);
    return given && below.replace(/^\/$/, "") + (given.length === 0 ? "" : `?${given.map((pair) => pair.join("=")).join("&")}`);
  } catch (error) {
    if (error instanceof ParameterError) return undefined;
    throw error;
  }
}

const at = "ledger_version";

/** Every route of the API, below `/v1`: the ones that the API description names. */
export const routes: readonly Route[] = [
  { name: "index", path: "/", operation: readIndex, asks: [] },
  { name: "account", path: "/accounts/{address}", operation: readAccount, asks: [at] },
  { name: "modules", path: "/accounts/{address}/modules", operation: readModules, asks: [at, "start", "limit"] },
  { name: "module", path: "/accounts/{address}/module/{module_name}", operation: getModule, asks: [at] },
  { name: "info", path: "/info", operation: readInfo, asks: [] },
  { name: "healthy", path: "/-/healthy", operation: readHealth, asks: ["duration_secs"] },
  { name: "spec", path: "/spec", operation: specPage, isApart: true },
  { name: "spec.json", path: "/spec.json", operation: specJson, isApart: true },
  { name: "spec.yaml", path: "/spec.yaml", operation: specYaml, isApart: true },
  { name: "snapshots", path: "/snapshots", operation: listSnapshots },
  { name: "snapshot", path: "/snapshots/{ledger_version}", operation: readSnapshot },
];

/** What is answered outside of `/v1`. */
export const welcomeRoute: Route = { name: "welcome", path: "/", operation: welcome, isApart: true };
export const metricsRoute: Route = { name: "metrics", path: "/metrics", operation: readMetrics, isApart: true };
