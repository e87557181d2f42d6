import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { sqliteWords } from "../../schema/sql/sqlite-words.ts";
import { isChecked, type TableData } from "../../schema/table.ts";
import { tableList } from "../../schema/tables/tables.ts";
import { addChecksumFunction } from "../connection/row-checksum.ts";
import { type Check, type Damage, inSlice, type Slice } from "./check.ts";

/** A row whose checksum is not what its columns give: the columns of its key, an account by its address. */
type WrongRow = Readonly<Record<string, string | bigint | null>>;

/** Columns of keys that are called something else when a person is told of the row. */
const wordsOfColumns: Readonly<Record<string, string>> = {
  address_id: "account",
  name: "module",
  ledger_version: "ledger version",
  source_id: "source",
};

const SHOWN_MAX = 100;

/** Rows that nothing else in the database can tell again: each is as it was written, and so is what it refers to. */
export function observationCheck(database: Database, slice: Slice): Check {
  addChecksumFunction(database);
  const questions = tableList
    .filter(isChecked)
    .map((table) => ({ table, wrong: database.prepare<[], WrongRow>(selectWrong(table, slice)) }));
  return {
    name: "tables of observations",
    total: () => questions.length,
    steps: function* () {
      for (const { table, wrong } of questions) {
        yield wrong.all().map(
          (row): Damage => ({
            table: table.name,
            row: nameOf(table, row),
            problem: row["checksum"] === null ? "it has no checksum" : "it is not as it was written: its checksum is of other values",
          }),
        );
      }
    },
  };
}

function selectWrong(table: TableData, slice: Slice): string {
  const keys = table.key.map((name) => {
    const own = `${table.name}.${name}`;
    return name === "address_id" ? `coalesce((SELECT address FROM addresses WHERE id = ${own}), ${own}) AS ${name}` : own;
  });
  const number = table.key.find((name) => ["int", "version"].includes(table.columns[name]?.kind as string));
  // A row without a number in its key would fall into no slice.
  const isLooked = number === undefined ? (slice.part === 0 ? "1" : "0") : inSlice(`${table.name}.${number}`, slice);
  return (
    `SELECT ${keys.join(", ")}, ${table.name}.checksum FROM ${table.name} WHERE ${isLooked} ` +
    `AND ${table.name}.checksum IS NOT ${checksumOf(table).in(sqliteWords)} LIMIT ${SHOWN_MAX}`
  );
}

function nameOf({ key }: TableData, row: WrongRow): string {
  return key.map((name) => `${wordsOfColumns[name] ?? name} ${printable(`${row[name]}`, 80)}`).join(", ");
}
