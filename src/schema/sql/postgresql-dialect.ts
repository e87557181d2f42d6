import type { CheckedColumn, Dialect } from "./dialect.ts";

/** What PostgreSQL says in its own way. */
export const postgresqlDialect: Dialect = {
  engine: "postgresql",
  each: (json, alias) =>
    `LATERAL (SELECT place - 1 AS key, item AS value FROM json_array_elements_text(${json}) WITH ORDINALITY AS items(item, place)) AS ${alias}`,
  item: (json, index) => `(CAST(${json} AS json) ->> CAST(${index} AS int))`,
  jsonList: (value, from, order) =>
    `('[' || coalesce((SELECT string_agg(CAST(to_json(${value}) AS text), ',' ORDER BY ${order}) FROM ${from}), '') || ']')`,
  hexOf: (bytes) => `encode(${bytes}, 'hex')`,
  moment: (time) => time,
  asMoment: (moment) => moment,
  msOfTime: (time) => `CAST(round(extract(epoch FROM ${time}) * 1000) AS bigint)`,
  timeOfMs: (ms) => `to_timestamp(${ms} / 1000.0)`,
  u64: (value) => value,
  u64Of: (text) => `CAST(${text} AS numeric(20,0))`,
  bytesOf: (hex) => `decode(${hex}, 'hex')`,
  zeroPadded: (digits, count) => `lpad(${digits}, ${count}, '0')`,
  checksum: (columns) =>
    `CAST(CAST('x' || substr(encode(sha256(convert_to(${columns.map(checkedText).join(" || ")}, 'UTF8')), 'hex'), 1, 12) AS bit(48)) AS bigint)`,
  now: "clock_timestamp()",
  later: (time, milliseconds) => `(${time} + ${milliseconds} * interval '1 millisecond')`,
  forUpdate: "FOR UPDATE",
  forShare: "FOR SHARE",
  forKeyShare: "FOR KEY SHARE",
  skipLocked: "FOR UPDATE SKIP LOCKED",
  countRows: (table) => `ANALYZE ${table}`,
  bulkSettings: { begin: [], end: [] },
  addReference: ({ name, table, column, parent }) => `DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = '${name}' AND conrelid = CAST('${table}' AS regclass)) THEN
      ALTER TABLE ${table} ADD CONSTRAINT ${name} FOREIGN KEY (${column}) REFERENCES ${parent};
    END IF; END $$`,
  dropReference: ({ name, table }) => `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name}`,
  lockToWrite: (table) => `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`,
  asText: (value) => `CAST(${value} AS text) COLLATE "C"`,
  flag: (condition) => `(${condition})`,
  databaseBytes:
    "(SELECT CAST(sum(pg_total_relation_size(c.oid)) AS bigint) FROM pg_class c WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r')",
};

/** A column as it goes into a checksum: nothing for null. */
function checkedText({ name, text, kind }: CheckedColumn): string {
  const asText =
    kind === "bytes"
      ? `encode(${text}, 'hex')`
      : kind === "bool"
        ? `CAST(CAST(${text} AS int) AS text)`
        : kind === "time"
          ? `CAST(CAST(round(extract(epoch FROM ${text}) * 1000) AS bigint) AS text)`
          : `CAST(${text} AS text)`;
  return `coalesce('${name}=' || ${asText} || chr(31), '')`;
}
