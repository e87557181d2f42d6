import type { Engine } from "../../db/engine/engine.ts";
import { orNull, rowOf, text, version, whole } from "../../db/engine/row-shape.ts";
import { sql } from "../../db/schema/sql/sql.ts";

/** What became of a version that backfill was asked for; the words are explained in the table `_backfill_points`. */
export type PointState = "planned" | "refused" | "observed" | "inferred" | "gaps" | "lost";

/** A version that backfill was asked for. Times are milliseconds since 1970. */
export type BackfillPoint = ReturnType<typeof point.read>;

const point = rowOf({
  version: version("ledger_version"),
  wantedTime: orNull(whole("wanted_time")),
  timeErrorMs: orNull(whole("time_error_ms")),
  state: text<PointState>("state"),
  reason: orNull(text("reason")),
  accountsRead: whole("accounts_read"),
  accountsInferred: whole("accounts_inferred"),
});

const points = sql`SELECT ${point.columns} FROM _backfill_points ORDER BY ledger_version`;

/** Every version that backfill was asked for, oldest first. */
export const backfillPoints = (engine: Engine): Promise<BackfillPoint[]> => point.all(engine, points);
