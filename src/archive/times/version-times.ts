import type { Engine } from "../../engine/engine.ts";
import { shapeOf, version } from "../../engine/shape.ts";
import { each } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type MadeAt, madeAt } from "./made-at.ts";

const timed = shapeOf({ ledgerVersion: version("ledger_version"), ...madeAt("v.ledger_version") });
const times = sql`SELECT ${timed.columns} FROM (SELECT DISTINCT CAST(j.value AS bigint) AS ledger_version FROM ${each(":versions::json", "j")}) v`;

export function prepareVersionTimes(engine: Engine) {
  return {
    /** By the ledger's own clock, of each version that is asked for. */
    timesOf: async (versions: readonly bigint[]): Promise<ReadonlyMap<bigint, MadeAt>> => {
      const rows = await timed.all(engine, times, { versions: JSON.stringify(versions.map(String)) });
      return new Map(rows.map(({ ledgerVersion, ...made }) => [ledgerVersion, made]));
    },
  };
}
