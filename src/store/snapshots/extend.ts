import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { StoreError } from "../errors.ts";
import { type PinStatus, type PlanScope, preparePlan } from "./pins.ts";

/**
 * More work for a snapshot that is there: accounts it was not asked for, and accounts that did not answer. An open snapshot
 * gets them into its plan. A sealed one is opened again for them alone: readers still see it as sealed, it is listed among
 * `unfinishedPins`, and `seal` makes of it what sealing everything at once would have made.
 */
export type ExtendStore = {
  /**
   * Plans those of `scope` that the snapshot has no answer for: neither visited nor planned. Gaps among them are planned
   * again unless they are final. Returns how many are planned.
   * @throws StoreError `MOVEDEX_STORE_PIN` when there is no such snapshot, or it was abandoned
   */
  readonly extendPin: (ledgerVersion: bigint, scope: PlanScope) => Promise<number>;
  /** The same for every gap of the snapshot that is not final. */
  readonly retryMisses: (ledgerVersion: bigint) => Promise<number>;
  /** How many `extendPin` would plan. Changes nothing. */
  readonly countUnanswered: (ledgerVersion: bigint, scope: PlanScope) => Promise<number>;
};

/** Prepares the extending of snapshots on a connection. */
export function prepareExtend(database: Database, statements: HotStatements): Synchronous<ExtendStore> {
  const { fillPlan, clearPlan } = preparePlan(database, statements);
  const planGaps = database.prepare<[bigint]>("INSERT INTO plan SELECT address_id FROM misses WHERE ledger_version = ?");
  // Only a sealed snapshot covers: the stretches across an open one say nothing of it.
  const dropAnswered = database.prepare<[{ version: bigint; isSealed: 0 | 1 }]>(
    "DELETE FROM plan WHERE address_id IN (SELECT address_id FROM visits WHERE ledger_version = @version AND state <> 'missed') " +
      "OR address_id IN (SELECT address_id FROM misses WHERE ledger_version = @version AND is_final = 1) " +
      "OR @isSealed AND EXISTS (SELECT 1 FROM coverage c WHERE c.address_id = plan.address_id AND c.from_version <= @version " +
      "AND (c.to_version IS NULL OR c.to_version >= @version))",
  );
  const countNew = database
    .prepare<[bigint], bigint>("SELECT count(*) FROM plan WHERE address_id NOT IN (SELECT address_id FROM misses WHERE ledger_version = ?)")
    .pluck();
  const raisePlanned = database.prepare<[bigint, bigint]>("UPDATE pins SET planned = planned + ? WHERE ledger_version = ?");
  const planAgain = database.prepare<[bigint]>(
    "UPDATE visits SET state = 'planned' WHERE ledger_version = ? AND state = 'missed' AND address_id IN (SELECT address_id FROM plan)",
  );
  const planNew = database.prepare<[{ version: bigint }]>(
    "INSERT INTO visits (ledger_version, position, address_id, state) SELECT @version, " +
      "(SELECT coalesce(max(position), -1) FROM visits WHERE ledger_version = @version) + row_number() OVER (), address_id, 'planned' " +
      "FROM plan WHERE address_id NOT IN (SELECT address_id FROM visits WHERE ledger_version = @version)",
  );
  // Places are unique at every moment, so all of them go below zero first.
  const renumber = database.prepare<[{ version: bigint }]>(
    "UPDATE visits SET position = -1 - ranked.place FROM (SELECT address_id, row_number() OVER (ORDER BY length(address), address) - 1 AS place " +
      "FROM visits JOIN addresses ON id = address_id WHERE ledger_version = @version) AS ranked " +
      "WHERE visits.ledger_version = @version AND visits.address_id = ranked.address_id",
  );
  const turnUp = database.prepare<[bigint]>("UPDATE visits SET position = -1 - position WHERE ledger_version = ?");

  const requireHeld = (version: bigint): PinStatus => {
    const status = statements.pinStatus.get(version) as PinStatus | undefined;
    if (status !== undefined && status !== "abandoned") return status;
    throw new StoreError("MOVEDEX_STORE_PIN", `wanted the snapshot of ledger version ${version}, which is ${status ?? "not there"}`, {
      facts: { version, status: status ?? null },
    });
  };
  const writePlan = (version: bigint, status: PinStatus): number => {
    dropAnswered.run({ version, isSealed: status === "unsealed" ? 0 : 1 });
    raisePlanned.run(countNew.get(version) as bigint, version);
    const again = planAgain.run(version).changes;
    const added = planNew.run({ version }).changes;
    if (added > 0) {
      renumber.run({ version });
      turnUp.run(version);
    }
    clearPlan();
    return again + added;
  };
  const extendPin = (version: bigint, scope: PlanScope): number => {
    const status = requireHeld(version);
    fillPlan(scope);
    return writePlan(version, status);
  };
  const retryMisses = (version: bigint): number => {
    const status = requireHeld(version);
    clearPlan();
    planGaps.run(version);
    return writePlan(version, status);
  };

  const isAnswered = database
    .prepare<[{ version: bigint; address: Address }], 1>(
      "SELECT 1 FROM addresses a JOIN pins p ON p.ledger_version = @version WHERE a.address = @address AND (" +
        "EXISTS (SELECT 1 FROM visits v WHERE v.ledger_version = @version AND v.address_id = a.id AND v.state <> 'missed') " +
        "OR EXISTS (SELECT 1 FROM misses m WHERE m.ledger_version = @version AND m.address_id = a.id AND m.is_final = 1) " +
        "OR p.status <> 'unsealed' AND EXISTS (SELECT 1 FROM coverage c WHERE c.address_id = a.id AND c.from_version <= @version " +
        "AND (c.to_version IS NULL OR c.to_version >= @version)))",
    )
    .pluck();
  const active = database
    .prepare<[], Address>("SELECT address FROM targets JOIN addresses ON id = address_id WHERE removed_at IS NULL")
    .pluck();
  const countUnanswered = (version: bigint, scope: PlanScope): number => {
    requireHeld(version);
    let count = 0;
    for (const address of scope === "targets" ? active.iterate() : new Set(scope))
      if (isAnswered.get({ version, address }) === undefined) count += 1;
    return count;
  };

  return {
    extendPin: database.transaction(extendPin).immediate,
    retryMisses: database.transaction(retryMisses).immediate,
    countUnanswered,
  };
}
