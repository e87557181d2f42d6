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
 * The checksum of a row, from what stands in it; references count as what they lead to, so altered names show. A null counts for
 * nothing, so that columns may be added. The `table` has the column `checksum`.
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
 * Rows for a table as a SELECT of the named columns with their checksum, written with the row, since a later UPDATE would write
 * it twice on PostgreSQL. `rows` is a SELECT of all that counts, by the table's names.
 */
export function withChecksum(table: TableData, columns: readonly string[], rows: Sql): Sql {
  const cells = columns.map((name) => sql`${named(table.name)}.${named(name)}`);
  return sql`SELECT ${joined([...cells, sql`${checksumOf(table)} AS checksum`], ", ")} FROM (${rows}) AS ${named(table.name)}`;
}

/** Writes the checksum of the row that its key names as parameters. Belongs after it into the transaction that wrote the row. */
export function writeChecksum(table: TableData): Sql {
  const isRow = joined(
    table.key.map((name) => sql`${named(name)} = ${inDialect(() => `:${name}`)}`),
    " AND ",
  );
  return sql`UPDATE ${named(table.name)} SET checksum = ${checksumOf(table)} WHERE ${isRow}`;
}
