import type { Engine, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { rowOf, whole } from "../../engine/row-shape.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { countRows, jsonEach, now } from "../../schema/sql/functions.ts";
import { includesVersion, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql, verbatim } from "../../schema/sql/sql.ts";
import { workTables } from "../../schema/tables/work.ts";
import { CLAIMS_MAX } from "./claims.ts";
import { addToPlan, isRecordPlanned, keepPlan, lockSnapshot, type PlanRecords, type PlanScope, recordValues } from "./plan.ts";

// Coverage counts only if the snapshot is sealed: a stretch across an open one says nothing of it. Before the seal, an account that failed
// `CLAIMS_MAX` times counts as answered, too. After the seal, a gap that is not final may be asked again however often it failed.
const answered = (account: Sql): Sql => sql`(
  EXISTS (SELECT 1 FROM _visits v WHERE v.ledger_version = :version AND v.address_id = ${account} AND v.state <> 'missed')
  OR EXISTS (SELECT 1 FROM _all_gaps m WHERE m.ledger_version = :version AND m.address_id = ${account}
    AND (m.is_final OR (m.attempts >= ${verbatim(String(CLAIMS_MAX))} AND EXISTS (SELECT 1 FROM _all_snapshots p
      WHERE p.ledger_version = :version AND p.status = 'unsealed'))))
  OR EXISTS (SELECT 1 FROM _all_snapshots p JOIN _coverage c ON c.address_id = ${account} AND ${includesVersion("c", ":version")}
    WHERE p.ledger_version = :version AND ${sealed("p")}))`;

const gapIds = sql`SELECT address_id FROM _all_gaps WHERE ledger_version = :version::version AND attempts < :tries`;
const dropAnswered = sql`DELETE FROM plan WHERE ${answered(sql`plan.address_id`)}`;
const raisePlanned = sql`UPDATE _all_snapshots SET planned = planned + (SELECT count(*) FROM plan WHERE NOT EXISTS
  (SELECT 1 FROM _all_gaps m WHERE m.ledger_version = :version AND m.address_id = plan.address_id)) WHERE ledger_version = :version`;
const lowerPassed = sql`UPDATE _all_snapshots SET passed_over = CASE WHEN passed_over > :planned THEN passed_over - :planned ELSE 0 END
  WHERE ledger_version = :version AND passed_over IS NOT NULL`;
const dropMissed = sql`DELETE FROM _visits WHERE ledger_version = :version AND state = 'missed' AND address_id IN (SELECT address_id FROM plan)`;
const checkSnapshot = writeChecksum(workTables.all_snapshots);
const countVisits = countRows("_visits");
const planCount = rowOf({ accounts: whole("count(*)"), records: whole(sql`count(CASE WHEN ${isRecordPlanned(sql`g.id`)} THEN 1 END)`) });
const countAmong = (accounts: Sql): Sql =>
  sql`SELECT ${planCount.columns} FROM (${accounts}) AS g WHERE g.id IS NULL OR NOT ${answered(sql`g.id`)}`;
const countTargets = countAmong(sql`SELECT t.address_id AS id FROM _targets t WHERE t.removed_at IS NULL`);
const countGiven = countAmong(sql`SELECT a.id FROM ${jsonEach(":addresses::json", "j")} LEFT JOIN _addresses a ON a.address = j.value`);

// Accounts that failed before are gaps of the snapshot already, and stay so.
const rest = rowOf({ planned: whole("count(*)"), missed: whole("count(m.address_id)") });
const countRest = sql`SELECT ${rest.columns} FROM _visits v LEFT JOIN _all_gaps m ON m.ledger_version = v.ledger_version AND m.address_id = v.address_id
  WHERE v.ledger_version = :version AND v.state = 'planned'
    AND EXISTS (SELECT 1 FROM _all_snapshots p WHERE p.ledger_version = :version AND p.passed_over IS NOT NULL)
    AND EXISTS (SELECT 1 FROM _visits o WHERE o.ledger_version = :version AND o.state <> 'planned')
    AND NOT EXISTS (SELECT 1 FROM _visits o WHERE o.ledger_version = :version AND o.state = 'planned' AND o.claimed_until > ${now})`;
const dropRest = sql`DELETE FROM _visits WHERE ledger_version = :version AND state = 'planned'`;
const passOver = sql`UPDATE _all_snapshots SET planned = planned - :fresh, passed_over = passed_over + :fresh WHERE ledger_version = :version`;

/** Adds accounts to the plan of a snapshot, sealed or not, and takes some off. Readers see a sealed one unchanged until the next `seal`. */
export function planQueries(engine: Engine) {
  /** Adds the accounts of the table `plan`, which `gather` fills. @returns how many the snapshot has no answer for */
  const extend = (version: bigint, records: PlanRecords, gather: (tx: Transaction) => Promise<void>): Promise<number> =>
    engine.transaction(async (tx) => {
      requireHeld(version, await lockSnapshot(tx, version, "alone"));
      await gather(tx);
      await tx.run(dropAnswered, { version });
      await tx.run(raisePlanned, { version });
      const again = await tx.run(dropMissed, { version });
      const planned = await addToPlan(tx, version, records);
      await tx.run(lowerPassed, { version, planned: planned - again });
      await tx.run(checkSnapshot, { ledger_version: version });
      await tx.all(countVisits);
      return planned;
    });

  return {
    /**
     * Plans those of `scope` that the snapshot has no answer for, with gaps that are not final; `records` says for new ones whether
     * the record is read. @returns how many @throws StoreError `MOVEDEX_STORE_PIN` when it is not there, or abandoned
     */
    extendSnapshot: (version: bigint, scope: PlanScope, records: PlanRecords = "all"): Promise<number> =>
      extend(version, records, (tx) => keepPlan(tx, scope)),
    /** The same for the gaps of the snapshot that are not final, if the account failed less than `CLAIMS_MAX` times. */
    retryGaps: (version: bigint, records: PlanRecords = "all"): Promise<number> =>
      extend(version, records, (tx) => tx.stageSelect("plan", gapIds, { version, tries: CLAIMS_MAX })),
    /** Leaves planned accounts to other nights, if a budget chose the plan, one was visited and none is claimed. @returns how many */
    passOverRest: (version: bigint, now: number): Promise<number> =>
      engine.transaction(async (tx) => {
        await lockSnapshot(tx, version, "alone");
        const { planned, missed } = await rest.only(tx, countRest, { version, now });
        if (planned === 0) return 0;
        await tx.run(dropRest, { version });
        await tx.run(passOver, { version, fresh: planned - missed });
        await tx.run(checkSnapshot, { ledger_version: version });
        return planned;
      }),
    /** How much `extendSnapshot` would plan, or `createSnapshot` where there is no snapshot of the version. Changes nothing. */
    countPlan: async (version: bigint, scope: PlanScope, records: PlanRecords) => {
      const values = { version, ...recordValues(records), addresses: JSON.stringify(scope === "targets" ? [] : [...new Set(scope)]) };
      return planCount.only(engine, scope === "targets" ? countTargets : countGiven, values);
    },
  };
}

function requireHeld(version: bigint, found: string | undefined): void {
  if (found !== undefined && found !== "abandoned") return;
  const text = `cannot extend the snapshot of ledger version ${version}: it is ${found ?? "missing"}`;
  throw new StoreError("MOVEDEX_STORE_PIN", text, { facts: { version, status: found ?? null } });
}
