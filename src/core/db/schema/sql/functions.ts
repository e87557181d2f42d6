import type { Reference } from "../table.ts";
import { checkName, type Dialect, type Expression, inDialect, named, type Sql, sql, toSql } from "./sql.ts";

type Spellings = Readonly<Record<Dialect, string>>;

/** A function of SQL that each engine spells in its own way: `say` gets its arguments as texts. */
function spelled<Texts extends readonly string[]>(say: (...texts: Texts) => Spellings) {
  return (...parts: { readonly [I in keyof Texts]: Expression | number }): Sql =>
    inDialect((dialect) => {
      const texts = parts.map((part) => (typeof part === "number" ? String(part) : toSql(part).in(dialect)));
      return say(...(texts as unknown as Texts))[dialect];
    });
}

function words(spellings: Spellings): Sql {
  return inDialect((dialect) => spellings[dialect]);
}

/** Stands for a statement that is for another engine. */
const NOTHING = "SELECT 1 WHERE FALSE";

function serverStatement(postgresql: string): Sql {
  return words({ sqlite: NOTHING, postgresql });
}

function fileStatement(sqlite: string): Sql {
  return words({ sqlite, postgresql: NOTHING });
}

function firstIf(a: Expression, isFirst: Sql, isSecond: Sql, b: Expression): Sql {
  const [first, second] = [toSql(a), toSql(b)];
  return sql`CASE WHEN ${first} ${isFirst} ${second} THEN ${first} WHEN ${first} ${isSecond} ${second} THEN ${second} END`;
}

/** The smaller of two values, null when either is null. The functions of that name differ from engine to engine. */
export const least = (a: Expression, b: Expression): Sql => firstIf(a, sql`<=`, sql`>`, b);

/** The larger of two values, null when either is null. */
export const greatest = (a: Expression, b: Expression): Sql => firstIf(a, sql`>=`, sql`<`, b);

/**
 * The items of a JSON list as a table: `JOIN ${jsonEach("f.params", "j")} ON true`, with `key`, from 0, and `value`, a string's text
 * or JSON. A null list has none. Numbers have to be cast.
 */
export const jsonEach = spelled((json: string, alias: string) => ({
  sqlite: `json_each(${json}) AS ${alias}`,
  postgresql: `LATERAL (SELECT place - 1 AS key, item AS value FROM json_array_elements_text(${json}) WITH ORDINALITY AS items(item, place)) AS ${alias}`,
}));

/** One item of a JSON list as text, counted from 0; null when there is none. */
export const jsonItem = spelled((json: string, index: string) => ({
  sqlite: `CAST(${json} ->> ${index} AS TEXT)`,
  postgresql: `(CAST(${json} AS json) ->> CAST(${index} AS int))`,
}));

/** A text as JSON, letter for letter as `JSON.stringify` writes it; null is `null`. */
export const jsonText = spelled((value: string) => ({
  sqlite: `json_quote(${value})`,
  postgresql: `coalesce(CAST(to_json(${value}) AS text), 'null')`,
}));

/** Rows as a JSON list: of each row of `from` (tables with a condition) some JSON, in an order. */
export const jsonRows = spelled((json: string, from: string, order: string) => ({
  // The order of the inner question is kept: SQLite has an order inside aggregates only from 3.44 on.
  sqlite: `('[' || coalesce((SELECT group_concat(item) FROM (SELECT ${json} AS item FROM ${from} ORDER BY ${order})), '') || ']')`,
  postgresql: `('[' || coalesce((SELECT string_agg(${json}, ',' ORDER BY ${order}) FROM ${from}), '') || ']')`,
}));

/** Rows as a JSON list of texts. */
export const jsonList = (value: Expression, from: Expression, order: Expression): Sql => jsonRows(jsonText(value), from, order);

/** Bytes as lower-case hex digits. */
export const hexOf = spelled((bytes: string) => ({
  // The hex digits of null would be an empty text.
  sqlite: `CASE WHEN ${bytes} IS NOT NULL THEN lower(hex(${bytes})) END`,
  postgresql: `encode(${bytes}, 'hex')`,
}));

export const bytesOf = spelled((hex: string) => ({ sqlite: `unhex(${hex})`, postgresql: `decode(${hex}, 'hex')` }));

/** A `time` as the reader of a view sees it: a timestamptz; in SQLite, which has no such type, text (2026-01-31T12:00:00.000Z). */
export const moment = spelled((time: string) => ({
  // A type that tools can see, as asText gives one.
  sqlite: `CAST(strftime('%Y-%m-%dT%H:%M:%fZ', ${time} / 1000.0, 'unixepoch') AS TEXT)`,
  postgresql: time,
}));

/** A text in SQLite, which looks for `text` in all that stands in a type's name; a timestamp for DuckDB's own parser. */
const TIMESTAMP = "timestamp /*text*/ without time zone";

/** What `moment` gave, out of another view: of a type that tools can see. */
export const asMoment = spelled((moment: string) => ({ sqlite: `CAST(${moment} AS ${TIMESTAMP})`, postgresql: moment }));

/** A statement of SQLite without these types: one that DuckDB cannot read by itself it hands to SQLite without its comments. */
export const withoutTimestamps = (select: string): string => select.replaceAll(TIMESTAMP, "TEXT");

/** A `time` as milliseconds since 1970. */
export const msOfTime = spelled((time: string) => ({
  sqlite: time,
  postgresql: `CAST(round(extract(epoch FROM ${time}) * 1000) AS bigint)`,
}));

/** Milliseconds since 1970 as a `time`. */
export const timeOfMs = spelled((ms: string) => ({ sqlite: ms, postgresql: `to_timestamp(${ms} / 1000.0)` }));

/** A `time` and some milliseconds after it. */
export const later = spelled((time: string, ms: string) => ({
  sqlite: `(${time} + ${ms})`,
  postgresql: `(${time} + ${ms} * interval '1 millisecond')`,
}));

/**
 * The present moment as a `time`: by the clock of the database where several machines share one; of a file, whose clock is
 * the machine's own, the parameter `:now`, which therefore has to be given always.
 */
export const now: Sql = words({ sqlite: ":now::time", postgresql: "clock_timestamp()" });

/**
 * A `u64` as the reader of a view sees it: a number; in SQLite, where none is that large, text above 2^63 − 1, which is a number for DuckDB
 * as a time is a timestamp (`asMoment`).
 */
export const u64 = spelled((value: string) => ({
  sqlite: `CASE WHEN length(${value}) < 19 OR (length(${value}) = 19 AND ${value} <= '9223372036854775807') THEN CAST(${value} AS bigint) ELSE CAST(${value} AS decimal /*text*/ (20, 0)) END`,
  postgresql: value,
}));

/** Decimal text as the value of a `u64` column. */
export const u64Of = spelled((text: string) => ({ sqlite: text, postgresql: `CAST(${text} AS numeric(20,0))` }));

/** A value as text, compared byte by byte, of a type that tools can see in a view. */
export const asText = spelled((value: string) => ({
  sqlite: `CAST(${value} AS TEXT)`,
  postgresql: `CAST(${value} AS text) COLLATE "C"`,
}));

/** A condition, or a `bool`, as the value of a column: a boolean, in SQLite 1 or 0, of a type that tools can see. */
export const flag = spelled((condition: string) => ({ sqlite: `CAST(${condition} AS boolean)`, postgresql: `(${condition})` }));

/** Digits with zeros before them, so many characters in all. */
export const zeroPadded = spelled((digits: string, count: string) => ({
  sqlite: `replace(printf('%${count}s', ${digits}), ' ', '0')`,
  postgresql: `lpad(${digits}, ${count}, '0')`,
}));

/** How many bytes the database takes: a file, or the tables and indexes of the schema. */
export const databaseBytes: Sql = words({
  sqlite: "((SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size))",
  postgresql:
    "(SELECT CAST(sum(pg_total_relation_size(c.oid)) AS bigint) FROM pg_class c WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r')",
});

/** At the end of a SELECT: its rows stay as they are until the transaction ends. A file has one writer at a time anyhow. */
export const forUpdate: Sql = words({ sqlite: "", postgresql: "FOR UPDATE" });

/** Keeps others from changing the rows of a SELECT until the transaction ends; these may be read, and kept so, by many at once. */
export const forShare: Sql = words({ sqlite: "", postgresql: "FOR SHARE" });

/** As `forUpdate`, leaving out rows that another transaction holds. */
export const skipLocked: Sql = words({ sqlite: "", postgresql: "FOR UPDATE SKIP LOCKED" });

/** Whether a database has one writer at a time: what a process there left unfinished belongs to nobody. */
export const hasOneWriter: Sql = words({ sqlite: "TRUE", postgresql: "FALSE" });

/** Lets a transaction wait for locks for as long as others have them: of two that wait for each other the server ends one. */
export const waitForLocks: Sql = serverStatement("SET LOCAL lock_timeout = 0");

/** Lets one transaction at a time go on, by a name in this schema; others wait for its end, however long. A file has one writer anyway. */
export const waitForTurn = (name: string): Sql =>
  serverStatement(
    `SELECT set_config('lock_timeout', '0', true), CAST(pg_advisory_xact_lock(hashtextextended(current_schema() || ' ${checkName(name)}', 0)) AS text)`,
  );

/** Waits until no other process writes content, until the transaction ends: else each might wait for rows of the other. */
export const contentTurn = waitForTurn("content");

/** Waits until no other process changes spans: those of an account are changed by the seals of all its snapshots. */
export const spansTurn = waitForTurn("spans");

/** Lets PostgreSQL count a table that was filled or emptied: by older counts it would read all of it for each row of another. */
export const countRows = (table: string): Sql => serverStatement(`ANALYZE ${checkName(table)}`);

/** Takes all rows out of a table of the transaction's own. */
export const empty = (table: string): Sql => sql`${words({ sqlite: "DELETE FROM", postgresql: "TRUNCATE" })} ${named(table)}`;

type ForeignKey = Reference & { readonly name: string; readonly table: string };

/** Makes a server check a reference, of rows that are there too. A file's references are part of its tables, checked or not. */
export const addReference = ({ name, table, columns, parent }: ForeignKey): Sql =>
  serverStatement(`DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = '${name}' AND conrelid = CAST('${table}' AS regclass)) THEN
      ALTER TABLE ${table} ADD CONSTRAINT ${name} FOREIGN KEY (${columns.join(", ")}) REFERENCES ${parent};
    END IF; END $$`);

/** Makes a server check it no longer. */
export const dropReference = ({ name, table }: ForeignKey): Sql =>
  serverStatement(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name}`);

/** Connection settings for bulk writes, and the normal settings. Used outside of a transaction. */
export const bulkSettings = {
  // The log is folded into the file after 32 MB instead of 4: pages at the ends of tables are then copied once, and not each time.
  begin: ["PRAGMA foreign_keys = OFF", "PRAGMA cache_size = -8000", "PRAGMA wal_autocheckpoint = 8000"].map(fileStatement),
  // Indexes are sorted in as much memory as the cache may take: 8 MB for it would be the peak of a first crawl.
  indexes: [fileStatement("PRAGMA cache_size = -2000")],
  end: ["PRAGMA foreign_keys = ON", "PRAGMA wal_autocheckpoint = 1000"].map(fileStatement),
};
