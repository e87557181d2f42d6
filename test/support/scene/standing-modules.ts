import type { SimLedger } from "../../../sim/index.ts";
import { listsOf } from "../store/ask-file.ts";

/** What stands at a version: `address::name` to SHA-256. */
export type StandingModules = Map<string, string>;

/** The modules that a view shows. */
export function modulesIn(db: string, view: "modules_at" | "modules_inferred", version: bigint): StandingModules {
  return new Map(
    listsOf<[string, string]>(db, `SELECT address || '::' || module, bytecode_sha256 FROM ${view} WHERE ledger_version = ${version}`),
  );
}

/** The modules that accounts of a ledger have. */
export function modulesOn(ledger: SimLedger, addresses: Iterable<string>, version: bigint): StandingModules {
  return new Map(
    [...addresses].flatMap((address) => ledger.modulesAt(address, version).map(({ name, code }) => [`${address}::${name}`, code.sha256])),
  );
}
