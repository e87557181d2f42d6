import type { Cell } from "../../../base/cell.ts";
import { unreachable } from "../../../errors.ts";
import type { Ability } from "../../../move/types/make-type.ts";
import type { BulkTable, Transaction } from "../../engine/engine.ts";
import type { ColumnData, Kind } from "../../schema/column.ts";
import { asText, bytesOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { contentTables } from "../../schema/tables/content.ts";
import { derivedTables } from "../../schema/tables/derived.ts";

/** The tables of what follows from bytecode. Those that others refer to come first. */
export const tables = { modules: contentTables.modules, ...derivedTables };
export type Table = keyof typeof tables;
type Cells = Record<Table, unknown[]>;

const names = Object.keys(tables) as Table[];
const numbered = names.filter((name) => "id" in tables[name].columns);
const largest = sql<number[]>`SELECT ${joined(
  numbered.map((name) => sql`coalesce((SELECT max(id) FROM ${named(tables[name].name)}), 0)`),
  ", ",
)}`;

/** Rows that are gathered for a bulk load, with numbers that follow the largest of their table. */
export class NewRows {
  /** Cells of each table, row after row, in one list. */
  cells = noCells();
  #last = new Map<Table, number>();

  /**
   * Reads which numbers are taken. One process at a time derives, so nobody else takes the next ones.
   * @returns whether another process has deleted rows that this one has numbered before, to make all anew
   */
  async begin(tx: Transaction): Promise<boolean> {
    const ids = (await tx.first(largest)) ?? [];
    const newest = this.#last.get("abis") ?? 0;
    this.#last = new Map(numbered.map((name, i) => [name, ids[i] ?? 0]));
    return (this.#last.get("abis") ?? 0) < newest;
  }

  next(table: Table): number {
    const id = (this.#last.get(table) ?? 0) + 1;
    this.#last.set(table, id);
    return id;
  }

  get size(): number {
    return Object.values(this.cells).reduce((sum, cells) => sum + cells.length, 0);
  }

  /** Loads all that is gathered, the rows that others refer to first. */
  async load(tx: Transaction): Promise<void> {
    const filled = names.filter((name) => this.cells[name].length > 0);
    const loads = filled.map((name) => [tables[name] as BulkTable, { cells: this.cells[name] }] as const);
    this.cells = noCells();
    await tx.bulkAll(loads);
  }

  forget(): void {
    this.cells = noCells();
    this.#last.clear();
  }
}

function noCells(): Cells {
  return Object.fromEntries(names.map((name) => [name, []])) as unknown as Cells;
}

/** Pushes a row for each item: the owner's number, the position, the item. */
export function addList(cells: unknown[], id: number, items: readonly unknown[]): void {
  for (let position = 0; position < items.length; position++) cells.push(id, position, items[position]);
}

/** The end of a row that has the four abilities. */
export function addAbilities(cells: unknown[], abilities: readonly Ability[]): void {
  cells.push(abilities.includes("copy"), abilities.includes("drop"), abilities.includes("store"), abilities.includes("key"));
}

/** Numbers of rows remembered from batch to batch: most modules name the same few hundred types, functions and errors. */
const REMEMBERED_MAX = 20_000;

/** Whether a column has a cell that stands as text in a JSON list. */
const equals: Partial<Record<Kind, (column: Sql, item: Sql) => Sql>> = {
  bytes: (column, item) => sql`${column} = ${bytesOf(item)}`,
  int: (column, item) => sql`${column} = CAST(${item} AS bigint)`,
  u64: (column, item) => sql`${asText(column)} = ${item}`,
};

/** Gives the place and the row's number of those among `:keys`, a JSON list of lists of cells without the number, that have a row. */
function lookUp(table: Table): Sql<[place: number, id: number]> {
  const { name, columns } = tables[table];
  const [, ...withoutId] = Object.entries<ColumnData>(columns);
  const isRow = withoutId.map(([column, { kind }], i) => {
    const [cell, item] = [sql`s.${named(column)}`, jsonItem("j.value", i)];
    return equals[kind]?.(cell, item) ?? sql`${cell} = ${item}`;
  });
  return sql`SELECT j.key, s.id FROM ${jsonEach(":keys::json", "j")} JOIN ${named(name)} s ON ${joined(isRow, " AND ")}`;
}

/**
 * Rows of a table that are there once each, told apart by their `cellsOf` after the number: their numbers, by a text for these cells.
 * `addParts` adds what belongs to a new row.
 */
export function rowsOnce<T>(rows: NewRows, table: Table, cellsOf: (item: T) => readonly Cell[], addParts?: (id: number, item: T) => void) {
  const stored = lookUp(table);
  const ids = new Map<string, number>();
  /** Items by key whose number `settle` is to find or make. */
  let wanted = new Map<string, T>();
  const forget = (): void => {
    ids.clear();
    wanted.clear();
  };
  return {
    want: (key: string, item: T): void => {
      if (!ids.has(key)) wanted.set(key, item);
    },
    wanted: (): Iterable<T> => wanted.values(),
    /** Gives all that is wanted a number, of its row or of a new one; `isNew` is sure of some that have none. @returns the new ones */
    settle: async (tx: Transaction, isNew?: (item: T) => boolean): Promise<readonly number[]> => {
      const unknown = wanted;
      if (unknown.size === 0) return [];
      wanted = new Map();
      const asked: [key: string, item: T][] = [];
      for (const [key, item] of unknown) if (isNew?.(item) !== true) asked.push([key, item]);
      const keys = JSON.stringify(asked.map(([, item]) => cellsOf(item)));
      for (const [place, id] of asked.length === 0 ? [] : await tx.all(stored, { keys })) {
        const [key] = asked[place] as [string, T];
        ids.set(key, id);
        unknown.delete(key);
      }
      return Array.from(unknown, ([key, item]) => {
        const id = rows.next(table);
        ids.set(key, id);
        rows.cells[table].push(id, ...cellsOf(item));
        addParts?.(id, item);
        return id;
      });
    },
    of: (key: string): number => ids.get(key) ?? unreachable(`${key} was not looked up`),
    /** Forgets all where that is much. Rows that are being added have to be in their table by then. */
    trim: (): void => {
      if (ids.size > REMEMBERED_MAX) forget();
    },
    forget,
  };
}
