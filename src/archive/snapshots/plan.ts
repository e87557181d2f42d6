import type { Transaction, Values } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { holds, internAddresses, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";

/** The accounts of a plan, in any order; repeated ones count once. `"targets"` stands for every active target of the list. */
export type PlanScope = Iterable<Address> | "targets";

/**
 * Of which accounts of a plan the record is read as well as the modules: all, none, or those whose record no sealed snapshot
 * from a version on, up to the plan's own, has.
 */
export type PlanRecords = "all" | "none" | { readonly unreadSince: bigint };

const wanted = { name: "wanted", columns: { address: { kind: "text" } } } as const;

const internWanted = internAddresses(sql`wanted`);
const wantedIds = sql`SELECT a.id AS address_id FROM wanted w JOIN _addresses a ON a.address = w.address`;
const targetIds = sql`SELECT t.address_id FROM _targets t WHERE t.removed_at IS NULL`;

/** Gathers a scope's accounts, each once, in the transaction's table `plan (address_id)`; those that are new get their rows. */
export async function keepPlan(tx: Transaction, scope: readonly Address[] | "targets"): Promise<void> {
  if (scope === "targets") return tx.stageSelect("plan", targetIds);
  const rows = scope.map((address) => [address]);
  await tx.stage(wanted, rows);
  await tx.run(internWanted);
  await tx.stageSelect("plan", wantedIds);
}

/** Whether an account's record is to be read at `:version`, with the values of `recordValues`. */
export function isRecordPlanned(account: Sql): Sql {
  return sql`CASE WHEN :records = 'all' THEN TRUE WHEN :records = 'none' THEN FALSE ELSE NOT EXISTS (SELECT 1 FROM _pins q
    JOIN _record_coverage k ON k.address_id = ${account} AND ${holds("k", "q.ledger_version")}
    WHERE ${sealed("q")} AND q.ledger_version BETWEEN :unreadSince::version AND :version) END`;
}

/** What `isRecordPlanned` asks for. */
export function recordValues(records: PlanRecords): Values {
  return typeof records === "string" ? { records, unreadSince: null } : { records: "some", unreadSince: records.unreadSince };
}

/** A scope as a transaction can go through it more than once, each account once. */
export function heldScope(scope: PlanScope): readonly Address[] | "targets" {
  return typeof scope === "string" ? scope : [...new Set(scope)];
}
