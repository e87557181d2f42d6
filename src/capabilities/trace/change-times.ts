import { type ChangeBounds, changedAt, type MadeAt } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { rowOf } from "../../core/db/engine/row-shape.ts";
import { jsonEach, jsonItem } from "../../core/db/schema/sql/functions.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";

const changed = rowOf(changedAt("s.after_version", "s.at_or_before_version"));
const changes = sql`SELECT ${changed.columns} FROM (SELECT j.key AS place, CAST(${jsonItem("j.value", 0)} AS bigint) AS after_version,
    CAST(${jsonItem("j.value", 1)} AS bigint) AS at_or_before_version FROM ${jsonEach(":bounds::json", "j")}) s ORDER BY s.place`;

/** When changes happened, in their order. */
export function changeTimes(engine: Engine, bounds: readonly ChangeBounds[]): Promise<readonly MadeAt[]> {
  const pairs = bounds.map(({ after, atOrBefore }) => [String(after), String(atOrBefore)]);
  return changed.all(engine, changes, { bounds: JSON.stringify(pairs) });
}
