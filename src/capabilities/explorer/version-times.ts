import { type MadeAt, madeAt } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { rowOf, version } from "../../core/db/engine/row-shape.ts";
import { jsonEach } from "../../core/db/schema/sql/functions.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";

const timed = rowOf({ ledgerVersion: version("ledger_version"), ...madeAt("v.ledger_version") });
const versions = sql`SELECT ${timed.columns} FROM
  (SELECT DISTINCT CAST(j.value AS bigint) AS ledger_version FROM ${jsonEach(":versions::json", "j")}) v`;

/** When the ledger made versions. */
export async function timesOf(engine: Engine, asked: readonly bigint[]): Promise<ReadonlyMap<bigint, MadeAt>> {
  const rows = await timed.all(engine, versions, { versions: JSON.stringify(asked.map(String)) });
  return new Map(rows.map(({ ledgerVersion, ...made }) => [ledgerVersion, made]));
}
