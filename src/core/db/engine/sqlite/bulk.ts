import type { Database } from "better-sqlite3";
import type { Cell } from "../../../base/cell.ts";
import type { Kind } from "../../schema/column.ts";
import { id } from "../../schema/column.ts";
import { checkName } from "../../schema/sql/sql.ts";
import type { BulkRows, BulkTable } from "../engine.ts";
import { bindCell } from "./statements.ts";

/** Rows of one INSERT, and of one for the rest. One row at a time takes twice the CPU. */
const ROWS = 64;
const REST_ROWS = [16, 4, 1] as const;

type Insert = { readonly run: (...bound: readonly Cell[]) => unknown };

export function sqliteBulk(database: Database): (table: BulkTable, rows: BulkRows) => Promise<number> {
  const loads = new WeakMap<BulkTable, TableLoad>();
  return async (table, rows) => {
    const load = loads.get(table) ?? new TableLoad(database, table);
    loads.set(table, load);
    load.begin();
    const { width } = load;
    const addRow = (row: readonly unknown[]): void => {
      if (row.length !== width) throw new TypeError(`a row for ${table.name} has ${row.length} cells instead of ${width}.`);
      load.add(row, 0);
    };
    if ("cells" in rows) for (let from = 0; from < rows.cells.length; from += width) load.add(rows.cells, from);
    else if (Symbol.asyncIterator in rows) for await (const row of rows) addRow(row);
    else for (const row of rows) addRow(row);
    load.flush();
    return load.count;
  };
}

/**
 * Loads of one table, one after the other.
 *
 * Several rows with numbers of ours make SQLite copy every page that they change into a temporary file, since a number may turn out to
 * be none: a third of what a first crawl writes. Numbers that follow the largest one it gives the rows itself, so they are left out.
 */
class TableLoad {
  readonly width: number;
  count = 0;
  readonly #database: Database;
  readonly #name: string;
  readonly #columns: readonly string[];
  readonly #unnumbered: readonly string[];
  readonly #kinds: readonly Kind[];
  readonly #inserts = new Map<string, Insert>();
  /** Gives the largest number of a table whose rows have numbers. */
  readonly #largestId: { readonly get: () => unknown } | undefined;
  #nextId: number | undefined;
  /** Cells of rows without numbers: the same list for every statement, which reads it before it returns. */
  readonly #waiting: Cell[];
  #filled = 0;

  constructor(database: Database, { name, columns }: BulkTable) {
    const isNumbered = Object.values(columns)[0] === id;
    this.#database = database;
    this.#name = checkName(name);
    this.#columns = Object.keys(columns).map(checkName);
    this.#unnumbered = isNumbered ? this.#columns.slice(1) : this.#columns;
    this.#kinds = Object.values(columns).map(({ kind }) => kind);
    this.#largestId = isNumbered ? database.prepare(`SELECT coalesce(max(id), 0) FROM ${this.#name}`).pluck() : undefined;
    this.width = this.#kinds.length;
    this.#waiting = new Array(ROWS * this.#unnumbered.length).fill(null);
  }

  begin(): void {
    this.count = 0;
    this.#filled = 0;
    this.#follow();
  }

  add(cells: readonly unknown[], from: number): void {
    this.count++;
    if (this.#nextId === undefined) this.#wait(cells, from, 0);
    else if (cells[from] === this.#nextId) {
      this.#nextId++;
      this.#wait(cells, from, 1);
    } else this.#addNumbered(cells, from);
  }

  #wait(cells: readonly unknown[], from: number, skipped: number): void {
    for (let i = skipped; i < this.width; i++) this.#waiting[this.#filled++] = bindCell(cells[from + i], this.#kinds[i] as Kind);
    if (this.#filled < this.#waiting.length) return;
    this.#insert(ROWS).run(...this.#waiting);
    this.#filled = 0;
  }

  flush(): void {
    let start = 0;
    for (const rows of REST_ROWS) {
      const size = rows * this.#unnumbered.length;
      for (; start + size <= this.#filled; start += size) this.#insert(rows).run(...this.#waiting.slice(start, start + size));
    }
    this.#filled = 0;
  }

  #addNumbered(cells: readonly unknown[], from: number): void {
    this.flush();
    this.#insert(1, this.#columns).run(...this.#kinds.map((kind, i) => bindCell(cells[from + i], kind)));
    this.#follow();
  }

  #follow(): void {
    this.#nextId = this.#largestId && Number(this.#largestId.get()) + 1;
  }

  #insert(rows: number, columns = this.#unnumbered): Insert {
    const key = `${rows} ${columns.length}`;
    let insert = this.#inserts.get(key);
    if (insert === undefined) {
      const list = Array.from({ length: rows }, () => `(${columns.map(() => "?").join(", ")})`).join(", ");
      // A failure fails the transaction, so that no statement has to keep what it would need to take its first rows back.
      insert = this.#database.prepare(`INSERT OR FAIL INTO ${this.#name} (${columns.join(", ")}) VALUES ${list}`) as unknown as Insert;
      this.#inserts.set(key, insert);
    }
    return insert;
  }
}
