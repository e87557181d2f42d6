import { printable } from "../../base/printable.ts";
import { type Check, type Damage, inSlice, type Slice } from "../../engine/check.ts";
import type { Cell, Session } from "../../engine/engine.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { isChecked, type TableData } from "../../schema/table.ts";
import { tableList } from "../../schema/tables/tables.ts";

/** Columns of keys that are called something else when a person is told of the row. */
const wordsOfColumns: Readonly<Record<string, string>> = {
  address_id: "account",
  name: "module",
  ledger_version: "ledger version",
  from_version: "from ledger version",
  source_id: "source",
};

const checked = tableList.filter(isChecked);

/** Rows that nothing else in the database can tell again: each is as it was written, and so is what it refers to. */
export function observationCheck(session: Session, slice: Slice): Check {
  return {
    name: "tables of observations",
    total: async () => checked.length,
    steps: async function* () {
      for (const table of checked) {
        yield (await session.all<readonly [checksum: Cell, ...key: Cell[]]>(selectWrong(table, slice))).map(
          ([checksum, ...key]): Damage => ({
            table: table.name,
            row: table.key.map((name, i) => `${wordsOfColumns[name] ?? name} ${printable(`${key[i]}`, 80)}`).join(", "),
            problem: checksum === null ? "it has no checksum" : "it is not as it was written: its checksum is of other values",
          }),
        );
      }
    },
  };
}

/** Rows whose checksum is not what their columns give: the columns of the key, an account by its address. */
function selectWrong(table: TableData, slice: Slice): Sql {
  const of = named(table.name);
  const keys = table.key.map((name) => {
    const own = sql`${of}.${named(name)}`;
    return name === "address_id" ? sql`coalesce((SELECT a.address FROM _addresses a WHERE a.id = ${own}), CAST(${own} AS text))` : own;
  });
  const number = table.key.find((name) => ["int", "version"].includes(table.columns[name]?.kind as string));
  // A row without a number in its key would fall into no slice.
  const isLooked = number !== undefined ? inSlice(sql`${of}.${named(number)}`, slice) : slice.part === 0 ? sql`TRUE` : sql`FALSE`;
  return sql`SELECT ${of}.checksum, ${joined(keys, ", ")} FROM ${of} WHERE ${isLooked}
    AND ${of}.checksum IS DISTINCT FROM ${checksumOf(table)} LIMIT 100`;
}
