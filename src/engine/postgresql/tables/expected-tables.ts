import { printable } from "../../../base/printable.ts";
import { kinds } from "../../../schema/kinds.ts";
import { sql } from "../../../schema/sql/sql.ts";
import type { TableData } from "../../../schema/table.ts";
import { tableList } from "../../../schema/tables/tables.ts";
import type { Session } from "../../engine.ts";
import { damagedFile } from "../../errors.ts";
import { textsOf } from "../../shape.ts";

// A view, or a table of another server, is no table: its rows are computed, and need not end.
const columnsOf = sql`SELECT CAST(a.attname AS text) || ' ' || format_type(a.atttypid, a.atttypmod) FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relname = :name AND c.relkind = 'r' AND a.attgenerated = '' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

/** The names of PostgreSQL's types where it prints another than the one that was asked for. */
const printed: Readonly<Record<string, string>> = { timestamptz: "timestamp with time zone" };

/** What is wrong with a table of the schema that is searched; undefined for one that is as movedex makes it. */
export async function tableProblem(session: Session, { name, columns }: TableData): Promise<string | undefined> {
  const wanted = Object.entries(columns).map(
    ([column, { kind }]) => `${column} ${printed[kinds[kind].postgresql] ?? kinds[kind].postgresql}`,
  );
  const found = await textsOf(session, columnsOf, { name });
  if (found.length === 0) return "the table is missing";
  // In any order, since migrations add some at the end.
  const isSame = found.length === wanted.length && wanted.every((column) => found.includes(column));
  return isSame ? undefined : `its columns are ${printable(found.join(", "), 500)}`;
}

/** Makes sure of all tables before anything is read of a database that others made. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export async function assertTables(session: Session, label: string): Promise<void> {
  for (const table of tableList) {
    const problem = await tableProblem(session, table);
    if (problem !== undefined)
      throw damagedFile(label, `\`${table.name}\`: ${problem}. Only what movedex makes itself can be imported safely`);
  }
}
