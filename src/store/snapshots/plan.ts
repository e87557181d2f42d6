import type { Address } from "../../move/address.ts";
import { internAddresses } from "../../schema/sql/addresses.ts";
import { sql } from "../../schema/sql/sql.ts";
import type { Transaction } from "../engine/engine.ts";

/** The accounts of a plan, in any order; repeated ones count once. `"targets"` stands for every active target of the list. */
export type PlanScope = Iterable<Address> | "targets";

const wanted = { name: "wanted", columns: { address: { kind: "text" } } } as const;

const internWanted = internAddresses(sql`wanted`);
const wantedIds = sql`SELECT a.id AS address_id FROM wanted w JOIN addresses a ON a.address = w.address`;
const targetIds = sql`SELECT t.address_id FROM targets t WHERE t.removed_at IS NULL`;

/** Gathers a scope's accounts, each once, in the transaction's table `plan (address_id)`; those that are new get their rows. */
export async function keepPlan(tx: Transaction, scope: readonly Address[] | "targets"): Promise<void> {
  if (scope === "targets") return tx.keep("plan", targetIds);
  await tx.stage(
    wanted,
    scope.map((address) => [address]),
  );
  await tx.run(internWanted);
  await tx.keep("plan", wantedIds);
}

/** A scope as a transaction can go through it more than once, each account once. */
export function heldScope(scope: PlanScope): readonly Address[] | "targets" {
  return typeof scope === "string" ? scope : [...new Set(scope)];
}
