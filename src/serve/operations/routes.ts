import type { Operation } from "../service.ts";
import { specJson, specPage, specYaml } from "../spec/spec-files.ts";
import { readHealth, readIndex, readInfo, welcome } from "./front-pages.ts";
import { decodeSegment } from "./parameters.ts";
import { readAccount } from "./read-account.ts";
import { readMetrics } from "./read-metrics.ts";
import { readModule } from "./read-module.ts";
import { readModules } from "./read-modules.ts";
import { listHeld, readHeld } from "./snapshot-operations.ts";

/** An operation of the service under its path. */
export type Route = {
  /** The path as the API description writes it, after the base. */
  readonly path: string;
  /** A short name for metrics and logs. */
  readonly name: string;
  readonly operation: Operation;
};

const route = (name: string, path: string, operation: Operation): Route => ({ name, path, operation });

const index = route("index", "/v1", readIndex);
const account = route("account", "/v1/accounts/{address}", readAccount);
const modules = route("modules", "/v1/accounts/{address}/modules", readModules);
const module = route("module", "/v1/accounts/{address}/module/{module_name}", readModule);
const snapshot = route("snapshot", "/v1/snapshots/{ledger_version}", readHeld);

const fixed: readonly Route[] = [
  index,
  route("info", "/v1/info", readInfo),
  route("healthy", "/v1/-/healthy", readHealth),
  route("spec", "/v1/spec", specPage),
  route("spec.json", "/v1/spec.json", specJson),
  route("spec.yaml", "/v1/spec.yaml", specYaml),
  route("snapshots", "/v1/snapshots", listHeld),
  route("welcome", "/", welcome),
  route("metrics", "/metrics", readMetrics),
];
const byPath = new Map([...fixed.map((it) => [it.path, it] as const), ["/v1/", index] as const]);

/** Every route: what the API description has to name. */
export const routes: readonly Route[] = [...fixed, account, modules, module, snapshot];

/** A route and what stood in the open parts of its path. */
export type Found = { readonly route: Route; readonly parts: readonly string[] };

const ACCOUNTS = "/v1/accounts/";
const SNAPSHOTS = "/v1/snapshots/";

/** The route of a path as it was sent; undefined for all others, a slash too many among them. */
export function findRoute(path: string): Found | undefined {
  const plain = byPath.get(path);
  if (plain !== undefined) return { route: plain, parts: [] };
  if (path.startsWith(SNAPSHOTS)) return found(snapshot, [path.slice(SNAPSHOTS.length)]);
  if (!path.startsWith(ACCOUNTS)) return undefined;
  const [address = "", kind, name, ...more] = path.slice(ACCOUNTS.length).split("/", 4);
  if (more.length > 0) return undefined;
  if (kind === undefined) return found(account, [address]);
  if (kind === "modules" && name === undefined) return found(modules, [address]);
  return kind === "module" && name !== undefined ? found(module, [address, name]) : undefined;
}

function found(route: Route, parts: readonly string[]): Found | undefined {
  return parts.some((part) => part === "" || part.includes("/")) ? undefined : { route, parts: parts.map(decodeSegment) };
}
