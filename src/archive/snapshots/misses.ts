import { printable } from "../../base/printable.ts";
import type { Engine, Values } from "../../engine/engine.ts";
import { assertHeld, type Lease } from "../../engine/leases/leases.ts";
import { checksumOf, writeChecksum } from "../../schema/sql/checksum.ts";
import { sql } from "../../schema/sql/sql.ts";
import { workTables } from "../../schema/tables/work.ts";
import type { Miss } from "../content/visit-model.ts";
import { findPlanned, type PlannedAccount } from "./planned-accounts.ts";

const facts = sql`:reason::text, :code::text, :http::int, :message::text, :attempts::int, CAST(:final AS boolean), :now::time, :now::time`;
const add = sql`INSERT INTO _misses (ledger_version, address_id, reason, error_code, http_status, message, attempts, is_final, first_at, last_at)`;
const again = sql`ON CONFLICT (ledger_version, address_id) DO UPDATE SET reason = excluded.reason, error_code = excluded.error_code,
  http_status = excluded.http_status, message = excluded.message, attempts = _misses.attempts + excluded.attempts, is_final = excluded.is_final, last_at = excluded.last_at`;
const nothing = sql`state = 'missed', same_as_version = NULL, listing_id = NULL, sequence_number = NULL, authentication_key = NULL, resource = NULL`;

const missOne = sql`${add} VALUES (:version, :account, ${facts}) ${again}`;
const checkOne = writeChecksum(workTables.misses);
const markOne = sql`UPDATE _visits SET ${nothing} WHERE ledger_version = :version AND address_id = :account`;
const missRest = sql`${add} SELECT v.ledger_version, v.address_id, ${facts} FROM _visits v WHERE v.ledger_version = :version AND v.state = 'planned' ${again}`;
const checkRest = sql`UPDATE _misses SET checksum = ${checksumOf(workTables.misses)} WHERE ledger_version = :version
  AND address_id IN (SELECT v.address_id FROM _visits v WHERE v.ledger_version = :version AND v.state = 'planned')`;
const markRest = sql`UPDATE _visits SET ${nothing} WHERE ledger_version = :version AND state = 'planned'`;
const dropBatches = sql`DELETE FROM _batches WHERE ledger_version = :version`;
// Those who still read come too late then.
const dropLeases = sql`DELETE FROM _leases WHERE name LIKE :batches`;

/** Takes down which accounts of a plan did not answer. Each call is one transaction. */
export function prepareMisses(engine: Engine) {
  return {
    /**
     * Records that a planned account did not answer. Its earlier values stay.
     * @throws StoreError `MOVEDEX_STORE_PIN`, `MOVEDEX_STORE_VISIT`, `MOVEDEX_STORE_FENCED`
     */
    commitMiss: (version: bigint, miss: Miss, now: number, lease?: Lease): Promise<void> =>
      engine.transaction(async (tx) => {
        if (lease !== undefined) await assertHeld(tx, lease);
        const { accounts } = await findPlanned(tx, version, [miss.address]);
        const { id } = accounts[0] as PlannedAccount;
        await tx.run(missOne, { version, account: id, ...valuesOf(miss, now) });
        await tx.run(checkOne, { ledger_version: version, address_id: id });
        await tx.run(markOne, { version, account: id });
      }),
    /** Records the same failure for every account still planned, in one transaction; returns how many. */
    missRest: (version: bigint, miss: Omit<Miss, "address">, now: number): Promise<number> =>
      engine.transaction(async (tx) => {
        await tx.run(missRest, { version, ...valuesOf(miss, now) });
        await tx.run(checkRest, { version });
        await tx.run(dropBatches, { version });
        await tx.run(dropLeases, { batches: `batch:${version}:%` });
        return tx.run(markRest, { version });
      }),
  };
}

function valuesOf({ reason, errorCode, httpStatus, message, attempts, isFinal }: Omit<Miss, "address">, now: number): Values {
  return { reason, code: errorCode, http: httpStatus, message: printable(message), attempts, final: isFinal, now };
}
