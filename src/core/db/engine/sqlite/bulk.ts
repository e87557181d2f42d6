import type { Database } from "better-sqlite3";
import type { Cell } from "../../../base/cell.ts";
import type { Kind } from "../../schema/kinds.ts";
import { checkName } from "../../schema/sql/sql.ts";
import type { BulkRows, BulkTable } from "../engine.ts";
import { bindCell } from "./statements.ts";

/** Rows of one INSERT, and of one for the rest. One row at a time takes twice the CPU. */
const ROWS = 64;
const REST_ROWS = [16, 4, 1] as const;

type Insert = { readonly run: (...bound: readonly Cell[]) => unknown };
type Inserts = { readonly of: (rows: number) => Insert; readonly kinds: readonly Kind[] };

export function sqliteBulk(database: Database): (table: BulkTable, rows: BulkRows) => Promise<number> {
  const prepared = new WeakMap<BulkTable, Inserts>();

  const prepare = (table: BulkTable): Inserts => {
    const columns = Object.keys(table.columns);
    // A failure fails the transaction, so that no statement has to keep what it would need to take its first rows back.
    const into = `INSERT OR FAIL INTO ${checkName(table.name)} (${columns.map(checkName).join(", ")}) VALUES `;
    const row = `(${columns.map(() => "?").join(", ")})`;
    const inserts = new Map<number, Insert>();
    const of = (rows: number): Insert => {
      const known = inserts.get(rows);
      if (known !== undefined) return known;
      const made = database.prepare(into + Array.from({ length: rows }, () => row).join(", ")) as unknown as Insert;
      inserts.set(rows, made);
      return made;
    };
    return { of, kinds: Object.values(table.columns).map(({ kind }) => kind) };
  };

  return async (table, rows) => {
    const inserts = prepared.get(table) ?? prepare(table);
    prepared.set(table, inserts);
    const { of, kinds } = inserts;
    const width = kinds.length;
    // The same list for every statement, which reads it before it returns.
    const waiting: Cell[] = new Array(ROWS * width).fill(null);
    let filled = 0;
    let count = 0;
    const add = (cells: readonly unknown[], from: number) => {
      bindRow(cells, from, kinds, waiting, filled);
      filled += width;
      count++;
      if (filled < waiting.length) return;
      of(ROWS).run(...waiting);
      filled = 0;
    };
    const addRow = (row: readonly unknown[]) => {
      if (row.length !== width) throw new TypeError(`a row for ${table.name} has ${row.length} cells instead of ${width}.`);
      add(row, 0);
    };
    if ("cells" in rows) for (let from = 0; from < rows.cells.length; from += width) add(rows.cells, from);
    else if (Symbol.asyncIterator in rows) for await (const row of rows) addRow(row);
    else for (const row of rows) addRow(row);
    let start = 0;
    for (const rows of REST_ROWS) {
      for (; start + rows * width <= filled; start += rows * width) of(rows).run(...waiting.slice(start, start + rows * width));
    }
    return count;
  };
}

/** Binds the cells of a row, starting at a place in the list. A function of the module: V8 would compile a closure again for each load. */
function bindRow(cells: readonly unknown[], from: number, kinds: readonly Kind[], into: Cell[], at: number): void {
  for (let i = 0; i < kinds.length; i++) into[at + i] = bindCell(cells[from + i], kinds[i] as Kind);
}
