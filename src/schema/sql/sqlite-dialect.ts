import type { Dialect } from "./dialect.ts";

export const sqliteDialect: Dialect = {
  engine: "sqlite",
  each: (json, alias) => `json_each(${json}) AS ${alias}`,
  item: (json, index) => `CAST(${json} ->> ${index} AS TEXT)`,
  // The order of the inner question is kept: SQLite has an order inside aggregates only from 3.44 on.
  jsonList: (value, from, order) =>
    `('[' || coalesce((SELECT group_concat(q.item, ',') FROM (SELECT json_quote(${value}) AS item FROM ${from} ORDER BY ${order}) AS q), '') || ']')`,
  // The hex digits of null would be an empty text.
  hexOf: (bytes) => `CASE WHEN ${bytes} IS NOT NULL THEN lower(hex(${bytes})) END`,
  // A type that tools can see, as asText gives one.
  moment: (time) => `CAST(strftime('%Y-%m-%dT%H:%M:%fZ', ${time} / 1000.0, 'unixepoch') AS TEXT)`,
  asMoment: (moment) => `CAST(${moment} AS TEXT)`,
  msOfTime: (time) => time,
  timeOfMs: (ms) => ms,
  u64: (value) =>
    `CASE WHEN length(${value}) < 19 OR (length(${value}) = 19 AND ${value} <= '9223372036854775807') THEN CAST(${value} AS INTEGER) ELSE ${value} END`,
  u64Of: (text) => text,
  bytesOf: (hex) => `unhex(${hex})`,
  zeroPadded: (digits, count) => `replace(printf('%${count}s', ${digits}), ' ', '0')`,
  // A function of ours: see `row-checksum.ts`.
  checksum: (columns) => `movedex_checksum('${columns.map(({ name }) => name).join(" ")}', ${columns.map(({ text }) => text).join(", ")})`,
  now: ":now::time",
  later: (time, milliseconds) => `(${time} + ${milliseconds})`,
  forUpdate: "",
  forShare: "",
  forKeyShare: "",
  skipLocked: "",
  countRows: () => "SELECT 1 WHERE FALSE",
  lockToWrite: () => "SELECT 1 WHERE FALSE",
  // The log is folded into the file after 32 MB instead of 4: pages at the ends of tables are then copied once, and not each time.
  bulkSettings: {
    begin: ["PRAGMA foreign_keys = OFF", "PRAGMA cache_size = -8000", "PRAGMA wal_autocheckpoint = 8000"],
    end: ["PRAGMA foreign_keys = ON", "PRAGMA cache_size = -2000", "PRAGMA wal_autocheckpoint = 1000"],
  },
  // A table's references are part of it, whether they are checked or not.
  addReference: () => "SELECT 1 WHERE FALSE",
  dropReference: () => "SELECT 1 WHERE FALSE",
  asText: (value) => `CAST(${value} AS TEXT)`,
  flag: (condition) => `CAST(${condition} AS INTEGER)`,
  databaseBytes: "((SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size))",
};
