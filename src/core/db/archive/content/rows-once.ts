import type { Cell } from "../../../base/cell.ts";
import { unreachable } from "../../../errors.ts";
import type { Transaction } from "../../engine/engine.ts";
import type { ColumnData, Kind } from "../../schema/column.ts";
import { asText, bytesOf, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { type NewRows, type Table, tables } from "./new-rows.ts";

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
  const [, ...told] = Object.entries<ColumnData>(columns);
  const isRow = told.map(([column, { kind }], i) => {
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
