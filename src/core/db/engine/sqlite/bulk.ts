import type { Database, Statement } from "better-sqlite3";
import type { Cell } from "../../../base/cell.ts";
import { id } from "../../schema/column.ts";
import { checkName } from "../../schema/sql/sql.ts";
import type { BulkRows, BulkTable, Transaction } from "../engine.ts";
import { bindCell } from "./statements.ts";

/** Rows of one INSERT, and of one for the rest. One row at a time takes twice the CPU. */
const ROWS = 64;
const REST_ROWS = [16, 4, 1] as const;

type Insert = Statement<Cell[]>;
type Load = (rows: BulkRows) => void;

export function sqliteBulk(database: Database): Transaction["bulkAll"] {
  const tables = new WeakMap<BulkTable, Load>();
  return async (loads) => {
    for (const [table, rows] of loads) {
      const load = tables.get(table) ?? loadInto(database, table);
      tables.set(table, load);
      load(rows);
    }
  };
}

/**
 * Loads of one table, one after the other.
 *
 * Several rows with numbers of ours make SQLite copy every page that they change into a temporary file, since a number may turn out to
 * be none: a third of what a first crawl writes. Numbers that follow the largest one it gives the rows itself, so they are left out.
 */
function loadInto(database: Database, { name, columns }: BulkTable): Load {
  const kinds = Object.values(columns).map(({ kind }) => kind);
  const width = kinds.length;
  const isNumbered = Object.values(columns)[0] === id;
  const first = isNumbered ? 1 : 0;
  const largestId = isNumbered ? database.prepare(`SELECT coalesce(max(id), 0) FROM ${checkName(name)}`).pluck() : undefined;
  const nextId = () => largestId && Number(largestId.get()) + 1;
  const inserts = new Map<string, Insert>();
  const insert = (rows: number, from: number): Insert => {
    const key = `${rows} ${from}`;
    let found = inserts.get(key);
    if (found === undefined) {
      const names = Object.keys(columns).slice(from).map(checkName);
      const list = Array(rows).fill(`(${names.map(() => "?").join(", ")})`);
      // A failure fails the transaction, so that no statement has to keep what it would need to take its first rows back.
      found = database.prepare<Cell[]>(`INSERT OR FAIL INTO ${checkName(name)} (${names.join(", ")}) VALUES ${list.join(", ")}`);
      inserts.set(key, found);
    }
    return found;
  };
  /** Cells of rows without numbers: the same list for every statement, which reads it before it returns. */
  const waiting: Cell[] = new Array(ROWS * (width - first)).fill(null);

  return (rows) => {
    let [filled, next] = [0, nextId()];
    const flush = (): void => {
      let start = 0;
      for (const size of REST_ROWS) {
        const cells = size * (width - first);
        for (; start + cells <= filled; start += cells) insert(size, first).run(...waiting.slice(start, start + cells));
      }
      filled = 0;
    };
    const add = (cells: readonly unknown[], from: number): void => {
      if (isNumbered && cells[from] !== next) {
        flush();
        insert(1, 0).run(...kinds.map((kind, i) => bindCell(cells[from + i], kind)));
        next = nextId();
        return;
      }
      if (next !== undefined) next++;
      for (let i = first; i < width; i++) waiting[filled++] = bindCell(cells[from + i], kinds[i] as (typeof kinds)[number]);
      if (filled < waiting.length) return;
      insert(ROWS, first).run(...waiting);
      filled = 0;
    };
    const addRow = (row: readonly unknown[]): void => {
      if (row.length !== width) throw new TypeError(`a row for ${name} has ${row.length} cells instead of ${width}.`);
      add(row, 0);
    };
    if ("cells" in rows) for (let from = 0; from < rows.cells.length; from += width) add(rows.cells, from);
    else for (const row of rows) addRow(row);
    flush();
  };
}
