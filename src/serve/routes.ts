import { accountPath, healthPath, indexPath, infoPath, modulePath, modulesPath, type NodePath } from "./operations/node-path.ts";
import { readAccount } from "./operations/read-account.ts";
import { readModule, readModules } from "./operations/read-modules.ts";
import type { Operation } from "./operations/service.ts";
import { readHealth, readIndex, readInfo, readMetrics, welcome } from "./operations/service-info.ts";
import { listSnapshots, readSnapshot } from "./operations/snapshot-operations.ts";
import { specJson, specPage, specYaml } from "./spec/spec-files.ts";

/** An operation and the path that it answers on. */
export type Route = {
  /** The path as the API description writes it, below the base; open segments in braces. */
  readonly path: string;
  /** A short name for metrics and logs. */
  readonly name: string;
  readonly operation: Operation;
  /** Where a node answers the same; undefined for operations that a node does not have, or that describe this service. */
  readonly nodePath: NodePath | undefined;
  /** Answered without the archive: also while its database gives no answer. */
  readonly isApart: boolean;
};

const route = (name: string, path: string, operation: Operation, nodePath?: NodePath): Route => ({
  name,
  path,
  operation,
  nodePath,
  isApart: false,
});
const routeApart = (name: string, path: string, operation: Operation): Route => ({ ...route(name, path, operation), isApart: true });

/** Every route of the API, below `/v1`: the ones that the API description names. */
export const routes: readonly Route[] = [
  route("index", "/", readIndex, indexPath),
  route("account", "/accounts/{address}", readAccount, accountPath),
  route("modules", "/accounts/{address}/modules", readModules, modulesPath),
  route("module", "/accounts/{address}/module/{module_name}", readModule, modulePath),
  route("info", "/info", readInfo, infoPath),
  route("healthy", "/-/healthy", readHealth, healthPath),
  routeApart("spec", "/spec", specPage),
  routeApart("spec.json", "/spec.json", specJson),
  routeApart("spec.yaml", "/spec.yaml", specYaml),
  route("snapshots", "/snapshots", listSnapshots),
  route("snapshot", "/snapshots/{ledger_version}", readSnapshot),
];

/** What is answered outside of `/v1`. */
export const welcomeRoute = routeApart("welcome", "/", welcome);
export const metricsRoute = routeApart("metrics", "/metrics", readMetrics);
