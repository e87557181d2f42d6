import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

/** An account that a stored module refers to and that is no target. */
export type Discovery = {
  readonly address: Address;
  readonly reason: "dependency" | "friend" | "type";
  /** The module that refers to it, as `0x1::coin`. */
  readonly via: string;
  /** Steps of that module's account from a target that was not discovered; 0 when it is no target itself. */
  readonly viaDepth: number;
};

/** Where the crawled modules lead. */
export type DiscoveryStore = {
  /**
   * Accounts that are not on the list of targets, active or removed, and that the modules standing at each account's newest
   * snapshot depend on, befriend or mention in a type. Each comes once, with its first reason in that order, from the
   * nearest and then the first module; in the order of addresses.
   */
  readonly discover: () => Promise<Discovery[]>;
};

type Row = { address: Address; reason: Discovery["reason"]; holder: Address; module: string; depth: bigint };

/** Prepares discovery on a connection. */
export function prepareDiscovery(database: Database): Synchronous<DiscoveryStore> {
  const references = [
    "SELECT abi_id, 'dependency' AS reason, 1 AS rank, module_id FROM abi_dependencies",
    "SELECT abi_id, 'friend' AS reason, 2 AS rank, module_id FROM abi_friends",
    "SELECT abi_id, 'type' AS reason, 3 AS rank, module_id FROM struct_uses",
  ].join(" UNION ALL ");
  const found = database.prepare<[], Row>(
    "SELECT address, reason, holder, module, depth FROM (SELECT a.address, r.reason, h.address AS holder, s.name AS module, coalesce(t.depth, 0) AS depth, " +
      "row_number() OVER (PARTITION BY a.id ORDER BY r.rank, coalesce(t.depth, 0), length(h.address), h.address, s.name) AS place " +
      `FROM ${MODULE_SPANS} s JOIN bytecodes b ON b.id = s.bytecode_id ` +
      `JOIN (${references}) r ON r.abi_id = b.abi_id JOIN modules m ON m.id = r.module_id JOIN addresses a ON a.id = m.address_id ` +
      "JOIN addresses h ON h.id = s.address_id LEFT JOIN targets t ON t.address_id = s.address_id " +
      "WHERE s.to_version IS NULL AND a.id NOT IN (SELECT address_id FROM targets)) WHERE place = 1 ORDER BY length(address), address",
  );
  return {
    discover: () =>
      found.all().map(({ address, reason, holder, module, depth }) => ({
        address,
        reason,
        via: `${holder}::${module}`,
        viaDepth: Number(depth),
      })),
  };
}
