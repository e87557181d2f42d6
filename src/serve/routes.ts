import { accountPath, healthPath, indexPath, infoPath, modulePath, modulesPath, type NodePath } from "./operations/node-path.ts";
import { readAccount } from "./operations/read-account.ts";
import { readModule, readModules } from "./operations/read-modules.ts";
import type { Operation } from "./operations/service.ts";
import { readHealth, readIndex, readInfo, readMetrics, welcome } from "./operations/service-info.ts";
import { listSnapshots, readSnapshot } from "./operations/snapshot-operations.ts";
import { specJson, specPage, specYaml } from "./spec/spec.ts";

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
  { name: "module", path: "/accounts/{address}/module/{module_name}", operation: readModule, nodePath: modulePath },
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
