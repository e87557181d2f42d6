import { moment, msOfTime, timeOfMs } from "./functions.ts";
import { type Sql, sql } from "./sql.ts";

const oldest = sql`(SELECT min(k.ledger_version) FROM _ledger_times k)`;
const newest = sql`(SELECT max(k.ledger_version) FROM _ledger_times k)`;
const lastUpTo = (version: Sql): Sql => sql`(SELECT max(k.ledger_version) FROM _ledger_times k WHERE k.ledger_version <= ${version})`;
const firstFrom = (version: Sql): Sql => sql`(SELECT min(k.ledger_version) FROM _ledger_times k WHERE k.ledger_version >= ${version})`;

const [low, high] = [msOfTime("mark_below.ledger_time"), msOfTime("mark_above.ledger_time")];

/** The fraction `part` / `whole` of a time interval, in floating point: versions times milliseconds overflow integers. */
const share = (ms: Sql, part: Sql, whole: Sql): Sql => sql`CAST(round(CAST(${ms} AS double precision) * (${part}) / (${whole})) AS bigint)`;

/** What is known of a version's time, in milliseconds: a scalar question each, null where nothing is. */
type KnownTime = { readonly ms: Sql; readonly error: Sql };

/** Of a version between two marks: on the line through them. Marks that contradict each other bound nothing. */
function between(version: Sql): KnownTime {
  const isMark = sql`mark_below.ledger_version = mark_above.ledger_version`;
  const ms = sql`${low} + ${share(sql`(${high} - ${low})`, sql`${version} - mark_below.ledger_version`, sql`mark_above.ledger_version - mark_below.ledger_version`)}`;
  const [sinceLow, untilHigh] = [sql`(${ms} - ${low} + mark_below.error_ms)`, sql`(${high} + mark_above.error_ms - (${ms}))`];
  const ask = (atMark: Sql, value: Sql): Sql => sql`(SELECT CASE WHEN ${isMark} THEN ${atMark} WHEN ${low} <= ${high} THEN ${value} END
    FROM _ledger_times mark_below JOIN _ledger_times mark_above ON mark_above.ledger_version = ${firstFrom(version)}
    WHERE mark_below.ledger_version = ${lastUpTo(version)})`;
  return {
    ms: ask(low, ms),
    // The marks' own microseconds are cut off: a millisecond more.
    error: ask(sql`mark_below.error_ms`, sql`CASE WHEN ${sinceLow} > ${untilHigh} THEN ${sinceLow} ELSE ${untilHigh} END + 1`),
  };
}

/** Of a version below the oldest mark: at the pace of all marks, no further down than these reach up. */
function below(version: Sql): KnownTime {
  const [first, last] = [low, high];
  const [firstVersion, lastVersion] = [sql`mark_below.ledger_version`, sql`mark_above.ledger_version`];
  const distance = share(sql`(${last} - ${first})`, sql`${firstVersion} - ${version}`, sql`${lastVersion} - ${firstVersion}`);
  const ask = (
    value: Sql,
  ): Sql => sql`(SELECT ${value} FROM _ledger_times mark_below JOIN _ledger_times mark_above ON mark_above.ledger_version = ${newest}
    WHERE mark_below.ledger_version = ${oldest} AND ${version} < ${firstVersion} AND ${firstVersion} - ${version} <= ${lastVersion} - ${firstVersion}
      AND ${first} <= ${last})`;
  return { ms: ask(sql`${first} - ${distance}`), error: ask(sql`${distance} + mark_below.error_ms + 1`) };
}

function known(version: Sql): KnownTime {
  const [inside, outside] = [between(version), below(version)];
  return { ms: sql`coalesce(${inside.ms}, ${outside.ms})`, error: sql`coalesce(${inside.error}, ${outside.error})` };
}

/** When versions were made by the ledger's own clock, as SQL over a version: a column of a row of the statement around. */
function timesBy(find: (version: Sql) => KnownTime) {
  return {
    /**
     * As a `time`; null without bounds on both sides. Ledger time rises with versions, so the marks (`_ledger_times`) bound all versions
     * between them, and the true time is within `error`. Below the oldest head, this holds only as far as the estimates do.
     */
    time: (version: Sql): Sql => timeOfMs(find(version).ms),
    /** How far the true time may lie from it, in milliseconds: 0 where a node told it of that very version, null where the time is null. */
    error: (version: Sql): Sql => find(version).error,
    /** How far a change may lie before `time(atOrBefore)`, the time since the version before included. Null if a time is unknown. */
    changeError: (after: Sql, atOrBefore: Sql): Sql => {
      const [since, until] = [find(after), find(atOrBefore)];
      const sides = sql`SELECT ${until.error} AS later, ${until.ms} - (${since.ms} - ${since.error}) AS earlier`;
      return sql`(SELECT CASE WHEN ${after} + 1 = ${atOrBefore} OR reach.later > reach.earlier THEN reach.later WHEN reach.earlier >= 0 THEN reach.earlier END
        FROM (${sides}) reach)`;
    },
  };
}

export const ledgerTimes = timesBy(known);

/** All versions that an archive speaks of: what the view `_versions` selects. */
export const versionsKept = sql`SELECT ledger_version FROM _all_snapshots UNION SELECT ledger_version FROM _module_probes
  UNION SELECT ledger_version FROM _account_probes UNION SELECT ledger_version FROM _backfill_points`;

/** What is known of the time of each of these, as people read it and in milliseconds: what the view `_version_times` selects. */
export const versionTimes = sql`SELECT t.ledger_version, ${moment(timeOfMs("t.ms"))} AS ledger_time, t.ms, t.error_ms
  FROM (SELECT v.ledger_version, CAST(${known(sql`v.ledger_version`).ms} AS bigint) AS ms, CAST(${known(sql`v.ledger_version`).error} AS bigint) AS error_ms FROM _versions v) t`;

/** Ledger times of the archive's versions, from a view: inlined, they would make other views ten times as long. `time` is ISO text. */
export const keptLedgerTimes = {
  // Cast, since DuckDB takes what SQLite works out for a text.
  ...timesBy((version) => ({
    ms: sql`CAST(${kept(sql`ms`, version)} AS bigint)`,
    error: sql`CAST(${kept(sql`error_ms`, version)} AS bigint)`,
  })),
  time: (version: Sql): Sql => kept(sql`ledger_time`, version),
};

function kept(column: Sql, version: Sql): Sql {
  return sql`(SELECT kept.${column} FROM _version_times kept WHERE kept.ledger_version = ${version})`;
}
