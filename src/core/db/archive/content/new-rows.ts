import type { Ability } from "../../../move/types/make-type.ts";
import type { BulkTable, Transaction } from "../../engine/engine.ts";
import { joined, named, sql } from "../../schema/sql/sql.ts";
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
