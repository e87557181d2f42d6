import type { Engine } from "../../core/db/engine/engine.ts";
import { checksumOf } from "../../core/db/schema/sql/checksum.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { workTables } from "../../core/db/schema/tables/work.ts";
import { isNotStruckOut } from "../../core/work/runs/runs.ts";

const dropSamples = sql`DELETE FROM _head_samples WHERE head_version = :headVersion`;
const strikeOut = sql`UPDATE _all_snapshots SET head_version = ledger_version, head_timestamp_usec = '0'
  WHERE head_version = :headVersion AND ${isNotStruckOut}`;
const checkStruckOut = sql`UPDATE _all_snapshots SET checksum = ${checksumOf(workTables.all_snapshots)} WHERE NOT (${isNotStruckOut})`;
const dropTime = sql`DELETE FROM _ledger_times WHERE ledger_version = :headVersion AND error_ms = 0`;

/** Strikes out every answer with this newest version, as where a node's was false; returns how many. Snapshots stay. */
export function forgetHead(engine: Engine, headVersion: bigint): Promise<number> {
  return engine.transaction(async (tx) => {
    const dropped = await tx.run(dropSamples, { headVersion });
    const struckOut = await tx.run(strikeOut, { headVersion });
    await tx.run(checkStruckOut);
    await tx.run(dropTime, { headVersion });
    return dropped + struckOut;
  });
}
