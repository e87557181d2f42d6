import { type Expression, expressionIn, inDialect, named, type Sql, sql } from "./sql.ts";

/** That a row of the snapshots is a sealed one: `WHERE ${sealed("p")}`. */
export function sealed(alias: string): Sql {
  return sql`${named(alias)}.status IN ('sealed', 'sealed_with_gaps')`;
}

/** That a span (a row with `from_version` and `to_version`, which is null while it stands) holds at a version: `WHERE ${holds("s", ":version")}`. */
export function holds(span: string, version: Expression): Sql {
  const at = inDialect((dialect) => expressionIn(dialect, version));
  return sql`${named(span)}.from_version <= ${at} AND (${named(span)}.to_version IS NULL OR ${named(span)}.to_version >= ${at})`;
}

/** A version after every other: LEDGER_VERSION_MAX (`src/base/u64.ts`), the largest that a column holds. */
export const lastVersion: Sql = sql`9223372036854775807`;

/** That two values are not the same, where two nulls are. In words that every reader of a view knows: `IS DISTINCT FROM` is not one to SQLite before 3.39. */
export function differ(a: Sql, b: Sql): Sql {
  return sql`(${a} <> ${b} OR (${a} IS NULL) <> (${b} IS NULL))`;
}
