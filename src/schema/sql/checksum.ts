import { isChecked, type TableData } from "../table.ts";
import { findTable } from "../tables/tables.ts";
import { inDialect, joined, named, type Sql, sql } from "./sql.ts";

/** The column that tells a row of another table by what it is, where the row's number is this database's own. */
const namesOf: Readonly<Record<string, string>> = {
  _addresses: "address",
  _bytecodes: "sha256",
  _listings: "digest",
  _sources: "digest",
};

/**
 * The checksum of a row of a table, from what stands in the row. References count as what they lead to, so that a number that
 * leads to another account, or an account whose name was altered, shows too. A null counts for nothing: a column may be added
 * to the table, as long as it is null in the rows that are there.
 *
 * @param table one with the column `checksum`, in the statement under its own name
 */
export function checksumOf(table: TableData): Sql {
  if (!isChecked(table)) throw new TypeError(`the table \`${table.name}\` has no checksum`);
  const columns = Object.entries(table.columns).filter(([name, column]) => name !== "checksum" && column.isUnchecked === undefined);
  return inDialect((dialect) =>
    dialect.checksum(
      columns.map(([name, { kind, references }]) => {
        const own = `${table.name}.${name}`;
        const naming = references === undefined ? undefined : namesOf[references];
        if (references === undefined || naming === undefined) return { name, text: own, kind };
        const target = findTable(references) as TableData;
        const text = `(SELECT named.${naming} FROM ${references} AS named WHERE named.${target.key[0]} = ${own})`;
        return { name, text, kind: target.columns[naming]?.kind as typeof kind };
      }),
    ),
  );
}

/**
 * Rows for a table as a SELECT: the columns that are named, then the checksum. It is written with the row: on PostgreSQL an UPDATE
 * afterwards would write row and indexes a second time.
 *
 * @param rows a SELECT that has these columns, and all that count for the checksum, under the table's names for them
 */
export function withChecksum(table: TableData, columns: readonly string[], rows: Sql): Sql {
  const cells = columns.map((name) => sql`${named(table.name)}.${named(name)}`);
  return sql`SELECT ${joined([...cells, sql`${checksumOf(table)} AS checksum`], ", ")} FROM (${rows}) AS ${named(table.name)}`;
}

/**
 * Writes the checksum of one row, which its key names as parameters (`:ledger_version`, `:address_id`). Belongs into the transaction
 * that wrote the row, after it.
 */
export function writeChecksum(table: TableData): Sql {
  const isRow = joined(
    table.key.map((name) => sql`${named(name)} = ${inDialect(() => `:${name}`)}`),
    " AND ",
  );
  return sql`UPDATE ${named(table.name)} SET checksum = ${checksumOf(table)} WHERE ${isRow}`;
}
