import { asMoment } from "../../core/db/schema/sql/functions.ts";
import { keptLedgerTimes } from "../../core/db/schema/sql/ledger-time.ts";
import {
  coverage,
  coveredAfter,
  coveredAt,
  coveredBefore,
  includesVersion,
  moduleSpans,
  recordCoverage,
} from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { asInteger, integer, time, type ViewColumns } from "../../core/db/schema/view.ts";

/** Whether two values differ; two nulls are equal. Avoids `IS DISTINCT FROM`, which SQLite supports only from 3.39. */
function differ(a: Sql, b: Sql): Sql {
  return sql`(${a} <> ${b} OR (${a} IS NULL) <> (${b} IS NULL))`;
}

// Each listing of an account that ended, and the one after it, which is named by its key, so that it is looked up and not looked for: few
// ended. The listings of an account's snapshots follow one another without a hole, so a change is what two of them show differently: what
// either has and the other has not, or otherwise.
const moduleSteps = sql`SELECT n.address_id, x.name, om.bytecode_id AS from_value, nm.bytecode_id AS to_value,
    o.to_version AS after_version, n.from_version AS at_or_before_version
    FROM _listing_spans o JOIN _listing_spans n ON o.to_version IS NOT NULL AND n.address_id = o.address_id AND n.from_version =
      (SELECT min(q.from_version) FROM _listing_spans q WHERE q.address_id = o.address_id AND q.from_version > o.from_version)
    JOIN _listing_modules x ON x.listing_id IN (n.listing_id, o.listing_id)
    LEFT JOIN _listing_modules nm ON nm.listing_id = n.listing_id AND nm.name = x.name
    LEFT JOIN _listing_modules om ON om.listing_id = o.listing_id AND om.name = x.name
    WHERE (x.listing_id = n.listing_id OR nm.name IS NULL) AND ${differ(sql`om.bytecode_id`, sql`nm.bytecode_id`)}`;

const recordBefore = coveredBefore(sql`n.address_id`, sql`n.from_version`, recordCoverage);
const keySteps = sql`SELECT n.address_id, '' AS name, o.authentication_key AS from_value, n.authentication_key AS to_value,
    o.to_version AS after_version, n.from_version AS at_or_before_version FROM _account_spans n JOIN _account_spans o ON o.address_id = n.address_id
    AND o.from_version = (SELECT max(q.from_version) FROM _account_spans q WHERE q.address_id = n.address_id AND q.from_version < n.from_version)
    AND o.to_version = ${recordBefore} WHERE o.authentication_key <> n.authentication_key`;

/** What is observed: in which snapshots, what two of these show differently, point reads between them, and what stood at one. */
type Observed = { readonly of: Sql; readonly steps: Sql; readonly probes: Sql; readonly valueAt: (version: Sql) => Sql };

/** Which accounts and modules count, by the `address_id` and `name` of a row. Both engines carry all else that is asked to the tables. */
export type Among = (row: Sql) => Sql;
const anyone: Among = () => sql`TRUE`;

/** Rows of changes, to be named after FROM: where no probe lies between two snapshots, and where one does. */
export type Changes = { readonly unprobed: (among?: Among) => Sql; readonly probed: (among?: Among) => Sql };

/** Changes between consecutive observations: snapshots, and probes between them. */
function changesOf({ of, steps, probes, valueAt }: Observed): Changes {
  const [account, version] = [sql`q.address_id`, sql`q.ledger_version`];
  const between = sql`NOT ${coveredAt(account, version, of)}`;
  const unprobed: Changes["unprobed"] = (
    among = anyone,
  ) => sql`(SELECT y.address_id, y.name, y.from_value, y.to_value, y.after_version, y.at_or_before_version, y.at_or_before_version AS shown_by
    FROM (${steps}) y WHERE ${among(sql`y`)} AND y.after_version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${probes} q
      WHERE q.address_id = y.address_id AND q.name = y.name AND q.ledger_version > y.after_version
      AND q.ledger_version < y.at_or_before_version AND ${between}))`;
  const probed: Changes["probed"] = (among = anyone) => {
    // Each probe with the snapshots on both sides, and those before and behind it in its stretch.
    const placed = sql`SELECT q.address_id, q.name, q.ledger_version, q.value, ${coveredBefore(account, version, of)} AS low,
      ${coveredAfter(account, version, of)} AS high FROM ${probes} q WHERE ${among(sql`q`)} AND ${between}`;
    const walked = sql`SELECT x.*, lag(x.ledger_version) OVER w AS before, lag(x.value) OVER w AS value_before, lead(x.ledger_version) OVER w AS behind
      FROM (${placed}) x WHERE x.high IS NOT NULL WINDOW w AS (PARTITION BY x.address_id, x.name, x.high ORDER BY x.ledger_version)`;
    const upTo = sql`SELECT x.address_id, x.name, CASE WHEN x.before IS NULL THEN ${valueAt(sql`x.low`)} ELSE x.value_before END AS from_value,
      x.value AS to_value, coalesce(x.before, x.low) AS after_version, x.ledger_version AS at_or_before_version, x.high AS shown_by FROM walked x`;
    const behindLast = sql`SELECT x.address_id, x.name, x.value AS from_value, ${valueAt(sql`x.high`)} AS to_value, x.ledger_version AS after_version,
      x.high AS at_or_before_version, x.high AS shown_by FROM walked x WHERE x.behind IS NULL`;
    // The statement begins with SELECT, which is how drizzle-kit knows a view.
    return sql`(SELECT z.* FROM (WITH walked AS (${walked}) ${upTo} UNION ALL ${behindLast}) z
      WHERE z.after_version IS NOT NULL AND ${differ(sql`z.from_value`, sql`z.to_value`)})`;
  };
  return { unprobed, probed };
}

export const moduleChanges = changesOf({
  of: coverage,
  steps: moduleSteps,
  probes: sql`(SELECT address_id, name, ledger_version, bytecode_id AS value FROM _module_probes)`,
  valueAt: (version) =>
    sql`(SELECT s.bytecode_id FROM ${moduleSpans} s WHERE s.address_id = x.address_id AND s.name = x.name AND ${includesVersion("s", version)})`,
});

export const keyChanges = changesOf({
  of: recordCoverage,
  steps: keySteps,
  probes: sql`(SELECT address_id, '' AS name, ledger_version, authentication_key AS value FROM _account_probes)`,
  valueAt: (version) =>
    sql`(SELECT s.authentication_key FROM _account_spans s WHERE s.address_id = x.address_id AND ${includesVersion("s", version)})`,
});

/** Two selects, so that conditions reach the tables. */
export const ofBoth = ({ unprobed, probed }: Changes, select: (rows: Sql) => Sql, among?: Among): Sql =>
  sql`${select(unprobed(among))} UNION ALL ${select(probed(among))}`;

/** Columns that end every view of changes: when one happened that lies after one version, and at or before the other. */
export function changeTimeOf(after: Sql, atOrBefore: Sql): ViewColumns {
  return {
    ledger_time: time(
      "the ledger's own time for at_or_before_version, UTC: the change happened then or earlier; before the oldest known time an estimate; null if unknown",
      asMoment(keptLedgerTimes.time(atOrBefore)),
    ),
    ledger_time_error_ms: integer(
      "maximum distance of the change from ledger_time in milliseconds, including all the time since after_version; null if the time of after_version is unknown",
      asInteger(keptLedgerTimes.changeError(after, atOrBefore)),
    ),
  };
}
